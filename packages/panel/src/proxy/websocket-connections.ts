import { toEnvelope } from '@innkeeper/contract/errors/refusal-envelope'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { PeriodicJob } from '@innkeeper/contract/jobs/periodic-job'
import { TokenBucket } from '@innkeeper/contract/jobs/token-bucket'
import { hasPermission, outputPurpose, socketPurpose } from '@innkeeper/contract/node-link/ticket'
import {
  closeCodes,
  permissionToReceive,
  type ServerMessage,
  socketPermissions,
} from '@innkeeper/contract/servers/live'
import { OutputRates } from '@innkeeper/contract/servers/output-rates'
import { limits } from '@innkeeper/contract/text/limits'
import type { Logger } from 'pino'
import type WebSocket from 'ws'
import type { AccessService } from '../access/access.ts'
import type { AuthorizedServer, Principal } from '../access/principal.ts'
import type { AuditRecorder } from '../activity/audit-recorder.ts'
import type { NodeClient } from '../nodes/client/node-client.ts'
import type { NodesService } from '../nodes/nodes.ts'
import type { ActivityTargets } from './activity-targets.ts'
import { findAuditedAction, terminalAction } from './audited-messages.ts'
import { type OutputReader, OutputStreams } from './output-stream.ts'
import { findChanged, type Grant } from './reauthorization.ts'
import { WebSocketBridge } from './websocket-bridge.ts'

export const maxSocketsPerUser = 200
/** Messages on one socket. */
export const socketMessageRate = { burst: 150, perSecond: 30 } as const
/** Messages on all sockets of a user. */
export const userMessageRate = { burst: 600, perSecond: 100 } as const
/** Rejected messages on one socket; more close it. */
export const rejectedMessageRate = { burst: 300, perSecond: 10 } as const
/** Buffer for all slow viewers of one user, in addition to the current frame of each. */
const maxUserBacklogBytes = 16 * 1024 * 1024
/** The same for those of all users. */
const maxBacklogBytes = 64 * 1024 * 1024

interface Deps {
  readonly access: Pick<AccessService, 'readPermissions'>
  /** Resolves the credentials of principals without a cache; those that ended are omitted. */
  readonly resolveUncached: (principals: readonly Principal[]) => Promise<Principal[]>
  readonly nodes: Pick<NodesService, 'clientFor' | 'reconcile'>
  readonly targets: Pick<ActivityTargets, 'consoleText'>
  /** Records audit log entries. */
  readonly auditRecorder: AuditRecorder
  readonly log: Logger
  /** Interval of pings to viewers; see `WebSocketBridge.ping`. */
  readonly pingEveryMs?: number | undefined
  /** Interval of re-authorization. */
  readonly recheckMs?: number | undefined
}

/** An open live socket with its authorization. */
interface Connection extends Grant {
  readonly pipe: WebSocketBridge
  /** Terminal use is recorded once per connection. */
  isTerminalRecorded: boolean
  /** The viewer knows that it has further permissions. */
  isExtensionSent: boolean
}

/** State shared by the sockets of one user. */
interface UserConnections {
  /** Open sockets, including those in their handshake. */
  sockets: number
  readonly messages: TokenBucket
}

/** All live sockets through this panel. They are re-authorized periodically, and closed when access is revoked. */
export class WebSocketConnections {
  readonly #deps: Deps
  readonly #open = new Set<Connection>()
  readonly #users = new Map<number, UserConnections>()
  readonly #outputRates = new OutputRates()
  readonly #streams: OutputStreams
  readonly #jobs: readonly PeriodicJob[]
  #isClosed = false

