import type { ServerFlag } from '@innkeeper/contract/permissions'
import { deleteServerUser, listServerUsers, putServerUser } from '@innkeeper/contract/server-users'
import { getServer, type ServerView } from '@innkeeper/contract/servers'
import { useQueryClient } from '@tanstack/react-query'
import { use, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { useNavigate } from 'react-router'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { getQueryKey } from '../../api/use-api-query.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useConfirm } from '../../ui/confirm.tsx'
import { ErrorDetailsContext, isUnknownError } from '../../ui/error-message.ts'
import { toast, useShowError } from '../../ui/toast.tsx'
import { diffFlags, type FlagSet } from './permissions.ts'
import type { UserRow } from './use-server-users.ts'

/** The requests that change the users of a server. */
export function useUserRequests(server: ServerView) {
  const queries = useQueryClient()
  const putMutation = useApiMutation(putServerUser, { silent: true })
  const deleteMutation = useApiMutation(deleteServerUser, { silent: true })
  // One's own permissions decide whether the list can be loaded: then the server is refetched first.
  const refresh = (isSelf: boolean) =>
    queries.invalidateQueries({ queryKey: getQueryKey(isSelf ? getServer : listServerUsers) })
  const putFlags = async (email: string, flags: FlagSet, isSelf = false) => {
    await putMutation.mutateAsync({ params: { id: server.id, email }, body: toBody(flags) })
    await refresh(isSelf)
  }
  const remove = (email: string) => deleteMutation.mutateAsync({ params: { id: server.id, email } })
  return { putFlags, remove, refresh }
}

interface UserActionsOptions {
  readonly server: ServerView
  readonly requests: ReturnType<typeof useUserRequests>
  readonly run: ReturnType<typeof useRequestPerUser>['run']
  /** Forgets the edits of a user. */
  readonly undo: (user: UserRow) => void
  /** Forgets the edits that were saved. */
  readonly onSaved: (email: string, sent: ReturnType<typeof diffFlags>) => void
  readonly discardAll: () => void
}

/** Saves and removes users, with the questions that come before. */
export function useUserActions({ server, requests, run, undo, onSaved, discardAll }: UserActionsOptions) {
  const t = useT()
  const confirm = useConfirm()
  const goTo = useNavigate()
  const { putFlags, refresh } = requests

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
      acknowledgement: t('server-users.Understood'),
      danger: true,
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
