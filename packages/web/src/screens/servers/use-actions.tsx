import { limits } from '@innkeeper/contract/limits'
import { sendCommand } from '@innkeeper/contract/node-servers'
import type { ServerFlag } from '@innkeeper/contract/permissions'
import { getUsage, type ServerView } from '@innkeeper/contract/servers'
import type { ServerStatus } from '@innkeeper/contract/status'
import { use } from 'react'
import { request } from '../../api/request.ts'
import { ShowErrorContext } from '../../api/use-api-mutation.ts'
import type { PowerAction } from '../../features/power/power.ts'
import { useConfirmedPower } from '../../features/power/use-confirmed-power.ts'
import { type ListPower, possibleActions } from '../../features/power/use-list-power.ts'
import type { Usage } from '../../features/servers/usage.ts'
import { type TFunction, useT } from '../../i18n/i18n.tsx'
import { useConfirm } from '../../ui/confirm.tsx'
import { errorMessage } from '../../ui/error-message.ts'
import { toDisplayStatus } from '../../ui/status.tsx'
import { toast } from '../../ui/toast.tsx'

/** What the bulk bar offers. */
export const bulkActions = ['start', 'restart', 'stop', 'kill', 'install'] as const
export type BulkAction = (typeof bulkActions)[number]

/** Whether the person has a permission on a server; `undefined` while that is not known. */
export type May = (id: string, flag: ServerFlag) => boolean | undefined

/** How many servers are asked at the same time. */
const atOnce = 4
/** How many names a question lists. */
const namesListed = 5

/**
 * Acts on one server or on many. By the rule of the server page, Start, Stop and Restart of one server happen at once,
 * and Kill and Install ask; whatever concerns two servers or more asks, and says how many they are.
 */
export function useActions(power: ListPower, usage: ReadonlyMap<string, Usage>, can: May) {
  const t = useT()
  const confirm = useConfirm()
  const confirmed = useConfirmedPower()
  const tell = use(ShowErrorContext)

  const act = async (server: ServerView, action: PowerAction) => {
    if (await confirmed(server.name, action, usage.get(server.id)?.status)) power.act(server, action)
  }

  /** What is known of the servers, also of those on other pages. */
  const statuses = async (servers: readonly ServerView[]): Promise<ReadonlyMap<string, ServerStatus>> => {
    const known = new Map(servers.flatMap(({ id }) => statusEntry(id, usage.get(id)?.status)))
    const unseen = servers.filter(({ id }) => !usage.has(id)).map(({ id }) => id)
    for (let first = 0; first < unseen.length; first += limits.pageSizeMax) {
      const ids = unseen.slice(first, first + limits.pageSizeMax).join(',')
      for (const { id, status, isOld } of await request(getUsage, { query: { ids } })) {
        for (const [, found] of statusEntry(id, isOld ? undefined : status)) known.set(id, found)
      }
    }
    return known
  }

  const names = (servers: readonly ServerView[]) => {
    const listed = servers.slice(0, namesListed).map(({ name }) => name)
    const others = servers.length - listed.length
    return others === 0 ? listed.join(', ') : t('servers.NamesAndOthers', { names: listed.join(', '), count: others })
  }

  /** Does something to each of the servers, a few at a time, and says what came of it. */
  const each = async (
    servers: readonly ServerView[],
    run: (server: ServerView) => Promise<unknown>,
    done: (count: number) => string,
  ) => {
    const refused = await inTurns(t, servers, run)
    const sum = done(servers.length - refused.length)
    if (refused.length === 0) toast.success(sum)
    else toast.error(sum, { detail: refused.join(' · ') })
  }

  /** Acts on those of the servers that can take the action, and says how many cannot. Whether it was done. */
  const actOnAll = async (servers: readonly ServerView[], action: BulkAction): Promise<boolean> => {
    const known = await statuses(servers)
    const able = servers.filter(({ id }) => {
      const status = known.get(id)
      const shown = usage.has(id) ? power.stateOf(id) : status ? toDisplayStatus(status) : 'unknown'
      return possibleActions(shown, status, (flag) => can(id, flag) ?? true).includes(action)
    })
    if (able.length === 0) {
      toast.error(t(`servers.NoneTo_${action}`))
      return false
    }
    const count = able.length
    const skipped = servers.length - count
    const isAsked = count > 1 || skipped > 0 || action === 'kill' || action === 'install'
    const body = (
      <>
        <p>{names(able)}</p>
        {action === 'kill' && <p>{t('servers.KillWarning')}</p>}
        {action === 'install' && <p>{t('servers.InstallWarning')}</p>}
        {skipped > 0 && <p>{t('servers.Skipped', { count: skipped })}</p>}
      </>
    )
    const label = t(`servers.Bulk_${action}`, { count })
    const question = { title: t(`servers.BulkQuestion_${action}`, { count }), body, action: label }
    if (isAsked && !(await confirm({ ...question, danger: action === 'kill' }))) return false
    await each(
      able,
      (server) => power.send(server, action),
      (done) => t(`servers.Done_${action}`, { count: done, total: count }),
    )
    return true
  }

  /** Sends a command to the console of each server that runs. Whether it was sent. */
  const sendToAll = async (servers: readonly ServerView[], command: string): Promise<void> => {
    const running = await ableToReceive(servers)
    if (running.length === 0) {
      toast.error(t('servers.NoneToCommand'))
      return
    }
    await each(
      running,
      ({ id }) => request(sendCommand, { params: { id }, body: command }),
      (done) => t('servers.Done_command', { count: done, total: running.length }),
    )
  }

  /** Those of the servers that take a command now. */
  const ableToReceive = async (servers: readonly ServerView[]): Promise<readonly ServerView[]> => {
    const known = await statuses(servers)
    return servers.filter(({ id }) => known.get(id)?.running && (can(id, 'sendServerConsole') ?? true))
  }

  return {
    act: (server: ServerView, action: PowerAction) => void act(server, action),
    actOnAll: (servers: readonly ServerView[], action: BulkAction) =>
      actOnAll(servers, action).catch((error: unknown) => {
        tell(error)
        return false
      }),
    ableToReceive,
    sendToAll: (servers: readonly ServerView[], command: string) => sendToAll(servers, command).catch(tell),
    names,
  }
}
export type Actions = ReturnType<typeof useActions>

function statusEntry(id: string, status: ServerStatus | undefined): [string, ServerStatus][] {
  return status ? [[id, status]] : []
}

/** Runs something on each server, a few at a time; answers the refusals, with the names of their servers. */
async function inTurns(
  t: TFunction,
  servers: readonly ServerView[],
  run: (server: ServerView) => Promise<unknown>,
): Promise<readonly string[]> {
  const refused: string[] = []
  const waiting = [...servers]
  const work = async () => {
    for (let server = waiting.shift(); server; server = waiting.shift()) {
      const { name } = server
      await run(server).catch((error: unknown) =>
        refused.push(t('servers.RefusedFor', { name, message: errorMessage(t, error) })),
      )
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return refused
}
