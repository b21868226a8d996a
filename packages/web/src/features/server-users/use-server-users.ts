import type { ServerUser } from '@innkeeper/contract/accounts/server-users'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import type { ServerView } from '@innkeeper/contract/servers/servers'
import { useMemo } from 'react'
import { pick } from '../../forms/merge.ts'
import { useLatestState } from '../../forms/use-latest-state.ts'
import { type Edit, useSaveForm } from '../../forms/use-save-form.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useSession } from '../../session/session.tsx'
import {
  getEmail,
  getFields,
  type PermissionFields,
  toField,
  toFields,
  toPermissions,
  toSaved,
  type Versions,
} from './permission-fields.ts'
import type { PermissionCheck, PermissionSet } from './permissions.ts'
import { useNewUser } from './use-new-user.ts'
import { useConfirmLoss, useCreateLink, usePutPermissions, useRemoveUser } from './use-user-actions.ts'
import type { UserRow } from './user-row.ts'

interface ServerUsersOptions {
  readonly server: ServerView
  /** The users as they were read. */
  readonly list: readonly ServerUser[]
  readonly reload: () => Promise<readonly ServerUser[]>
  readonly can: PermissionCheck
}

/** The users of a server, the unsaved edits of their permissions, and the actions of the page. */
export function useServerUsers({ server, list, reload, can }: ServerUsersOptions) {
  const t = useT()
  const { self } = useSession()
  const confirmLoss = useConfirmLoss(server)
  const put = usePutPermissions(server)
  /** The user whose permissions are sent, or were last. */
  const [sent, setSent, getSent] = useLatestState<{ readonly email: string } | undefined>(undefined)

  const form = useSaveForm<PermissionFields, Versions>({
    id: `server-${server.id}-users`,
    saved: useMemo(() => toSaved(list), [list]),
    reload: async () => {
      const latest = await reload()
      // Another user removed the one whose permissions are being saved.
      if (latest.every(({ email }) => email !== getSent()?.email)) throw new Refusal('ErrStaleVersion')
      return toSaved(latest)
    },
    getLabel: getEmail,
    failure: t('common.PermissionsFailed'),
    confirm: async ({ changed }) =>
      changed[toField(self?.email ?? '', 'editServerUsers')] !== false || confirmLoss('GiveUp'),
    send: async ({ changed, values, version, markSaved }: Edit<PermissionFields, Versions>) => {
      const emails = [...new Set(Object.keys(changed).map(getEmail))]
      // One's own permissions come last: they may be needed to save the others.
      const isSelf = (email: string) => email === self?.email
      for (const email of emails.toSorted((a, b) => Number(isSelf(a)) - Number(isSelf(b)))) {
        setSent({ email })
        await put(email, toPermissions(values, { email }), version?.[email])
        markSaved(getFields(email), version)
      }
    },
  })
  const newUser = useNewUser({
    server: server.id,
    emails: list.map(({ email }) => email),
    canGrant: can,
    add: put,
    createLink: useCreateLink(server),
    onEditedSince: async (email, permissions) => {
      form.rebaseOn(toSaved(await reload()))
      form.set(toFields(email, permissions))
    },
  })
  const discard = () => {
    form.discard()
    newUser.close()
  }

  const { removing, ...actions } = useRemoveUser({ server, put, discard })

  const users = list.map((user): UserRow => {
    const { email } = user
    const saved = toPermissions(form.saved, user)
    return {
      email,
      name: user.isInvited ? email : user.username,
      saved,
      permissions: toPermissions(form.values, user),
      changes: form.edited.filter((field) => getEmail(field) === email).length,
      isSelf: email === self?.email,
      isInvited: user.isInvited === true,
      isSaving: (form.isSaving && sent?.email === email) || removing === email,
      canGrant: (permission) => saved.has(permission) || can(permission),
    }
  })
  return {
    users,
    newUser,
    canGrant: can,
    form,
    failure: form.failure ?? newUser.form.failure,
    storedDraft: form.storedDraft ?? newUser.form.storedDraft,
    restoreDraft: () => {
      form.restoreDraft()
      newUser.form.restoreDraft()
    },
    dismissDraft: () => {
      form.dismissDraft()
      newUser.form.dismissDraft()
    },
    setPermissions: ({ email }: UserRow, permissions: PermissionSet) => form.set(toFields(email, permissions)),
    undo: ({ email }: UserRow) => form.set(pick(form.saved, getFields(email))),
    save: ({ email }: UserRow) => form.save(getFields(email)),
    ...actions,
  }
}

export type ServerUsersState = ReturnType<typeof useServerUsers>
