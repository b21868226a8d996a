import type { Readable } from 'node:stream'
import { type Method, urlOf } from '@innkeeper/contract/call'
import { limits } from '@innkeeper/contract/limits'
import { putData, putDefinition, reloadServer, Wait } from '@innkeeper/contract/node-servers'
import { Refusal } from '@innkeeper/contract/refusals'
import type { Logger } from 'pino'
import type { AccessService } from '../access/access.ts'
import type { Caller } from '../access/caller.ts'
import type { NodeAnswer } from '../nodes/node-client.ts'
import type { NodesService } from '../nodes/nodes.ts'
import type { ServersService } from '../servers/servers.ts'
import { nodeCallAt, type ServersCall } from './node-calls.ts'

interface Needs {
  readonly access: Pick<AccessService, 'allow'>
  readonly nodes: Pick<NodesService, 'clientFor'>
  readonly servers: Pick<ServersService, 'refresh'>
  readonly log: Logger
}

/** A person's request for a node, as it came. */
export interface Asked {
  readonly caller: Caller
  readonly method: string
  /** From `/daemon` on, as it was sent. */
  readonly path: string
  /** The query as it was sent, with its `?`, or nothing. */
  readonly search: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Readable | undefined
  /** Ends when the person leaves. */
  readonly signal: AbortSignal
}

/** Headers that mean something to a node; credentials and those of one connection are not among them. */
const passedOn = [
  'accept',
  'content-type',
  'content-length',
  'content-encoding',
  'if-match',
  'if-none-match',
  'if-modified-since',
  'if-range',
  'range',
]

/** Headers of a node's answer that mean something to a person's program. */
const passedBack = [
  'content-type',
  'content-length',
  'content-disposition',
  'content-encoding',
  'content-range',
  'accept-ranges',
  'etag',
  'last-modified',
  'retry-after',
]

/** After these the panel's own row of the server may be out of date. */
const changing: readonly unknown[] = [putData, putDefinition, reloadServer]

export type RequestsService = ReturnType<typeof requestsService>

/** Passes people's calls on to the node of their server, both ways as streams, and refuses early what may not pass. */
export function requestsService({ access, nodes, servers, log }: Needs) {
  return {
    async pass({ caller, method, path, search, headers, body, signal }: Asked): Promise<NodeAnswer> {
      const found = nodeCallAt(method, path)
      if (!found) throw new Refusal('ErrNotFound')
      const { call, params } = found
      const server = await access.allow(caller, params.id, call.access.onServer)

      const bearer = { userId: caller.userId, server: server.id, rights: server.rights }
      const answer = await nodes.clientFor(server.nodeId).pass(bearer, {
        method: method as Method,
        path: urlOf(call, { params: { ...params, id: server.id } }) + search,
        headers: pick(headers, passedOn),
        body,
        answerWithinMs: isWaiting(call, search) ? undefined : limits.nodeCallMs,
        signal,
      })
      // That the node does not believe our ticket is no reason to log a person out.
      if (answer.status === 401) {
        answer.body.resume()
        throw new Refusal('ErrServiceNotAvailable', {}, { cause: new Error('The node refused our ticket.') })
      }

      if (answer.status < 300 && changing.includes(call)) {
        await servers.refresh(server).catch((error: unknown) => {
          log.warn({ err: error, server: server.id }, 'the address of a server could not be read from its node')
        })
      }
      return { ...answer, headers: pick(answer.headers, passedBack) }
    },
  }
}

function isWaiting(call: ServersCall, search: string): boolean {
  const wait = new URLSearchParams(search).get('wait')
  return call.query === Wait && Wait.parse({ wait: wait ?? undefined }).wait
}

function pick(headers: Asked['headers'], names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = headers[name]
      return value === undefined ? [] : [[name, String(value)]]
    }),
  )
}
