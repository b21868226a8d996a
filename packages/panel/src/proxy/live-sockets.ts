import type { Endpoint } from '@innkeeper/contract/endpoint'
import { deleteFile, putFile } from '@innkeeper/contract/files'
import { limits } from '@innkeeper/contract/limits'
import { closeCodes, permissionOfMessage, type ServerMessage } from '@innkeeper/contract/live'
import type { RequiredPermission } from '@innkeeper/contract/permissions'
import { envelopeOf } from '@innkeeper/contract/refusal-envelope'
import { Refusal } from '@innkeeper/contract/refusals'
import { TokenBucket } from '@innkeeper/contract/token-bucket'
import type { Logger } from 'pino'
import type WebSocket from 'ws'
import type { AccessService } from '../access/access.ts'
import type { Allowed, Caller } from '../access/caller.ts'
import type { Witness } from '../activity/witness.ts'
import type { NodesService } from '../nodes/nodes.ts'
import type { ActivityTargets } from './activity-targets.ts'
import { type Ground, withdrawn } from './grounds.ts'
import { Pipe } from './pipe.ts'

interface Needs {
  readonly access: Pick<AccessService, 'rightsOn'>
  /** Whom those of the callers' credentials that are live speak for now, past every cache. */
  readonly currentCallers: (callers: readonly Caller[]) => Promise<Caller[]>
  readonly nodes: Pick<NodesService, 'clientFor' | 'lookAgain'>
  readonly targets: Pick<ActivityTargets, 'command'>
  /** Sees what people do. */
  readonly witness: Witness
  readonly log: Logger
  /** How often viewers are asked for a sign of life; see `Pipe.ping`. */
  readonly pingEveryMs?: number | undefined
  /** How often the grounds of open sockets are checked again. */
  readonly recheckMs?: number | undefined
}

/** An open live socket, and on what grounds it was opened. */
interface Live extends Ground {
  readonly pipe: Pipe
  /** That this viewer uses the terminal is recorded once. */
  isTerminalRecorded: boolean
}

/** What the sockets of one user have in common. */
interface UserSockets {
  /** Those that are open, and those whose handshake is not through. */
  sockets: number
  readonly messages: TokenBucket
}

/** Every live socket that passes through this panel. Their grounds are looked at again and again: revoked is closed. */
export class LiveSockets {
  readonly #needs: Needs
  readonly #open = new Set<Live>()
  readonly #users = new Map<number, UserSockets>()
  readonly #timers: readonly NodeJS.Timeout[]
  #isLooking = false
  #isClosed = false

