import { PeriodicJob } from '@innkeeper/contract/jobs/periodic-job'
import { leaseMs, leasePingMs, ServerStates } from '@innkeeper/contract/node-link/server-states'
import type { ServerUsage } from '@innkeeper/contract/servers/servers'
import { safeParseJson } from '@innkeeper/contract/text/parse-json'
import WebSocket from 'ws'

/** After a node did not open the socket, because it is older or away. */
const retryMs = 10_000
/** The socket is closed after this time without a request for a state. */
const idleMs = 60_000
/** The connection is cut. */
const silenceMs = 2 * leaseMs
/** More than a node has. */
const maxServers = 20_000

/** The states of the servers of a node, as the node sends them; see `server-states.ts` in the contract. */
export class NodeStates {
  readonly #open: () => Promise<WebSocket>
  readonly #servers = new Map<string, ServerUsage>()
  #socket: WebSocket | undefined
  #isOpening = false
  #retryAt = 0
  #askedAt = 0
  #answeredAt = 0
  /** What has arrived is current until then, by `performance.now()`. */
  #currentUntil = 0

  /** Opens the socket, paused. */
  constructor(open: () => Promise<WebSocket>) {
    this.#open = open
  }

  /**
   * The current state of a server; `usage` is undefined when the node does not have the server. Returns undefined when the
   * state has to be requested from the node.
   */
  find(id: string): { readonly usage: ServerUsage | undefined } | undefined {
    const now = performance.now()
    this.#askedAt = now
    if (!this.#socket && !this.#isOpening && now >= this.#retryAt) void this.#start()
    return now < this.#currentUntil ? { usage: this.#servers.get(id) } : undefined
  }

  async #start(): Promise<void> {
    this.#isOpening = true
    try {
      this.#use(await this.#open())
    } catch {
      // The requests that are sent instead report what is wrong with the node.
      this.#retryAt = performance.now() + retryMs
    }
    this.#isOpening = false
  }

  #use(socket: WebSocket): void {
    if (socket.readyState !== WebSocket.OPEN) return
    this.#socket = socket
    const pings = new PeriodicJob({
      everyMs: leasePingMs,
      run: async () => this.#ping(socket),
      onError: () => socket.terminate(),
    }).start()
    socket.on('message', (data) => {
      if (!this.#receive(String(data))) socket.terminate()
    })
    this.#answeredAt = performance.now()
    socket.on('pong', (sentAt) => {
      this.#answeredAt = performance.now()
      this.#currentUntil = Math.min(Number(sentAt.toString()), performance.now()) + leaseMs
    })
    // The pong means that everything before it has been read.
    socket.on('ping', (data) => socket.pong(data))
    socket.on('error', () => socket.terminate())
    socket.once('close', () => {
      void pings.close()
      this.#currentUntil = 0
      this.#servers.clear()
      this.#socket = undefined
    })
    socket.resume()
    void pings.run()
  }

  /** Returns false for what this panel does not understand. */
  #receive(message: string): boolean {
    const { data } = safeParseJson(ServerStates, message)
    if (!data) return false
    for (const usage of data.servers) this.#servers.set(usage.id, usage)
    for (const id of data.removed) this.#servers.delete(id)
    return this.#servers.size <= maxServers
  }

  #ping(socket: WebSocket): void {
    const now = performance.now()
    if (now > this.#askedAt + idleMs) socket.close()
    else if (now > this.#answeredAt + silenceMs) socket.terminate()
    else socket.ping(String(now))
  }
}
