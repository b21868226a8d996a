import type { Readable } from 'node:stream'
import { urlOf } from '@innkeeper/contract/endpoint'
import { limits } from '@innkeeper/contract/limits'
import { putData, putDefinition, reloadServer, Wait } from '@innkeeper/contract/node-servers'
import { Refusal } from '@innkeeper/contract/refusals'
import type { Logger } from 'pino'
import type { AccessService } from '../access/access.ts'
import type { Principal } from '../access/principal.ts'
import type { NodeResponse } from '../nodes/node-client.ts'
import type { NodesService } from '../nodes/nodes.ts'
import type { ServersService } from '../servers/servers.ts'
import type { MatchedCall, ServerEndpoint } from './proxied-calls.ts'
import type { ActiveTransfers } from './transfers.ts'

interface Deps {
  readonly access: Pick<AccessService, 'authorizeServer'>
  readonly nodes: Pick<NodesService, 'clientFor'>
  readonly servers: Pick<ServersService, 'refresh'>
  readonly passes: ActiveTransfers
  readonly log: Logger
  /** How long a node may take to answer a call that does not wait for a server or store a file. */
  readonly nodeCallMs?: number | undefined
}

/** A person's request for a node, as it came. */
export interface ProxyRequest {
  readonly principal: Principal
  /** What is asked for; nothing that a node serves for people when absent. */
  readonly matchedCall: MatchedCall | undefined
  /** The query as it was sent, with its `?`, or nothing. */
  readonly search: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Readable | undefined
  /** Ends when the person leaves. */
  readonly signal: AbortSignal
}

/** Headers that mean something to a node; credentials and those of one connection are not among them. */
const requestHeaders = [
  'accept',
  'content-type',
  'content-length',
  'content-encoding',
  'if-match',
  'if-none-match',
  'if-modified-since',
  'if-range',
  'range',
  'tus-resumable',
  'upload-length',
  'upload-offset',
  'upload-metadata',
  'upload-defer-length',
]

/** Headers of a node's answer that mean something to a person's program. */
const responseHeaders = [
  'content-type',
  'content-length',
  'content-disposition',
  'content-encoding',
  'content-range',
  'accept-ranges',
  'etag',
  'last-modified',
  'retry-after',
  'location',
  'tus-resumable',
  'tus-version',
  'tus-extension',
  'tus-max-size',
  'upload-length',
  'upload-offset',
  'upload-metadata',
  'upload-expires',
]

/** Bytes of a server are saved and never shown, whatever a node says of them. */
const downloadHeaders = {
  'content-security-policy': "default-src 'none'; sandbox",
  'x-content-type-options': 'nosniff',
} as const

/** After these the panel's own row of the server may be out of date. */
const changing: readonly unknown[] = [putData, putDefinition, reloadServer]

export type HttpProxy = ReturnType<typeof httpProxy>

/** Passes people's calls on to the node of their server, both ways as streams, and refuses early what may not pass. */
export function httpProxy({ access, nodes, servers, passes, log, nodeCallMs = limits.nodeCallMs }: Deps) {
  return {
    async forward({ principal, matchedCall, search, headers, body, signal }: ProxyRequest): Promise<NodeResponse> {
      if (!matchedCall) throw new Refusal('ErrNotFound')
      const { call, params } = matchedCall
      const server = await access.authorizeServer(principal, params.id, call.access.onServer)
      const client = await nodes.clientFor(server.nodeId)
      const path = urlOf(call, { params: { ...params, id: server.id } }) + search

      const revoked = new AbortController()
      const done = call.stream
        ? passes.begin({
            principal,
            server: server.id,
            right: call.access.onServer,
            end: (refusal) => revoked.abort(refusal),
          })
        : () => {}
      const bearer = {
        userId: principal.userId,
        username: principal.username,
        server: server.id,
        rights: server.rights,
      }
      const asking = client.proxy(bearer, {
        method: call.method,
        path,
        headers: pick(headers, requestHeaders),
        body,
        responseTimeoutMs: responseTimeoutOf(call, search, nodeCallMs),
        signal: AbortSignal.any([signal, revoked.signal]),
      })
      const answer = await asking.catch((error: unknown) => {
        done()
        throw error
      })
      answer.body.once('close', done)
      // That the node does not believe our ticket is no reason to log a person out, and a node sends nobody elsewhere.
      if (answer.status === 401 || (answer.status >= 300 && answer.status < 400 && answer.status !== 304)) {
        answer.body.resume()
        const cause = new Error(`The node answered ${answer.status}.`)
        throw new Refusal('ErrServiceNotAvailable', {}, { cause })
      }

      if (answer.status < 300 && changing.includes(call)) {
        await servers.refresh(server).catch((error: unknown) => {
          log.warn({ err: error, server: server.id }, 'the address of a server could not be read from its node')
        })
      }
      const told = pick(answer.headers, responseHeaders)
      return { ...answer, headers: call.stream === 'response' ? forceDownload(told) : told }
    },
  }
}

/** How long a node may take to answer once it has everything; `undefined` is as long as it takes. */
function responseTimeoutOf(call: ServerEndpoint, search: string, nodeCallMs: number): number | undefined {
  if (call.noTimeout) return undefined
  // The node itself ends such a wait, and must have the time to say so.
  if (isWaiting(call, search)) return limits.powerWaitMs + nodeCallMs
  return call.stream === 'request' ? limits.nodeFlushMs : nodeCallMs
}

function forceDownload(headers: Record<string, string>): Record<string, string> {
  if (headers['content-type']?.startsWith('application/json')) return { ...headers, ...downloadHeaders }
  const disposition = headers['content-disposition'] ?? ''
  return {
    ...headers,
    ...downloadHeaders,
    'content-type': 'application/octet-stream',
    'content-disposition': disposition.startsWith('attachment;') ? disposition : 'attachment',
  }
}

function isWaiting(call: ServerEndpoint, search: string): boolean {
  const wait = new URLSearchParams(search).get('wait')
  return call.query === Wait && Wait.parse({ wait: wait ?? undefined }).wait
}

function pick(headers: ProxyRequest['headers'], names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = headers[name]
      return value === undefined ? [] : [[name, String(value)]]
    }),
  )
}