  constructor(needs: Needs) {
    this.#needs = needs
    const { pingEveryMs = limits.socketPingEveryMs, recheckMs = limits.socketRecheckMs } = needs
    this.#timers = [
      setInterval(() => void this.#lookAgain(), recheckMs),
      setInterval(() => this.#pingAll(), pingEveryMs),
    ]
    for (const timer of this.#timers) timer.unref()
  }

  get size(): number {
    return this.#open.size
  }

  /**
   * Joins a viewer with the node of the server. The node is asked first, so that its refusal can still be an answer;
   * `accept` then takes the viewer's handshake. `from` is the viewer's address.
   */
  async join(
    caller: Caller,
    server: Allowed<'viewServer'>,
    from: string,
    accept: () => Promise<WebSocket>,
  ): Promise<void> {
    const user = this.#userOf(caller.userId)
    if (user.sockets >= limits.socketsPerUser) throw new Refusal('ErrTooManyRequests')
    // Counted before anything is waited for: many handshakes at once are no way around the limit.
    user.sockets++
    try {
      const client = await this.#needs.nodes.clientFor(server.nodeId)
      const node = await client.openSocket(
        { userId: caller.userId, username: caller.username, rights: server.rights },
        server.id,
      )
      const viewer = await accept().catch((error: unknown) => {
        node.terminate()
        throw error
      })
      const messages = new TokenBucket(limits.socketMessages)
      const refused = new TokenBucket(limits.refusedMessages)
      const pipe: Pipe = new Pipe(viewer, node, {
        backlogBytes: () => Math.min(limits.viewerBacklogBytes, limits.userBacklogBytes / user.sockets),
        accepts: (frame) => {
          if (messages.take() && user.messages.take()) {
            void this.#see(live, from, frame)
            return true
          }
          if (refused.take()) viewer.send(tooManyMessages)
          else pipe.end(closeCodes.tooManyMessages, 'too many messages')
          return false
        },
      })
      const live: Live = { pipe, caller, server: server.id, rights: server.rights, isTerminalRecorded: false }
      this.#open.add(live)
      void pipe.ended.then(() => {
        this.#open.delete(live)
        user.sockets--
      })
      // Nobody heard it if that happened while the viewer was taken in.
      if (this.#isClosed || node.readyState !== node.OPEN) pipe.end(closeCodes.goingAway, '')
    } catch (error) {
      user.sockets--
      throw error
    }
  }

  /** Sends everybody away. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const timer of this.#timers) clearInterval(timer)
    const ending = [...this.#open].map(({ pipe }) => {
      pipe.end(closeCodes.goingAway, 'the panel stops')
      return pipe.ended
    })
    await Promise.all(ending)
  }

  /** Writes down what a viewer asks of the server; the node judges it by the same rights. */
  async #see(live: Live, from: string, frame: string): Promise<void> {
    const { caller, server, rights } = live
    const act = actIn(frame)
    if (!act) return
    if (act === terminalAct) {
      if (live.isTerminalRecorded) return
      live.isTerminalRecorded = true
    }
    const { witness, targets } = this.#needs
    const doing = witness(act.call, { caller, from, params: { id: server, path: act.path } })
    const { command } = act
    if (command !== undefined) doing?.describe(() => targets.command(caller, server, command))
    if (rights.has(act.right)) await doing?.succeeded()
    else await doing?.ended(new Refusal('ErrMissingScope'))
  }

  async #lookAgain(): Promise<void> {
    if (this.#isLooking) return
    this.#isLooking = true
    try {
      await this.#needs.nodes.lookAgain()
      for (const { pipe } of await withdrawn(this.#open, this.#needs)) pipe.end(closeCodes.revoked, 'access ended')
    } catch (error) {
      // A database that is away for a moment takes nobody's console; it will be asked again.
      this.#needs.log.warn({ err: error }, 'the grounds of open sockets could not be looked at')
    } finally {
      this.#isLooking = false
    }
  }

  #userOf(userId: number): UserSockets {
    const user = this.#users.get(userId) ?? { sockets: 0, messages: new TokenBucket(limits.userMessages) }
    this.#users.set(userId, user)
    return user
  }

  #pingAll(): void {
    for (const { pipe } of this.#open) pipe.ping()
    for (const [userId, { sockets, messages }] of this.#users)
      if (sockets === 0 && messages.isFull) this.#users.delete(userId)
  }
}

const tooManyMessages = JSON.stringify({
  type: 'error',
  data: envelopeOf(new Refusal('ErrTooManyRequests')).error,
} satisfies ServerMessage)

const acts = ['console', 'start', 'stop', 'kill', 'restart', 'install', 'reload'] as const
const fileActs = new Map<unknown, Pick<Endpoint, 'method' | 'path'>>([
  ['create', putFile],
  ['delete', deleteFile],
])

interface Act {
  /** What it would be as a call. */
  readonly call: Pick<Endpoint, 'method' | 'path'>
  readonly right: RequiredPermission
  readonly path?: unknown
  /** What is sent to the console. */
  readonly command?: string | undefined
}

/** Keystrokes are no commands: of a terminal only that it was opened is recorded. */
const terminalAct: Act = {
  call: { method: 'POST', path: '/daemon/server/:id/terminal' },
  right: permissionOfMessage.input,
}

/** What a message does to a server; `undefined` for one that only asks to be told something. */
function actIn(frame: string): Act | undefined {
  try {
    const message = JSON.parse(frame) as { type?: unknown; action?: unknown; path?: unknown; command?: unknown } | null
    const [type, action] = [message?.type ?? message?.action, message?.action].map((word) => String(word).toLowerCase())
    const file = type === 'file' ? fileActs.get(action) : undefined
    if (type === 'resize' || type === 'input') return terminalAct
    if (file) return { call: file, right: putFile.access.onServer, path: message?.path }
    const act = acts.find((act) => act === type)
    const command = act === 'console' ? String(message?.command ?? '').slice(0, limits.commandBytes) : undefined
    return (
      act && { call: { method: 'POST', path: `/daemon/server/:id/${act}` }, right: permissionOfMessage[act], command }
    )
  } catch {
    // What is no JSON is the node's to refuse.
    return undefined
  }
}
