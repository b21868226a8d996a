import type { ServerPermission } from '@innkeeper/contract/permissions'
import { deleteServerUser, listServerUsers, putServerUser, type ServerUser } from '@innkeeper/contract/server-users'
import { getServer, type ServerView } from '@innkeeper/contract/servers'
import { useQueryClient } from '@tanstack/react-query'
import { use, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { useNavigate } from 'react-router'
import { isRefusal } from '../../api/request.ts'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { getQueryKey, ifMatch } from '../../api/use-api-query.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useConfirm } from '../../ui/confirm.ts'
import { ErrorDetailsContext, hasMessage } from '../../ui/error-message.ts'
import { toast, useShowError } from '../../ui/toast.tsx'
import { applyEdits, diffFlags, type FlagEdits, type FlagSet, toFlagSet } from './permissions.ts'
import type { UserRow } from './use-server-users.ts'

interface PutOptions {
  /** The version of the permissions that the user saw. */
  readonly version?: string | undefined
  readonly isSelf?: boolean
}

/** How often a save that was refused as stale is sent again. */
const staleRetries = 3

/** The requests that change the users of a server. */
export function useUserRequests(server: ServerView) {
  const queries = useQueryClient()
  const putMutation = useApiMutation(putServerUser, { silent: true })
  const deleteMutation = useApiMutation(deleteServerUser, { silent: true })
  // One's own permissions decide whether the list can be loaded: then the server is refetched first.
  const refresh = (isSelf: boolean) =>
    queries.invalidateQueries({ queryKey: getQueryKey(isSelf ? getServer : listServerUsers) })
  const putFlags = async (email: string, flags: FlagSet, { version, isSelf = false }: PutOptions = {}) => {
    const headers = ifMatch(version === undefined ? undefined : `"${version}"`)
    await putMutation.mutateAsync({ params: { id: server.id, email }, body: toBody(flags) }, headers)
    await refresh(isSelf)
  }
  const remove = (email: string) => deleteMutation.mutateAsync({ params: { id: server.id, email } })
  return { putFlags, remove, refresh }
}

interface UserActionsOptions {
  readonly server: ServerView
  readonly requests: ReturnType<typeof useUserRequests>
  /** Refetches the users. */
  readonly reload: () => Promise<readonly ServerUser[]>
  readonly run: ReturnType<typeof useRequestPerUser>['run']
  /** Forgets the edits of a user. */
  readonly undo: (user: UserRow) => void
  /** Forgets the edits that were saved. */
  readonly onSaved: (email: string, sent: ReturnType<typeof diffFlags>) => void
  readonly discardAll: () => void
}

/** Saves and removes users, with the questions that come before. */
export function useUserActions({ server, requests, reload, run, undo, onSaved, discardAll }: UserActionsOptions) {
  const t = useT()
  const confirm = useConfirm()
  const goTo = useNavigate()
  const { putFlags, refresh } = requests

  /** Saves edits on top of the latest permissions: other users may have changed other ones. */
  const saveEdits = async ({ email, saved, version, isSelf }: UserRow, edits: FlagEdits): Promise<void> => {
    let latest = { saved, version }
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await putFlags(email, applyEdits(latest.saved, edits), { version: latest.version, isSelf })
      } catch (error) {
        if (!isRefusal(error, 'ErrStaleVersion') || attempt > staleRetries) throw error
        const user = (await reload()).find((other) => other.email === email)
        if (!user) throw error
        latest = { saved: toFlagSet(user), version: user.version }
      }
    }
  }
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
        acknowledgement: t('common.UnderstoodNoUndo'),
      }))
    if (!isConfirmed) return
    await run(email, async () => {
      const sent = diffFlags(saved, flags)
      await saveEdits(user, sent)
      onSaved(email, sent)
      toast.success(t('common.Saved'))
    })
  }
  const remove = (user: UserRow) =>
    run(user.email, async () => {
      const { name, email, saved } = user
      await requests.remove(email)
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
      acknowledgement: t('common.UnderstoodNoUndo'),
    })
    if (isConfirmed) await remove(user)
  }
  return { save, remove, removeSelf }
}

/** Runs one request at a time for each user, and shows its error. */
export function useRequestPerUser(onError: (error: unknown) => void) {
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
export function useShowSaveError() {
  const t = useT()
  const showError = useShowError()
  const showDetails = use(ErrorDetailsContext)
  return (error: unknown) => {
    if (hasMessage(error)) return showError(error)
    toast.error(t('common.PermissionsFailed'), {
      action: { label: t('common.Details'), run: () => showDetails(error) },
    })
  }
}

/** Converts a set to a request body. Missing flags are revoked. */
function toBody(flags: FlagSet): Partial<Record<ServerPermission, true>> {
  return Object.fromEntries([...flags].map((flag) => [flag, true as const]))
}
