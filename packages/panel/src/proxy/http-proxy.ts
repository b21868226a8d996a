import type { Readable } from 'node:stream'
import { getUrl } from '@innkeeper/contract/api/endpoint'
import type { RequiredPermission } from '@innkeeper/contract/api/permissions'
import { cancelBackupJob } from '@innkeeper/contract/backups/backups'
import { putData, putDefinition } from '@innkeeper/contract/definitions/server-definition'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { listLivenessReports } from '@innkeeper/contract/servers/liveness-reports'
import {
  installServer,
  reloadServer,
  restartServer,
  startServer,
  WaitQuery,
} from '@innkeeper/contract/servers/node-servers'
import { listPlayerActions, playerActionEndpoints } from '@innkeeper/contract/servers/player-actions'
import {
  deleteAllPlayerSessions,
  deletePlayerSessions,
  exportPlayerSessions,
  listPlayerSessions,
  listSeenPlayers,
} from '@innkeeper/contract/servers/player-sessions'
import { getPlayerHistory, getPlayers } from '@innkeeper/contract/servers/players'
import { cancelRestartCountdown, startRestartCountdown } from '@innkeeper/contract/servers/restart-countdown'
import { getUptime } from '@innkeeper/contract/servers/stats-history'
import { createTask, putTask } from '@innkeeper/contract/servers/tasks'
import { limits } from '@innkeeper/contract/text/limits'
import type { Logger } from 'pino'
import type { AccessService } from '../access/access.ts'
import type { Principal } from '../access/principal.ts'
import type { NodesService } from '../nodes/nodes.ts'
import type { ServersService } from '../servers/servers.ts'
import { type ForwardedResponse, forwardedResponse, pickHeaders } from './node-response.ts'
import type { MatchedCall, ServerEndpoint } from './proxied-calls.ts'
import type { ActiveTransfers } from './transfers.ts'

/** A node that has received a whole file flushes it to disk before it responds. */
const uploadResponseTimeoutMs = 300_000

interface Deps {
  readonly access: Pick<AccessService, 'authorizeServer'>
  readonly nodes: Pick<NodesService, 'clientFor'>
  readonly servers: Pick<ServersService, 'refresh'>
  readonly transfers: ActiveTransfers
  readonly log: Logger
  /** Timeout of the node's response, except for endpoints that wait for a server or store a file. */
  readonly nodeCallMs?: number | undefined
}

/** A user's request to a node. */
export interface ProxyRequest {
  readonly principal: Principal
  /** The matched endpoint; absent when no node endpoint for users matches. */
  readonly matchedCall: MatchedCall | undefined
  /** The query string with `?`, or empty. */
  readonly search: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Readable | undefined
  /** Aborts the request: by the caller when the client disconnects, and by the proxy. */
  readonly abort: AbortController
}

/** Request headers to forward beside those that an endpoint declares; credentials are not among them. */
const requestHeaders = ['accept', 'content-type', 'content-length', 'content-encoding']

/** After these requests the address or type in the panel's database may be outdated. */
const changing: readonly unknown[] = [putData, putDefinition, reloadServer]

/** These calls check further permissions than their own: those of the steps of a task, of the kind of a job. */
const checksFurther: readonly unknown[] = [createTask, putTask, cancelBackupJob]

/** Nobody may start a suspended server. */
const starting: readonly unknown[] = [startServer, restartServer, installServer, startRestartCountdown]

/** Endpoints that older nodes do not have. */
const newer: readonly unknown[] = [
  ...Object.values(playerActionEndpoints),
  cancelRestartCountdown,
  deleteAllPlayerSessions,
  deletePlayerSessions,
  exportPlayerSessions,
  getPlayerHistory,
  getPlayers,
  getUptime,
  listLivenessReports,
  listPlayerActions,
  listPlayerSessions,
  listSeenPlayers,
  startRestartCountdown,
]

/** The permissions in a ticket: only those that the call needs, because an older node may not know others. */
function ticketPermissions(call: ServerEndpoint, held: ReadonlySet<RequiredPermission>): Iterable<RequiredPermission> {
  // Includes all permissions.
  if (held.has('admin')) return ['admin']
  return checksFurther.includes(call) ? held : [call.access.onServer]
}

export type HttpProxy = ReturnType<typeof httpProxy>

/**
 * Proxies users' requests to the node of their server, streaming both bodies, and rejects unauthorized requests early.
 */
export function httpProxy({ access, nodes, servers, transfers, log, nodeCallMs = limits.nodeCallMs }: Deps) {
  return {
    async forward({ principal, matchedCall, search, headers, body, abort }: ProxyRequest): Promise<ForwardedResponse> {
      if (!matchedCall) throw new Refusal('ErrNotFound')
      const { call, params } = matchedCall
      const server = await access.authorizeServer(principal, params.id, call.access.onServer)
      if (server.suspension && starting.includes(call))
        throw new Refusal('ErrServerSuspended', { reason: server.suspension.reason })
      const client = await nodes.clientFor(server.nodeId)
      const path = getUrl(call, { params: { ...params, id: server.id } }) + search

      const done = call.stream
        ? transfers.begin({
            principal,
            server: server.id,
            permission: call.access.onServer,
            end: (refusal) => abort.abort(refusal),
          })
        : () => {}
      const onBehalfOf = {
        userId: principal.userId,
        username: principal.username,
        server: server.id,
        permissions: ticketPermissions(call, server.permissions),
      }
      const request = client.proxy(onBehalfOf, {
        method: call.method,
        path,
        headers: pickHeaders(headers, requestHeaders, call.headers),
        body,
        responseTimeoutMs: findResponseTimeout(call, search, nodeCallMs),
        abort,
      })
      const response = await request.catch((error: unknown) => {
        done()
        throw error
      })
      response.body.once('close', done)
      if (response.status < 300 && changing.includes(call)) {
        await servers.refresh(server).catch((error: unknown) => {
          log.warn({ err: error, server: server.id }, 'the address of a server could not be read from its node')
        })
      }
      return await forwardedResponse({ call, server: server.id, isNew: newer.includes(call) }, response)
    },
  }
}

/** Timeout of the node's response after the whole request was sent; `undefined` means none. */
function findResponseTimeout(call: ServerEndpoint, search: string, nodeCallMs: number): number | undefined {
  if (call.noTimeout) return undefined
  // The node itself ends such a request, so it needs time to report that.
  if (isWaiting(call, search)) return limits.powerWaitMs + nodeCallMs
  return call.stream === 'request' ? uploadResponseTimeoutMs : nodeCallMs
}

function isWaiting(call: ServerEndpoint, search: string): boolean {
  if (call.query !== WaitQuery) return false
  const wait = new URLSearchParams(search).get('wait')
  return WaitQuery.parse({ wait: wait ?? undefined }).wait
}
