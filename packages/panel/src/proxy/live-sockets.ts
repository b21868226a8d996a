import type { Call } from '@innkeeper/contract/call'
import { deleteFile, putFile } from '@innkeeper/contract/files'
import { limits } from '@innkeeper/contract/limits'
import { closeCodes, rightOfMessage } from '@innkeeper/contract/live'
import type { ServerRight } from '@innkeeper/contract/permissions'
import { Refusal } from '@innkeeper/contract/refusals'
import type { Logger } from 'pino'
import type WebSocket from 'ws'
import type { AccessService } from '../access/access.ts'
import type { Allowed, Caller } from '../access/caller.ts'
import type { Witness } from '../activity/witness.ts'
import type { NodesService } from '../nodes/nodes.ts'
import { type Ground, withdrawn } from './grounds.ts'
import { Pipe } from './pipe.ts'

interface Needs {
  readonly access: Pick<AccessService, 'rightsOn'>
  /** Whom those of the callers' credentials that are live speak for now, past every cache. */
  readonly currentCallers: (callers: readonly Caller[]) => Promise<Caller[]>
  readonly nodes: Pick<NodesService, 'clientFor' | 'lookAgain'>
  /** Sees what people do. */
  readonly witness: Witness
  readonly log: Logger
}

/** An open live socket, and on what grounds it was opened. */
interface Live extends Ground {
  readonly pipe: Pipe
}

/** Every live socket that passes through this panel. Their grounds are looked at again and again: revoked is closed. */
export class LiveSockets {
  readonly #needs: Needs
  readonly #open = new Set<Live>()
  readonly #timers: readonly NodeJS.Timeout[]
  #isLooking = false
  #isClosed = false

  constructor(needs: Needs) {
    this.#needs = needs
    this.#timers = [
      setInterval(() => void this.#lookAgain(), limits.socketRecheckMs),
      setInterval(() => this.#pingAll(), limits.socketPingEveryMs),
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
    const held = [...this.#open].filter((live) => live.caller.userId === caller.userId).length
    if (held >= limits.socketsPerUser) throw new Refusal('ErrTooManyRequests')
    const client = await this.#needs.nodes.clientFor(server.nodeId)
    const node = await client.openSocket({ userId: caller.userId, rights: server.rights }, server.id)
    const viewer = await accept().catch((error: unknown) => {
      node.terminate()
      throw error
    })

    const live: Live = { pipe: new Pipe(viewer, node), caller, server: server.id, rights: server.rights }
    this.#open.add(live)
    viewer.on('message', (data, isBinary) => {
      if (!isBinary) void this.#see(live, from, String(data))
    })
    void live.pipe.ended.then(() => this.#open.delete(live))
    // Nobody heard it if that happened while the viewer was taken in.
    if (this.#isClosed || node.readyState !== node.OPEN) live.pipe.end(closeCodes.goingAway, '')
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
  async #see({ caller, server, rights }: Live, from: string, frame: string): Promise<void> {
    const act = actIn(frame)
    if (!act) return
    const doing = this.#needs.witness(act.call, { caller, from, params: { id: server, path: act.path } })
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

  #pingAll(): void {
    for (const { pipe } of this.#open) pipe.ping()
  }
}

const acts = ['console', 'start', 'stop', 'kill', 'restart', 'install', 'reload'] as const
const fileActs = new Map<unknown, Pick<Call, 'method' | 'path'>>([
  ['create', putFile],
  ['delete', deleteFile],
])

interface Act {
  /** What it would be as a call. */
  readonly call: Pick<Call, 'method' | 'path'>
  readonly right: ServerRight
  readonly path?: unknown
}

/** What a message does to a server; `undefined` for one that only asks to be told something. */
function actIn(frame: string): Act | undefined {
  try {
    const message = JSON.parse(frame) as { type?: unknown; action?: unknown; path?: unknown } | null
    const [type, action] = [message?.type ?? message?.action, message?.action].map((word) => String(word).toLowerCase())
    const file = type === 'file' ? fileActs.get(action) : undefined
    if (file) return { call: file, right: putFile.access.onServer, path: message?.path }
    const act = acts.find((act) => act === type)
    return act && { call: { method: 'POST', path: `/daemon/server/:id/${act}` }, right: rightOfMessage[act] }
  } catch {
    // What is no JSON is the node's to refuse.
    return undefined
  }
}
