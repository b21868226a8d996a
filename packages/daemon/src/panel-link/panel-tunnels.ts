import { performServerHandshake, type ServerHttp2Session } from 'node:http2'
import type { Duplex } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { keepTunnelAlive, tunnelSessionOptions } from '@innkeeper/contract/node-link/tunnel'
import type { Logger } from 'pino'
import type { DialedPanel } from './dial-panel.ts'

/** After a failure. Doubles from the first value to the second; each wait is a random part of it. */
const retryMs = 1_000
const maxRetryMs = 30_000
/** Between attempts to reach a panel to which there is no tunnel, of several behind one address. */
const otherPanelMs = 250
const maxOtherPanels = 20

interface Deps {
  /** Opens a connection to any panel; `held` are those to which there are tunnels. */
  readonly dial: (held: readonly string[]) => Promise<DialedPanel>
  /** Serves a connection of a panel. */
  readonly accept: (connection: Duplex) => void
  readonly log: Logger
  readonly pings?: Parameters<typeof keepTunnelAlive>[1]
}

/** The tunnels of this node, one to each panel that does not reach it: see `tunnel.ts` in the contract. */
export class PanelTunnels {
  readonly #deps: Deps
  readonly #sessions = new Map<string, ServerHttp2Session>()
  readonly #closing = new AbortController()
  readonly #listeners = new Set<() => void>()
  #dialing: Promise<void> | undefined
  /** The last error, so that it is logged once. */
  #lastError: string | undefined

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** A panel does not reach this node: opens a tunnel to a panel that has none. */
  open(): void {
    if (this.#closing.signal.aborted) return
    this.#dialing ??= this.#dial().finally(() => {
      this.#dialing = undefined
    })
  }

  /** Calls the listener after each opened tunnel: a report may arrive at another panel, which needs one too. */
  onOpened(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  async close(): Promise<void> {
    this.#closing.abort()
    for (const session of this.#sessions.values()) session.destroy()
    await this.#dialing
  }

  async #dial(): Promise<void> {
    const { dial, log } = this.#deps
    const { signal } = this.#closing
    let [wait, others] = [retryMs, 0]
    while (!signal.aborted) {
      try {
        const { panelId, connection } = await dial([...this.#sessions.keys()])
        this.#lastError = undefined
        if (connection) return this.#serve(panelId, connection)
        // The next report says whether a panel still has none.
        if (++others === maxOtherPanels) return
        await pause(otherPanelMs, undefined, { signal }).catch(() => {})
      } catch (error) {
        const text = error instanceof Error ? error.message : String(error)
        if (text !== this.#lastError) log.warn({ err: error }, 'failed to open a tunnel to the panel, retrying')
        this.#lastError = text
        await pause(wait * (0.5 + Math.random() / 2), undefined, { signal }).catch(() => {})
        wait = Math.min(wait * 2, maxRetryMs)
      }
    }
  }

  #serve(panelId: string, connection: Duplex): void {
    const { accept, log, pings } = this.#deps
    if (this.#closing.signal.aborted) {
      connection.destroy()
      return
    }
    // The panel has replaced the earlier one.
    this.#sessions.get(panelId)?.destroy()
    const session = performServerHandshake(connection, tunnelSessionOptions)
    this.#sessions.set(panelId, session)
    session.once('connect', () => keepTunnelAlive(session, pings))
    session.on('error', (error: Error) => log.info({ err: error }, 'a tunnel to a panel failed'))
    session.on('stream', (stream, headers) => {
      // Whoever reads the connection gets the error.
      stream.on('error', () => {})
      if (headers[':method'] !== 'CONNECT') {
        stream.close()
        return
      }
      stream.respond({ ':status': 200 })
      accept(stream)
    })
    session.once('close', () => {
      connection.destroy()
      if (this.#sessions.get(panelId) !== session) return
      this.#sessions.delete(panelId)
      log.info('a tunnel to a panel has ended')
      // All nodes lose theirs at once when a panel restarts.
      void pause(Math.random() * retryMs, undefined, { signal: this.#closing.signal })
        .then(() => this.open())
        .catch(() => {})
    })
    log.info('opened a tunnel to a panel that does not reach this node')
    for (const listener of this.#listeners) listener()
  }
}
