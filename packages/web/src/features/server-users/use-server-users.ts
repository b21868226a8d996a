import type { ServerUser } from '@innkeeper/contract/accounts/server-users'
import {
  type ServerPermission,
  type ServerPermissions,
  serverPermissionNames,
} from '@innkeeper/contract/api/permissions'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import type { ServerView } from '@innkeeper/contract/servers/servers'
import { useMemo } from 'react'
import { pick } from '../../forms/merge.ts'
import { useLatestState } from '../../forms/use-latest-state.ts'
import { type Edit, type Saved, useSaveForm } from '../../forms/use-save-form.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useSession } from '../../session/session.tsx'
import type { PermissionCheck, PermissionSet, UserRow } from './permissions.ts'
import { useNewUser } from './use-new-user.ts'
import { useConfirmLoss, useCreateLink, usePutPermissions, useRemoveUser } from './use-user-actions.ts'

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
        await put(email, toPermissions(values, { email }), { version: version?.[email] })
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
      until: user.until ?? undefined,
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
    /** Sets when the access of a user ends. */
    setEnd: ({ email, saved }: UserRow, until: string | null) =>
      put(email, saved, { until, version: list.find((user) => user.email === email)?.version }),
    setPermissions: ({ email }: UserRow, permissions: PermissionSet) => form.set(toFields(email, permissions)),
    undo: ({ email }: UserRow) => form.set(pick(form.saved, getFields(email))),
    save: ({ email }: UserRow) => form.save(getFields(email)),
    ...actions,
  }
}

export type ServerUsersState = ReturnType<typeof useServerUsers>

/** The permissions of all users as fields of one form: each may be changed by another user at the same time. */
type PermissionFields = Readonly<Record<string, boolean>>

/** The version of each user's permissions. */
type Versions = Readonly<Record<string, string | undefined>>

function toSaved(users: readonly ServerUser[]): Saved<PermissionFields, Versions> {
  const fields = users.flatMap((user) =>
    serverPermissionNames.map((permission) => [toField(user.email, permission), user[permission] === true]),
  )
  return {
    values: Object.fromEntries(fields),
    version: Object.fromEntries(users.map(({ email, version }) => [email, version])),
  }
}

function getFields(email: string): readonly string[] {
  return serverPermissionNames.map((permission) => toField(email, permission))
}

function getEmail(field: string): string {
  return field.slice(0, field.lastIndexOf(' '))
}

function toFields(email: string, permissions: PermissionSet): PermissionFields {
  return Object.fromEntries(
    serverPermissionNames.map((permission) => [toField(email, permission), permissions.has(permission)]),
  )
}

/** The permissions of a user; those that are no field yet are as they were read. */
function toPermissions(fields: PermissionFields, user: ServerPermissions & { readonly email: string }): PermissionSet {
  return new Set(
    serverPermissionNames.filter((permission) => fields[toField(user.email, permission)] ?? user[permission] === true),
  )
}

// The name of a permission has no space.
const toField = (email: string, permission: ServerPermission): string => [email, permission].join(' ')
