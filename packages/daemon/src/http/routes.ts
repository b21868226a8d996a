import { Readable } from 'node:stream'
import { parseVersion } from '@innkeeper/contract/api/endpoint'
import { getData, getDefinition, putData, putDefinition } from '@innkeeper/contract/definitions/server-definition'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { hasPermission, type TicketPermissions } from '@innkeeper/contract/node-link/ticket'
import { downloadConsole, getConsoleHistory, searchConsole } from '@innkeeper/contract/servers/console-history'
import { getLivenessReport, listLivenessReports } from '@innkeeper/contract/servers/liveness-reports'
import * as calls from '@innkeeper/contract/servers/node-servers'
import { getPlayerHistory, getPlayers } from '@innkeeper/contract/servers/players'
import { getStatsHistory, getUptime } from '@innkeeper/contract/servers/stats-history'
import type { PowerAction } from '../lifecycle/rules.ts'
import type { GameQueries } from '../players/game-queries.ts'
import { toOnlinePlayer } from '../players/sessions/session-lists.ts'
import { waitForPower } from '../servers/power-wait.ts'
import type { Registry } from '../servers/registry.ts'
import { findUserId } from '../servers/task-owners.ts'
import { setAttachmentHeaders } from './requests/file-response.ts'
import { type Serve, StreamResponse } from './requests/serve.ts'

interface Deps {
  readonly servers: Registry
  readonly games: Pick<GameQueries, 'look' | 'find'>
  readonly powerWaitMs: number
}

/** The endpoints of one server. */
export function serverRoutes(serve: Serve, { servers, games, powerWaitMs }: Deps): void {
  serve(getDefinition, ({ params, reply }) => {
    const { definition, version } = servers.get(params.id).definition.current
    reply.header('ETag', `"${version}"`)
    return definition
  })
  serve(putDefinition, async ({ params, body, header, reply, sub }) => {
    const version = await servers
      .get(params.id)
      .definition.replace(body, findUserId(sub), parseVersion(header('if-match')))
    reply.header('ETag', `"${version}"`)
  })
  serve(getData, ({ params, permissions, reply }) => {
    const server = servers.get(params.id)
    reply.header('ETag', `"${server.definition.current.version}"`)
    return server.definition.data(getVisibility(permissions))
  })
  serve(putData, async ({ params, body, permissions, header, reply }) => {
    const server = servers.get(params.id)
    const version = await server.definition.setData(
      body.data,
      getVisibility(permissions),
      parseVersion(header('if-match')),
    )
    reply.header('ETag', `"${version}"`)
  })
  serve(calls.getStatus, ({ params }) => servers.get(params.id).status)
  serve(calls.getStats, ({ params }) => servers.get(params.id).stats)
  serve(calls.getConsole, ({ params, query: { time, from } }) => {
    const { console } = servers.get(params.id)
    return from === undefined ? console.since(parseSeconds(time)) : console.after(from)
  })
  serve(getPlayers, ({ params: { id } }) => {
    const server = servers.get(id)
    games.look()
    // While the server sleeps, what its game has answered last: that nobody plays.
    const status = games.find(id) ?? server.sleep?.game
    return {
      isAsked: server.gameQuery !== undefined,
      ...(status && { status }),
      online: server.playerSessions.online.map(toOnlinePlayer),
      hasPatterns: server.hasPlayerPatterns,
    }
  })
  serve(getStatsHistory, async ({ params, query, permissions }) => {
    const { players, playersPeak, ...series } = await servers.get(params.id).statsHistory.series(query.range)
    return hasPermission(permissions, 'viewServerPlayers') ? { ...series, players, playersPeak } : series
  })
  serve(getUptime, ({ params }) => servers.get(params.id).statsHistory.uptime())
  serve(getPlayerHistory, async ({ params }) => {
    const { fromMs, stepMs, players, playersPeak } = await servers.get(params.id).statsHistory.series('month')
    return { fromMs, stepMs, players, playersPeak }
  })
  serve(listLivenessReports, ({ params }) => servers.get(params.id).livenessReports.list())
  serve(getLivenessReport, ({ params }) => servers.get(params.id).livenessReports.get(params.report))
  serve(getConsoleHistory, async ({ params, query }) => {
    const { records, ...page } = await servers.get(params.id).console.page(query.before)
    const logs = records.map(({ from, epoch, text }) => ({ from, epoch: Math.floor(epoch), text: text.toString() }))
    return { ...page, logs }
  })
  serve(searchConsole, async ({ params, query }) => {
    const { found, ...more } = await servers.get(params.id).console.search(query.text, query.before)
    return { ...more, found: found.map((line) => ({ ...line, epoch: Math.floor(line.epoch) })) }
  })
  serve(downloadConsole, ({ params, reply }) => {
    const { id, console } = servers.get(params.id)
    setAttachmentHeaders(reply, `${id}.log`)
    return new StreamResponse(Readable.from(console.wholeText()))
  })
  serve(calls.sendCommand, ({ params, body, username }) => servers.get(params.id).send(body, username))
  serve(calls.reloadServer, ({ params, sub }) => servers.get(params.id).definition.reload(findUserId(sub)))

  serve(calls.startServer, powerHandler('start'))
  serve(calls.stopServer, powerHandler('stop'))
  serve(calls.restartServer, powerHandler('restart'))
  serve(calls.killServer, powerHandler('kill'))
  serve(calls.installServer, powerHandler('install'))

  /** Responds at once, or with `wait` when the action has completed; with ErrPowerTooSlow after a timeout. */
  function powerHandler(action: PowerAction) {
    return async ({ params, query, reply }: Power): Promise<void> => {
      const { ended } = servers.get(params.id).power(action)
      if (!query.wait) return
      await waitForPower(ended, { action, withinMs: powerWaitMs })
      reply.status(204)
    }
  }
}

interface Power {
  readonly params: { readonly id: string }
  readonly query: { readonly wait: boolean }
  readonly reply: { status(status: number): void }
}

const getVisibility = (permissions: TicketPermissions) => (hasPermission(permissions, 'admin') ? 'all' : 'users')

function parseSeconds(text: string | undefined): number {
  const seconds = text === undefined || text === '' ? 0 : Number(text)
  if (!Number.isFinite(seconds) || seconds < 0) throw new Refusal('ErrInvalidUnixTime')
  return seconds
}
