import { limits } from '@innkeeper/contract/limits'
import { sendCommand } from '@innkeeper/contract/node-servers'
import { getUsage, type ServerView } from '@innkeeper/contract/servers'
import type { ServerStatus } from '@innkeeper/contract/status'
import { request } from '../../api/request.ts'
import { getAvailableActions, type PowerAction } from '../../features/power/power.ts'
import { useConfirmPower } from '../../features/power/use-confirm-power.ts'
import type { ListPower } from '../../features/power/use-list-power.ts'
import type { CanOnServer } from '../../features/servers/use-server-permissions.ts'
import type { ServerUsage } from '../../features/servers/use-server-usage.ts'
import { useFormatters, useT } from '../../i18n/i18n.tsx'
import { useConfirm } from '../../ui/confirm.tsx'
import { errorMessage } from '../../ui/error-message.ts'
import { toDisplayStatus } from '../../ui/status.tsx'
import { toast, useShowError } from '../../ui/toast.tsx'

export const bulkActions = ['start', 'restart', 'stop', 'kill', 'install'] as const
export type BulkAction = (typeof bulkActions)[number]

const maxConcurrentRequests = 4
/** How many names a dialog lists. */
const maxListedNames = 5

/**
 * Power actions and commands for one server or many. Kill, Install and everything that concerns several servers asks
 * first; Start, Stop and Restart of a single server do not.
 */
export function useServerActions(power: ListPower, usage: ReadonlyMap<string, ServerUsage>, can: CanOnServer) {
  const t = useT()
  const { list } = useFormatters()
  const confirm = useConfirm()
  const confirmPower = useConfirmPower()
  const showError = useShowError()

  const runOne = async (server: ServerView, action: PowerAction) => {
    if (await confirmPower(server.name, action, usage.get(server.id)?.status)) power.run(server, action)
  }

  /** The statuses of the servers, also of those on other pages; without those that are unknown. */
  const fetchStatuses = async (servers: readonly ServerView[]): Promise<ReadonlyMap<string, ServerStatus>> => {
    const statuses = new Map<string, ServerStatus>()
    for (const { id } of servers) {
      const status = usage.get(id)?.status
      if (status) statuses.set(id, status)
    }
    const missing = servers.filter(({ id }) => !usage.has(id)).map(({ id }) => id)
    for (let first = 0; first < missing.length; first += limits.pageSizeMax) {
      const ids = missing.slice(first, first + limits.pageSizeMax).join(',')
      for (const { id, status, isOld } of await request(getUsage, { query: { ids } })) {
        if (status && !isOld) statuses.set(id, status)
      }
    }
    return statuses
  }

  const formatNames = (servers: readonly ServerView[]) => {
    const names = servers.slice(0, maxListedNames).map(({ name }) => name)
    const count = servers.length - names.length
    return list(count === 0 ? names : [...names, t('servers.MoreNames', { count })])
  }

  /** Runs something for each server and shows how many succeeded, with the error of each that did not. */
  const runForEach = async (
    servers: readonly ServerView[],
    run: (server: ServerView) => Promise<unknown>,
    summary: (count: number) => string,
  ) => {
    const errors: string[] = []
    await runConcurrently(servers, async (server) => {
      const { name } = server
      await run(server).catch((error: unknown) =>
        errors.push(t('servers.RefusedFor', { name, message: errorMessage(t, error) })),
      )
    })
    const title = summary(servers.length - errors.length)
    if (errors.length === 0) toast.success(title)
    else toast.error(title, { detail: errors.join(' · ') })
  }

  /** Runs an action on those of the servers that allow it, after confirmation. Returns whether it ran. */
  const runAll = async (servers: readonly ServerView[], action: BulkAction): Promise<boolean> => {
    const statuses = await fetchStatuses(servers)
    const targets = servers.filter(({ id }) => {
      const status = statuses.get(id)
      const displayed = usage.has(id) ? power.getStatus(id) : status ? toDisplayStatus(status) : 'unknown'
      return getAvailableActions(displayed, status, (permission) => can(id, permission) ?? true).includes(action)
    })
    if (targets.length === 0) {
      toast.error(t(`servers.NoneTo_${action}`))
      return false
    }
    const count = targets.length
    const skipped = servers.length - count
    const mustConfirm = count > 1 || skipped > 0 || action === 'kill' || action === 'install'
    const body = (
      <>
        <p>{formatNames(targets)}</p>
        {action === 'kill' && <p>{t('servers.KillWarning')}</p>}
        {action === 'install' && <p>{t('servers.InstallWarning')}</p>}
        {skipped > 0 && <p>{t('servers.Skipped', { count: skipped })}</p>}
      </>
    )
    const label = t(`servers.Bulk_${action}`, { count })
    const question = { title: t(`servers.BulkQuestion_${action}`, { count }), body, action: label }
    if (mustConfirm && !(await confirm({ ...question, danger: action === 'kill' }))) return false
    await runForEach(
      targets,
      (server) => power.send(server, action),
      (done) => t(`servers.Done_${action}`, { count: done, total: count }),
    )
    return true
  }

  /** Those of the servers that can receive a command now. */
  const findRecipients = async (servers: readonly ServerView[]): Promise<readonly ServerView[]> => {
    const statuses = await fetchStatuses(servers)
    return servers.filter(({ id }) => statuses.get(id)?.running && (can(id, 'sendServerConsole') ?? true))
  }

  const sendToAll = async (servers: readonly ServerView[], command: string): Promise<void> => {
    const recipients = await findRecipients(servers)
    if (recipients.length === 0) {
      toast.error(t('servers.NoneToCommand'))
      return
    }
    await runForEach(
      recipients,
      ({ id }) => request(sendCommand, { params: { id }, body: command }),
      (done) => t('servers.Done_command', { count: done, total: recipients.length }),
    )
  }

  return {
    run: (server: ServerView, action: PowerAction) => void runOne(server, action),
    runAll: (servers: readonly ServerView[], action: BulkAction) =>
      runAll(servers, action).catch((error: unknown) => {
        showError(error)
        return false
      }),
    findRecipients,
    sendToAll: (servers: readonly ServerView[], command: string) => sendToAll(servers, command).catch(showError),
    formatNames,
  }
}
export type ServerActions = ReturnType<typeof useServerActions>

/** Runs something for each item, a few at a time. `run` must not reject. */
async function runConcurrently<T>(items: readonly T[], run: (item: T) => Promise<void>): Promise<void> {
  const queue = [...items]
  const worker = async () => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await run(item)
  }
  await Promise.all(Array.from({ length: maxConcurrentRequests }, worker))
}
