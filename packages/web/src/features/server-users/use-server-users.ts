import { listServerUsers } from '@innkeeper/contract/server-users'
import type { ServerView } from '@innkeeper/contract/servers'
import { useMemo } from 'react'
import { refetchOrThrow, useApiQuery } from '../../api/use-api-query.ts'
import { useLatestState } from '../../forms/use-latest-state.ts'
import { useStoredDraft } from '../../forms/use-stored-draft.ts'
import { useSession } from '../../session/session.tsx'
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
import { useRequestPerUser, useShowSaveError, useUserActions, useUserRequests } from './use-user-actions.ts'

/** A user with access to the server, and the unsaved changes of their permissions. */
export interface UserRow {
  readonly email: string
  readonly name: string
  readonly saved: FlagSet
  /** The version of `saved`. */
  readonly version: string | undefined
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
  const { self } = useSession()
  const showSaveError = useShowSaveError()
  const list = useApiQuery(listServerUsers, { params: { id: server.id }, query: { self: '' } })
  const requests = useUserRequests(server)
  const [edits, setEdits, getEdits] = useLatestState<EditsByEmail>({})
  const { pending, run } = useRequestPerUser(showSaveError)

  const users: readonly UserRow[] = (list.data ?? []).map((user) => {
    const saved = toFlagSet(user)
    const flags = applyEdits(saved, edits[user.email] ?? {})
    return {
      email: user.email,
      name: user.isInvited ? user.email : user.username,
      saved,
      version: user.version,
      flags,
      changes: countChanges(saved, flags),
      isSelf: user.email === self?.email,
      isInvited: user.isInvited === true,
      isSaving: pending.has(user.email),
      canGrant: (flag) => saved.has(flag) || can(flag),
    }
  })
  const newUser = useNewUser({
    emails: users.map(({ email }) => email),
    canGrant: can,
    save: requests.putFlags,
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
  const actions = useUserActions({
    server,
    requests,
    reload: () => refetchOrThrow(list),
    run,
    undo,
    onSaved: (email, sent) => setEdits((now) => ({ ...now, [email]: withoutSavedEdits(now[email] ?? {}, sent) })),
    discardAll,
  })

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
    ...actions,
    saveAll: async () => {
      for (const user of users) await actions.save(user)
    },
  }
}

export type ServerUsersState = ReturnType<typeof useServerUsers>
