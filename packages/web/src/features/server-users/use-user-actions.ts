import {
  createServerInvite,
  deleteServerUser,
  listServerUsers,
  putServerUser,
} from '@innkeeper/contract/accounts/server-users'
import type { NewServerPermissions } from '@innkeeper/contract/api/permissions'
import { getServer, type ServerView } from '@innkeeper/contract/servers/servers'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from 'react-router'
import { request } from '../../api/request.ts'
import { useAction, useApiMutation } from '../../api/use-action.ts'
import { getQueryKey } from '../../api/use-api.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useSession } from '../../session/session.tsx'
import { useConfirm } from '../../ui/overlays/confirm.ts'
import { toast } from '../../ui/toasts/toast.tsx'
import type { InviteLink } from './invite-link-dialog.tsx'
import type { PermissionSet, UserRow } from './permissions.ts'

interface PutOptions {
  /** When the access ends, ISO 8601; null for never. Without it the end does not change. */
  readonly until?: string | null | undefined
  readonly version?: string | undefined
}

type PutPermissions = (email: string, permissions: PermissionSet, options?: PutOptions) => Promise<void>

/** Saves the permissions of a user, unless they have another version than this one. */
export function usePutPermissions(server: ServerView): PutPermissions {
  const queries = useQueryClient()
  const { self } = useSession()
  const { mutateAsync } = useApiMutation(putServerUser)
  return async (email, permissions, { until, version } = {}) => {
    const body = toBody(permissions, until)
    await mutateAsync({ params: { id: server.id, email }, body }, { version })
    // One's own permissions decide whether the list can be loaded: then the server is refetched first.
    const endpoint = email === self?.email ? getServer : listServerUsers
    await queries.invalidateQueries({ queryKey: getQueryKey(endpoint) })
  }
}

/** Creates an invitation by link, and returns the link for this address of the panel. */
export function useCreateLink(
  server: ServerView,
): (email: string, permissions: PermissionSet, until: string | undefined) => Promise<InviteLink> {
  const { mutateAsync } = useApiMutation(createServerInvite, { invalidates: [listServerUsers] })
  return async (email, granted, until) => {
    const permissions = toBody(granted, until)
    const { path, expiresAt } = await mutateAsync({ params: { id: server.id }, body: { email, permissions } })
    return { email, url: new URL(path, window.location.origin).href, expiresAt }
  }
}

/** Missing permissions are revoked. */
function toBody(permissions: PermissionSet, until: string | null | undefined): NewServerPermissions {
  const granted = Object.fromEntries([...permissions].map((permission) => [permission, true as const]))
  return { ...granted, ...(until !== undefined && { until }) }
}

/** Asks before a user loses their own access, which they cannot undo. */
export function useConfirmLoss(server: ServerView) {
  const t = useT()
  const confirm = useConfirm()
  return (type: 'GiveUp' | 'Leave') =>
    confirm({
      title: t(`server-users.${type}Title`, { server: server.name }),
      body: t(`server-users.${type}Body`),
      action: t(`server-users.${type}`),
      acknowledgement: t('common.UnderstoodNoUndo'),
    })
}

interface RemoveUserOptions {
  readonly server: ServerView
  readonly put: PutPermissions
  /** Drops what is unsaved. */
  readonly discard: () => void
}

/** Removes users from a server. */
export function useRemoveUser({ server, put, discard }: RemoveUserOptions) {
  const t = useT()
  const navigate = useNavigate()
  const confirmLoss = useConfirmLoss(server)
  const queries = useQueryClient()

  const undo = useAction(({ email, saved, until }: UserRow) => put(email, saved, { until }))
  const removal = useAction(({ email }: UserRow) => request(deleteServerUser, { params: { id: server.id, email } }), {
    onSuccess: async (_, user) => {
      if (user.isSelf) {
        // Without access the other edits cannot be saved.
        discard()
        await navigate('/server')
      } else await queries.invalidateQueries({ queryKey: getQueryKey(listServerUsers) })
      const action = { label: t('common.Undo'), run: () => void undo.mutate(user) }
      toast.success(t('server-users.Removed', { name: user.name }), user.isSelf ? {} : { action })
    },
  })
  return {
    /** The email address of the user who is being removed. */
    removing: removal.pending?.email,
    remove: removal.mutate,
    removeSelf: async (user: UserRow) => {
      if (await confirmLoss('Leave')) await removal.mutate(user)
    },
  }
}
