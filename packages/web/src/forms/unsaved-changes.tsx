import { useWindowEvent } from '@mantine/hooks'
import {
  createContext,
  type ReactNode,
  use,
  useCallback,
  useEffect,
  useId,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { type Path, useBlocker } from 'react-router'
import { useT } from '../i18n/i18n.tsx'
import { useSession } from '../session/session.tsx'
import { useConfirm } from '../ui/overlays/confirm.ts'
import { ConfirmProvider } from '../ui/overlays/confirm-provider.tsx'

export interface UnsavedChanges {
  readonly isDirty: () => boolean
  /**
   * A form over a page, such as an editor, is already lost when the `search` of the address changes; one that restores
   * its draft is only lost with the `window`.
   */
  readonly lostOn?: 'page' | 'search' | 'window'
  /** Resolves with whether to leave. Without it the default question is asked. */
  readonly confirm?: () => Promise<boolean>
  /** The user chose to leave: the changes are to be dropped. */
  readonly onDiscard?: () => void
}

/** The unsaved changes of all forms of the page, including those in hidden tabs. */
class UnsavedChangesRegistry {
  readonly #forms = new Map<string, UnsavedChanges>()

  set(id: string, form: UnsavedChanges): void {
    this.#forms.set(id, form)
  }

  delete(id: string): void {
    this.#forms.delete(id)
  }

  getDirty(): readonly UnsavedChanges[] {
    return [...this.#forms.values()].filter((form) => form.isDirty())
  }

  /** Returns the forms whose changes would be lost by navigating from one location to another. */
  getLost(from: Path, to: Path): readonly UnsavedChanges[] {
    const leavesPage = from.pathname !== to.pathname
    return this.getDirty().filter(
      ({ lostOn = 'page' }) =>
        (leavesPage && lostOn !== 'window') || (lostOn === 'search' && from.search !== to.search),
    )
  }
}

/** A part of the page that may be hidden while its state is kept. */
interface Scope {
  isHidden: boolean
  /** Ids of hidden forms: their effects have ended, but their changes still exist. */
  readonly hiddenForms: Set<string>
}

interface Guard {
  readonly registry: UnsavedChangesRegistry
  /** Asks about all unsaved changes. Resolves with whether they may be lost. */
  readonly confirmLeave: () => Promise<boolean>
}

const GuardContext = createContext<Guard | undefined>(undefined)
const ScopeContext = createContext<Scope | undefined>(undefined)

/** Asks before unsaved changes are lost by navigation or by closing the window. */
export function UnsavedChangesProvider({ children }: { children: ReactNode }) {
  const t = useT()
  const confirm = useConfirm()
  const [registry] = useState(() => new UnsavedChangesRegistry())

  const confirmLoss = useCallback(
    async (forms: readonly UnsavedChanges[]): Promise<boolean> => {
      for (const form of forms) if (form.confirm && !(await form.confirm())) return false
      // A form may have been saved by its own dialog.
      const others = forms.filter((form) => !form.confirm && form.isDirty())
      const isConfirmed =
        others.length === 0 ||
        (await confirm({ title: t('common.LeaveTitle'), body: t('common.LeaveBody'), action: t('common.LeaveAction') }))
      if (isConfirmed) for (const { onDiscard } of forms) onDiscard?.()
      return isConfirmed
    },
    [confirm, t],
  )
  const answer = useRef<Promise<boolean>>(undefined)
  const blocker = useBlocker(({ currentLocation, nextLocation }) => {
    const lost = registry.getLost(currentLocation, nextLocation)
    answer.current = lost.length === 0 ? undefined : confirmLoss(lost)
    return lost.length > 0
  })
  useEffect(() => {
    if (blocker.state !== 'blocked') return
    void answer.current?.then((isConfirmed) => (isConfirmed ? blocker.proceed() : blocker.reset()))
  }, [blocker])
  useWindowEvent('beforeunload', (event) => {
    if (registry.getDirty().length > 0) event.preventDefault()
  })

  const confirmLeave = useCallback(() => confirmLoss(registry.getDirty()), [confirmLoss, registry])
  const guard = useMemo<Guard>(() => ({ registry, confirmLeave }), [registry, confirmLeave])
  return <GuardContext value={guard}>{children}</GuardContext>
}

/** The same, with the dialog that asks. */
export function LeaveGuard({ children }: { children: ReactNode }) {
  return (
    <ConfirmProvider>
      <UnsavedChangesProvider>{children}</UnsavedChangesProvider>
    </ConfirmProvider>
  )
}

function useLeaveGuard(): Guard {
  const guard = use(GuardContext)
  if (!guard) throw new Error('useUnsavedChanges needs an UnsavedChangesProvider')
  return guard
}

/** Asks before the changes are lost, as long as the component exists, hidden or not. */
export function useUnsavedChanges(changes: UnsavedChanges): void {
  const { registry } = useLeaveGuard()
  const scope = use(ScopeContext)
  const id = useId()

  useEffect(() => registry.set(id, changes))
  useEffect(() => {
    scope?.hiddenForms.delete(id)
    return () => {
      if (scope?.isHidden) scope.hiddenForms.add(id)
      else registry.delete(id)
    }
  }, [registry, scope, id])
}

/** Signs out, after asking about unsaved changes. */
export function useSignOut(): () => void {
  const { signOut } = useSession()
  const { confirmLeave } = useLeaveGuard()
  return () => void confirmLeave().then((isConfirmed) => isConfirmed && signOut())
}

/**
 * Put this around an `<Activity>`. Hiding an activity ends the effects inside as if the forms were unmounted; with this
 * their changes stay guarded until the activity itself is unmounted.
 */
export function UnsavedChangesScope({ isShown, children }: { isShown: boolean; children: ReactNode }) {
  const { registry } = useLeaveGuard()
  const [scope] = useState<Scope>(() => ({ isHidden: !isShown, hiddenForms: new Set() }))

  // Runs before the effects of the activity that is being hidden end.
  useLayoutEffect(() => {
    scope.isHidden = !isShown
  }, [scope, isShown])
  // Runs after the effects of the shown activity have started: forms that are still listed were unmounted.
  useEffect(() => {
    if (isShown) removeHiddenForms(registry, scope)
  }, [registry, scope, isShown])
  useEffect(() => () => removeHiddenForms(registry, scope), [registry, scope])
  return <ScopeContext value={scope}>{children}</ScopeContext>
}

function removeHiddenForms(registry: UnsavedChangesRegistry, { hiddenForms }: Scope): void {
  for (const id of hiddenForms) registry.delete(id)
  hiddenForms.clear()
}