  constructor(deps: Deps) {
    this.#deps = deps
    this.#streams = new OutputStreams(deps.log)
    const { pingEveryMs = limits.socketPingEveryMs, recheckMs = limits.socketRecheckMs, log } = deps
    this.#jobs = [
      new PeriodicJob({
        everyMs: recheckMs,
        run: () => this.#reauthorize(),
        // During a database outage sockets stay open; the check is repeated later.
        onError: (err) => log.warn({ err }, 'open sockets could not be re-authorized'),
      }).start(),
      new PeriodicJob({
        everyMs: pingEveryMs,
        run: async () => this.#pingAll(),
        onError: (err) => log.error({ err }, 'open sockets could not be pinged'),
      }).start(),
    ]
  }

  get size(): number {
    return this.#open.size
  }

  /**
   * Connects a viewer with the node of the server. The node is connected first, so that its error can be the response;
   * `accept` then completes the viewer's handshake. `from` is the viewer's address.
   */
  async join(
    principal: Principal,
    server: AuthorizedServer<'viewServer'>,
    from: string,
    accept: () => Promise<WebSocket>,
  ): Promise<void> {
    const user = this.#getUser(principal.userId)
    if (user.sockets >= maxSocketsPerUser) throw new Refusal('ErrTooManyRequests')
    // Counted before the first await, so that concurrent handshakes cannot exceed the limit.
    user.sockets++
    try {
      const client = await this.#deps.nodes.clientFor(server.nodeId)
      const node = await client.openSocket(
        {
          userId: principal.userId,
          username: principal.username,
          permissions: [...server.permissions].filter((permission) => socketPermissions.has(permission)),
        },
        server.id,
        socketPurpose,
      )
      const viewer = await accept().catch((error: unknown) => {
        node.terminate()
        throw error
      })
      const messages = new TokenBucket(socketMessageRate)
      const refused = new TokenBucket(rejectedMessageRate)
      const pipe: WebSocketBridge = new WebSocketBridge(viewer, node, {
        backlogBytes: () =>
          Math.min(
            limits.viewerBacklogBytes,
            maxUserBacklogBytes / user.sockets,
            maxBacklogBytes / Math.max(1, this.#open.size),
          ),
        acceptsFrame: (frame) => {
          if (messages.take() && user.messages.take()) {
            void this.#audit(live, from, frame)
            return true
          }
          if (refused.take()) viewer.send(tooManyMessages)
          else pipe.end(closeCodes.tooManyMessages, 'too many messages')
          return false
        },
        onShare: (response) => output?.onNodeMessage(response),
        nextOutput: () => output?.next(),
      })
      const output = this.#joinOutput(pipe, user, client, server)
      const live: Connection = {
        pipe,
        principal,
        server: server.id,
        permissions: server.permissions,
        isTerminalRecorded: false,
        isExtensionSent: false,
      }
      this.#open.add(live)
      void pipe.drained.then(() => {
        this.#open.delete(live)
        output?.close()
        user.sockets--
      })
      // The socket may have closed during the handshake, before there was a listener.
      if (this.#isClosed || node.readyState !== node.OPEN) pipe.end(closeCodes.goingAway, '')
    } catch (error) {
      user.sockets--
      throw error
    }
  }

  /** Closes all sockets. */
  async close(): Promise<void> {
    this.#isClosed = true
    const ending = [...this.#open].map(({ pipe }) => {
      pipe.end(closeCodes.goingAway, 'the panel stops')
      return pipe.drained
    })
    await Promise.all([...this.#jobs.map((job) => job.close()), ...ending])
  }

  /** Adds a viewer to the output of its server; undefined for one that may not see it. */
  #joinOutput(
    pipe: WebSocketBridge,
    user: UserConnections,
    client: NodeClient,
    { id, permissions }: AuthorizedServer<'viewServer'>,
  ): OutputReader | undefined {
    if (!hasPermission(permissions, permissionToReceive.console)) return undefined
    const viewer = {
      userSockets: () => user.sockets,
      rate: this.#outputRates.join(user),
      requestShare: () => pipe.requestShare(),
      flush: () => pipe.flush(),
      end: (code: number, reason: string) => pipe.end(code, reason),
    }
    return this.#streams.join(id, viewer, () =>
      client.openSocket({ permissions: [permissionToReceive.console] }, id, outputPurpose),
    )
  }

  /** Records the action of a viewer's message; the node authorizes it with the same permissions. */
  async #audit(live: Connection, from: string, frame: string): Promise<void> {
    const { principal, server, permissions } = live
    const action = findAuditedAction(frame)
    if (!action) return
    if (action === terminalAction) {
      if (live.isTerminalRecorded) return
      live.isTerminalRecorded = true
    }
    const { auditRecorder, targets } = this.#deps
    const auditEntry = auditRecorder(action.call, { principal, from, params: { id: server, path: action.path } })
    const { command } = action
    if (command !== undefined) {
      const { permission } = action
      auditEntry?.describe(() => targets.consoleText(principal, server, { permission, text: command }))
    }
    if (permissions.has(action.permission)) await auditEntry?.succeeded()
    else await auditEntry?.failed(new Refusal('ErrMissingScope'))
  }

  async #reauthorize(): Promise<void> {
    await this.#deps.nodes.reconcile()
    const { revoked, extended } = await findChanged(this.#open, this.#deps)
    for (const { pipe } of revoked) pipe.end(closeCodes.revoked, 'access ended')
    // A socket keeps the permissions of its start. Viewers that want the new ones open another.
    for (const live of extended) {
      if (live.isExtensionSent) continue
      live.isExtensionSent = true
      live.pipe.notify(permissionsExtended)
    }
  }

  #getUser(userId: number): UserConnections {
    const user = this.#users.get(userId) ?? { sockets: 0, messages: new TokenBucket(userMessageRate) }
    this.#users.set(userId, user)
    return user
  }

  #pingAll(): void {
    for (const { pipe } of this.#open) pipe.ping()
    for (const [userId, { sockets, messages }] of this.#users)
      if (sockets === 0 && messages.isFull) this.#users.delete(userId)
  }
}

const permissionsExtended = JSON.stringify({ type: 'permissions', data: {} } satisfies ServerMessage)

const tooManyMessages = JSON.stringify({
  type: 'error',
  data: toEnvelope(new Refusal('ErrTooManyRequests')).error,
} satisfies ServerMessage)
