import { connect, Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { killTimeoutMs } from '../../proc/kill-tree.ts'
import { isAlive } from '../../proc/process-stat.ts'
import { FrameReader, frame } from '../frames.ts'
import {
  type FromKeeper,
  type KeeperState,
  keeperLimits,
  type RunFolder,
  type RunReport,
  type StartRequest,
  type ToKeeper,
} from '../protocol.ts'
import type { ClientRun, RunConnection } from './client-run.ts'

/** Timeout of a response of the keeper. */
const responseTimeoutMs = 10_000

const reconnectAfterMs = 200
/** Limit for unsent messages, so that a keeper that does not read cannot exhaust the daemon's memory. */
const unsentBytes = 16 * 1024 * 1024

type Welcome = Extract<FromKeeper, { is: 'welcome' }>
type Refused = Extract<FromKeeper, { is: 'refused' }>

interface Deps {
  readonly folder: RunFolder
  readonly log: { warn(details: object, text: string): void }
  readonly getRun: (report: RunReport, connection: RunConnection) => ClientRun
  /** The keeper has died, or another daemon has taken it over. Called once. */
  readonly onLost: (connection: KeeperConnection, why: 'died' | 'replaced') => void
}

/** The daemon's connection to one keeper. */
export class KeeperConnection implements RunConnection {
  readonly state: KeeperState
  readonly #deps: Deps
  readonly #runs = new Map<string, ClientRun>()
  readonly #starting = new Map<string, PromiseWithResolvers<RunReport | Refused>>()
  /** Destroyed while not connected. */
  #socket = new Socket().destroy()
  #isClosed = false

  private constructor(state: KeeperState, deps: Deps) {
    this.state = state
    this.#deps = deps
  }

  /** Throws when the keeper does not respond. */
  static async open(state: KeeperState, deps: Deps): Promise<KeeperConnection> {
    const connection = new KeeperConnection(state, deps)
    const { runs } = await connection.#connect()
    for (const report of runs) {
      const run = deps.getRun(report, connection)
      connection.#runs.set(run.id, run)
    }
    return connection
  }

  get runs(): readonly ClientRun[] {
    return [...this.#runs.values()]
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  send(message: ToKeeper, payload?: Uint8Array): void {
    if (this.#isClosed || !this.#socket.writable) return
    if (this.#socket.writableLength > unsentBytes) {
      this.#deps.log.warn({ keeper: this.state.keeper.pid }, 'the keeper does not read its messages: reconnecting')
      this.#socket.destroy()
      return
    }
    this.#socket.write(frame(message, payload))
  }

  /** Returns the run, or the keeper's refusal. Throws when the keeper does not respond. */
  async start(order: StartRequest): Promise<ClientRun | Refused> {
    const starting = Promise.withResolvers<RunReport | Refused>()
    this.#starting.set(order.id, starting)
    const timeout = setTimeout(() => starting.reject(new Error('the keeper does not respond')), responseTimeoutMs)
    this.send(order)
    if (!this.#socket.writable) starting.reject(new Error('the keeper is not connected'))
    try {
      const response = await starting.promise
      return 'is' in response ? response : this.#addRun(response)
    } finally {
      clearTimeout(timeout)
      this.#starting.delete(order.id)
    }
  }

  release(run: ClientRun): void {
    this.#runs.delete(run.id)
  }

  /** Resolves when all messages have been sent. */
  async close(): Promise<void> {
    for (const run of this.#runs.values()) run.sendAcknowledged()
    this.#isClosed = true
    for (const { reject } of this.#starting.values()) reject(new Error('the daemon is closing'))
    if (this.#socket.closed) return
    this.#socket.end()
    const timeout = setTimeout(() => this.#socket.destroy(), killTimeoutMs)
    await new Promise<void>((resolve) => {
      this.#socket.once('close', () => resolve())
    })
    clearTimeout(timeout)
  }

  #addRun(report: RunReport): ClientRun {
    const run = this.#deps.getRun(report, this)
    this.#runs.set(run.id, run)
    return run
  }

  /** Connects and receives the welcome message; later messages go to `#onMessage`. */
  async #connect(): Promise<Welcome> {
    const welcome = Promise.withResolvers<Welcome>()
    const timeout = setTimeout(() => socket.destroy(new Error('the keeper does not respond')), responseTimeoutMs)
    const reader = new FrameReader<FromKeeper>((message, payload) => {
      if (message.is === 'welcome') welcome.resolve(message)
      else this.#deliver(message, payload)
    })
    const path = this.#deps.folder.socket(this.state.socket)
    const buffer = Buffer.allocUnsafeSlow(keeperLimits.chunkBytes)
    const onread = {
      buffer,
      callback: (length: number) => {
        try {
          reader.read(buffer.subarray(0, length))
        } catch (error) {
          socket.destroy(new Error('invalid message from the keeper', { cause: error }))
        }
        return true
      },
    }
    const socket: Socket = connect({ path, onread })
    let why: Error | undefined
    socket.on('error', (error) => {
      why = error
    })
    socket.on('close', () => welcome.reject(why ?? new Error('the keeper closed the connection')))
    socket.resume()
    try {
      const first = await welcome.promise
      this.#socket = socket
      if (socket.closed) throw new Error('the keeper closed the connection')
      socket.on('close', () => void this.#reconnect())
      return first
    } finally {
      clearTimeout(timeout)
    }
  }

  /** An exception while handling a message affects only its run, not the connection. */
  #deliver(message: Exclude<FromKeeper, Welcome>, payload: Buffer): void {
    try {
      this.#onMessage(message, payload)
    } catch (err) {
      const run = message.is === 'started' ? message.run.id : message.is === 'replaced' ? undefined : message.id
      this.#deps.log.warn({ err, run, message: message.is }, 'failed to handle a message of the keeper')
    }
  }

  #onMessage(message: Exclude<FromKeeper, Welcome>, payload: Buffer): void {
    switch (message.is) {
      case 'started':
        this.#started(message.run)
        break
      case 'refused':
        this.#starting.get(message.id)?.resolve(message)
        break
      case 'output':
        this.#runs.get(message.id)?.onOutput(payload, message.from)
        break
      case 'ended':
        this.#runs.get(message.id)?.end(message.exit)
        break
      case 'inputLost':
        this.#runs.get(message.id)?.inputLost(message.bytes)
        break
      case 'replaced':
        this.#close('replaced')
    }
  }

  #started(report: RunReport): void {
    const starting = this.#starting.get(report.id)
    if (starting) {
      starting.resolve(report)
      return
    }
    // The caller was told that the start failed, so the process must not run.
    const run = this.#addRun(report)
    this.#deps.log.warn({ run: run.id, key: run.key }, 'a process started too late: killing it')
    run.follow(0, () => undefined)
    void run.exited.then(() => run.release())
    void run.kill()
  }

  /** Retries as long as the keeper is alive. */
  async #reconnect(): Promise<void> {
    for (const { reject } of this.#starting.values()) reject(new Error('lost the connection to the keeper'))
    while (!this.#isClosed) {
      try {
        const { runs } = await this.#connect()
        for (const report of runs) (this.#runs.get(report.id) ?? this.#addRun(report)).resume()
        return
      } catch (error) {
        if (!isAlive(this.state.keeper)) return this.#close('died')
        this.#deps.log.warn({ err: error, keeper: this.state.keeper.pid }, 'cannot reach the keeper: retrying')
        await pause(reconnectAfterMs)
      }
    }
  }

  #close(why: 'died' | 'replaced'): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#socket.destroy()
    this.#deps.onLost(this, why)
  }
}
