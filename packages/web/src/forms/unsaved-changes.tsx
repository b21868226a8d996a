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
import { type Location, useBeforeUnload, useBlocker } from 'react-router'
import { useT } from '../i18n/i18n.tsx'
import { useSession } from '../session/session.tsx'
import { useConfirm } from '../ui/confirm.tsx'

export interface UnsavedChanges {
  readonly isDirty: () => boolean
  /** What a form laid over a page, such as an editor, is lost with: already another `search` of the same page. */
  readonly lostWith?: 'page' | 'search'
  /** Asks in its own words and answers whether to leave; without it the general question is asked. */
  readonly ask?: () => Promise<boolean>
  /** The person chose to leave: the changes are not wanted any more. */
  readonly onLeave?: () => void
}

/** The unsaved changes of all forms of the page, also of those in hidden tabs. */
class UnsavedChangesRegistry {
  readonly #forms = new Map<string, UnsavedChanges>()

  set(id: string, form: UnsavedChanges): void {
    this.#forms.set(id, form)
  }

  delete(id: string): void {
    this.#forms.delete(id)
  }

  dirty(): readonly UnsavedChanges[] {
    return [...this.#forms.values()].filter((form) => form.isDirty())
  }

  /** The forms whose changes going from one address to another would lose. */
  lostBetween(from: Location, to: Location): readonly UnsavedChanges[] {
    const leavesPage = from.pathname !== to.pathname
    return this.dirty().filter(
      ({ lostWith = 'page' }) => leavesPage || (lostWith === 'search' && from.search !== to.search),
    )
  }
}

/** A part of the page that may be hidden while its state is kept. */
interface Scope {
  isHidden: boolean
  /** Forms that are hidden: their effects are gone, their changes are not. */
  readonly parked: Set<string>
}

interface Guard {
  readonly registry: UnsavedChangesRegistry
  /** Asks about everything unsaved; answers whether it may be lost. */
  readonly confirmLeave: () => Promise<boolean>
}

const GuardContext = createContext<Guard | undefined>(undefined)
const ScopeContext = createContext<Scope | undefined>(undefined)

/**
 * Asks before unsaved changes are lost: by going to another page of the app (the router's only blocker), or by closing
 * the window.
 */
export function UnsavedChangesProvider({ children }: { children: ReactNode }) {
  const t = useT()
  const confirm = useConfirm()
  const [registry] = useState(() => new UnsavedChangesRegistry())
  const lost = useRef<readonly UnsavedChanges[]>([])

  const askAbout = useCallback(
    async (forms: readonly UnsavedChanges[]): Promise<boolean> => {
      for (const { ask } of forms) if (ask && !(await ask())) return false
      // What was saved by the answer is not lost.
      const others = forms.filter(({ ask, isDirty }) => !ask && isDirty())
      const question = { title: t('common.LeaveTitle'), body: t('common.LeaveBody') }
      const isWanted =
        others.length === 0 || (await confirm({ ...question, action: t('common.LeaveAction'), danger: true }))
      if (isWanted) for (const { onLeave } of forms) onLeave?.()
      return isWanted
    },
    [confirm, t],
  )
  const blocker = useBlocker(
    useCallback(
      ({ currentLocation, nextLocation }) => {
        lost.current = registry.lostBetween(currentLocation, nextLocation)
        return lost.current.length > 0
      },
      [registry],
    ),
  )
  useBeforeUnload((event) => {
    if (registry.dirty().length > 0) event.preventDefault()
  })
  useEffect(() => {
    if (blocker.state !== 'blocked') return
    void askAbout(lost.current).then((isWanted) => (isWanted ? blocker.proceed() : blocker.reset()))
  }, [blocker, askAbout])

  const confirmLeave = useCallback(() => askAbout(registry.dirty()), [askAbout, registry])
  const guard = useMemo<Guard>(() => ({ registry, confirmLeave }), [registry, confirmLeave])
  return <GuardContext value={guard}>{children}</GuardContext>
}

function useGuard(): Guard {
  const guard = use(GuardContext)
  if (!guard) throw new Error('unsaved changes need an UnsavedChangesProvider around them')
  return guard
}

/** Guards changes from being lost as long as the component is there, hidden or not. */
export function useUnsavedChanges(changes: UnsavedChanges): void {
  const { registry } = useGuard()
  const scope = use(ScopeContext)
  const id = useId()

  useEffect(() => registry.set(id, changes))
  useEffect(() => {
    scope?.parked.delete(id)
    return () => {
      if (scope?.isHidden) scope.parked.add(id)
      else registry.delete(id)
    }
  }, [registry, scope, id])
}

/** Logs out, after asking about what is not saved. */
export function useLogOut(): () => void {
  const { logOut } = useSession()
  const { confirmLeave } = useGuard()
  return () => void confirmLeave().then((isWanted) => isWanted && logOut())
}

/**
 * Stands around an `<Activity>`. Hiding it ends the effects inside as if the forms were gone; here their changes stay
 * guarded until the part itself goes.
 */
export function UnsavedChangesScope({ isShown, children }: { isShown: boolean; children: ReactNode }) {
  const { registry } = useGuard()
  const [scope] = useState<Scope>(() => ({ isHidden: !isShown, parked: new Set() }))

  // Before the effects of what is being hidden end.
  useLayoutEffect(() => {
    scope.isHidden = !isShown
  }, [scope, isShown])
  // After the effects of what is shown again have begun: what is still parked is gone.
  useEffect(() => {
    if (isShown) forget(registry, scope)
  }, [registry, scope, isShown])
  useEffect(() => () => forget(registry, scope), [registry, scope])
  return <ScopeContext value={scope}>{children}</ScopeContext>
}

function forget(registry: UnsavedChangesRegistry, { parked }: Scope): void {
  for (const id of parked) registry.delete(id)
  parked.clear()
}
