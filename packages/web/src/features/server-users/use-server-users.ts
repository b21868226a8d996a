import type { ServerFlag } from '@innkeeper/contract/permissions'
import { deleteServerUser, listServerUsers, putServerUser } from '@innkeeper/contract/server-users'
import { getServer, type ServerView } from '@innkeeper/contract/servers'
import { useQueryClient } from '@tanstack/react-query'
import { use, useMemo, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { useNavigate } from 'react-router'
import { ShowErrorContext, useApiMutation } from '../../api/use-api-mutation.ts'
import { getQueryKey, useApiQuery } from '../../api/use-api-query.ts'
import { useLatestState } from '../../forms/use-latest-state.ts'
import { useStoredDraft } from '../../forms/use-stored-draft.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useSession } from '../../session/session.tsx'
import { useConfirm } from '../../ui/confirm.tsx'
import { ErrorDetailsContext, isUnknownError } from '../../ui/error-message.ts'
import { toast } from '../../ui/toast.tsx'
import {
  applyEdits,
  countChanges,
  diffFlags,
  type FlagSet,
  type PermissionCheck,
  toFlagSet,
  withoutSavedEdits,
} from './permissions.ts'
import { type EditsByEmail, parseStoredDraft, toStoredDraft } from './stored-edits.ts'
import { useNewUser } from './use-new-user.ts'

/** A user with access to the server, and the unsaved changes of their permissions. */
export interface UserRow {
  readonly email: string
  readonly name: string
  readonly saved: FlagSet
  readonly flags: FlagSet
  /** Number of flags that differ from the saved ones. */
  readonly changes: number
  readonly isSelf: boolean
  /** Invited by email; the invitation is not accepted yet. */
  readonly isInvited: boolean
  readonly isSaving: boolean
  readonly canGrant: PermissionCheck
}

const noValues = {}

/** The users of a server, the unsaved edits of their permissions, and the actions of the page. */
export function useServerUsers(server: ServerView, can: PermissionCheck) {
  const t = useT()
  const confirm = useConfirm()
  const queries = useQueryClient()
  const goTo = useNavigate()
  const { self } = useSession()
  const showSaveError = useShowSaveError()
  const list = useApiQuery(listServerUsers, { params: { id: server.id }, query: { self: '' } })
  const putMutation = useApiMutation(putServerUser, { silent: true })
  const deleteMutation = useApiMutation(deleteServerUser, { silent: true })
  const [edits, setEdits, getEdits] = useLatestState<EditsByEmail>({})
  const { pending, run } = useRequestPerUser(showSaveError)

  const users: readonly UserRow[] = (list.data ?? []).map((user) => {
    const saved = toFlagSet(user)
    const flags = applyEdits(saved, edits[user.email] ?? {})
    return {
      email: user.email,
      name: user.isInvited ? user.email : user.username,
      saved,
      flags,
      changes: countChanges(saved, flags),
      isSelf: user.email === self?.email,
      isInvited: user.isInvited === true,
      isSaving: pending.has(user.email),
      canGrant: (flag) => saved.has(flag) || can(flag),
    }
  })
  // One's own permissions decide whether the list can be loaded: then the server is refetched first.
  const refresh = (isSelf: boolean) =>
    queries.invalidateQueries({ queryKey: getQueryKey(isSelf ? getServer : listServerUsers) })
  const putFlags = async (email: string, flags: FlagSet, isSelf = false) => {
    await putMutation.mutateAsync({ params: { id: server.id, email }, body: toBody(flags) })
    await refresh(isSelf)
  }
  const newUser = useNewUser({
    emails: users.map(({ email }) => email),
    canGrant: can,
    save: putFlags,
    onAdded: (email, left) => setEdits((now) => ({ ...now, [email]: left })),
    onError: showSaveError,
  })

  const unsaved = useMemo(() => {
    const changed = users.filter(({ changes }) => changes > 0).map(({ email }) => [email, edits[email] ?? {}] as const)
    return toStoredDraft(Object.fromEntries(changed), newUser.draft)
  }, [users, edits, newUser.draft])
  const stored = useStoredDraft({ id: `server-${server.id}-users`, draft: unsaved, current: noValues })
  const discardAll = () => {
    setEdits({})
    newUser.cancel()
    stored.drop()
  }
  const restoreDraft = () => {
    const draft = parseStoredDraft(stored.offered)
    if (draft) setEdits(draft.edits)
    if (draft?.newUser) newUser.restore(draft.newUser)
    stored.dismiss()
  }

  const undo = ({ email }: UserRow) => setEdits(({ [email]: _, ...others }) => others)
  const save = async (user: UserRow) => {
    const { email, saved, flags, isSelf } = user
    if (user.changes === 0 || user.isSaving) return
    const losesAccess = isSelf && saved.has('editServerUsers') && !flags.has('editServerUsers')
    const isConfirmed =
      !losesAccess ||
      (await confirm({
        title: t('server-users.GiveUpTitle', { server: server.name }),
        body: t('server-users.GiveUpBody'),
        action: t('server-users.GiveUp'),
        acknowledgement: t('server-users.Understood'),
        danger: true,
      }))
    if (!isConfirmed) return
    await run(email, async () => {
      const sent = diffFlags(saved, flags)
      await putFlags(email, flags, isSelf)
      setEdits((now) => ({ ...now, [email]: withoutSavedEdits(now[email] ?? {}, sent) }))
      toast.success(t('common.Saved'))
    })
  }
  const remove = (user: UserRow) =>
    run(user.email, async () => {
      const { name, email, saved } = user
      await deleteMutation.mutateAsync({ params: { id: server.id, email } })
      undo(user)
      if (user.isSelf) {
        // Without access the other edits cannot be saved: discard them before the leave guard asks.
        flushSync(discardAll)
        await goTo('/server')
        toast.success(t('server-users.Removed', { name }))
        return
      }
      await refresh(false)
      toast.success(t('server-users.Removed', { name }), {
        action: { label: t('common.Undo'), run: () => void run(email, () => putFlags(email, saved)) },
      })
    })
  /** Removes the signed-in user after a confirmation: they cannot undo it. */
  const removeSelf = async (user: UserRow) => {
    const isConfirmed = await confirm({
      title: t('server-users.LeaveTitle', { server: server.name }),
      body: t('server-users.LeaveBody'),
      action: t('server-users.Leave'),
      acknowledgement: t('server-users.Understood'),
      danger: true,
    })
    if (isConfirmed) await remove(user)
  }

  return {
    list,
    users,
    newUser,
    canGrant: can,
    setFlags: ({ email, saved }: UserRow, flags: FlagSet) =>
      setEdits((now) => ({ ...now, [email]: diffFlags(saved, flags) })),
    /** Reads the latest state, because the leave guard also calls it while the tab is hidden. */
    hasChanges: () =>
      newUser.getDraft() !== undefined ||
      users.some(({ email, saved }) => countChanges(saved, applyEdits(saved, getEdits()[email] ?? {})) > 0),
    discardAll,
    storedDraft: stored.offered,
    restoreDraft,
    dismissDraft: stored.dismiss,
    undo,
    save,
    saveAll: async () => {
      for (const user of users) await save(user)
    },
    remove,
    removeSelf,
  }
}

export type ServerUsersState = ReturnType<typeof useServerUsers>

/** Runs one request at a time for each user, and shows its error. */
function useRequestPerUser(onError: (error: unknown) => void) {
  const [pending, setPending] = useState<ReadonlySet<string>>(new Set())
  const running = useRef(new Set<string>())

  const run = async (email: string, request: () => Promise<void>) => {
    if (running.current.has(email)) return
    running.current.add(email)
    setPending(new Set(running.current))
    try {
      await request()
    } catch (error) {
      onError(error)
    } finally {
      running.current.delete(email)
      setPending(new Set(running.current))
    }
  }
  return { pending, run }
}

/** Shows an error; one without a meaning of its own as "Failed updating user permissions", with details. */
function useShowSaveError() {
  const t = useT()
  const showError = use(ShowErrorContext)
  const showDetails = use(ErrorDetailsContext)
  return (error: unknown) => {
    if (!isUnknownError(error)) return showError(error)
    toast.error(t('server-users.UpdateFailed'), {
      action: { label: t('common.Details'), run: () => showDetails(error) },
    })
  }
}

/** Converts a set to a request body. Missing flags are revoked. */
function toBody(flags: FlagSet): Partial<Record<ServerFlag, true>> {
  return Object.fromEntries([...flags].map((flag) => [flag, true as const]))
}
