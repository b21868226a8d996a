import type { ProcessId } from '../../proc/process-id.ts'
import { sendSignal } from '../../proc/signal.ts'
import type { Exit, Run } from '../../processes/run.ts'
import { keeperLimits, type RunReport, type ToKeeper } from '../protocol.ts'

/** The way from a run to its keeper; taken away when that is gone. */
export interface RunConnection {
  send(message: ToKeeper, payload?: Uint8Array): void
}

interface Deps {
  readonly killTree: (run: { readonly id: string; readonly process: ProcessId }) => Promise<readonly ProcessId[]>
  readonly onForget: (run: ClientRun) => void
  readonly members: (run: ClientRun) => readonly number[]
  /** The exit of a run with what else is known of it. */
  readonly refineExit: (run: ClientRun, exit: Exit) => Exit
  readonly log: { warn(details: object, text: string): void }
}

/** A run as the daemon has it, with its keeper or, once that is gone, without. */
export class ClientRun implements Run {
  readonly id: string
  readonly key: string
  readonly process: ProcessId
  readonly exited: Promise<Exit>
  readonly #deps: Deps
  readonly #resolveExit: (exit: Exit) => void
  #connection: RunConnection | undefined
  #acknowledged: number
  #isAcknowledging = false
  #exit: Exit | undefined
  /** What the keeper knew when this run was found, and tells again after the last output. */
  readonly #reportedExit: Exit | undefined
  /** Offset behind the last byte that was handed over. */
  #delivered = 0
  #onOutput: ((data: Uint8Array, from: number) => void) | undefined

  constructor(report: Omit<RunReport, 'end'>, connection: RunConnection | undefined, deps: Deps) {
    const { promise, resolve } = Promise.withResolvers<Exit>()
    this.id = report.id
    this.key = report.key
    this.process = report.process
    this.exited = promise
    this.#resolveExit = resolve
    this.#acknowledged = report.acknowledged
    this.#reportedExit = report.exit
    this.#connection = connection
    this.#deps = deps
  }

  get hasConsole(): boolean {
    return this.#connection !== undefined
  }

  get acknowledged(): number {
    return this.#acknowledged
  }

  /** Whether it may still run; a process that ended is still alive here until its keeper or /proc said so. */
  get isAlive(): boolean {
    return !this.#exit && !this.#reportedExit
  }

  members(): readonly number[] {
    return this.#deps.members(this)
  }

  follow(offset: number, onOutput: (data: Uint8Array, from: number) => void): void {
    if (this.#onOutput) throw new Error(`run ${this.id} is followed already`)
    this.#onOutput = onOutput
    this.#delivered = offset
    this.#connection?.send({ is: 'follow', id: this.id, from: offset })
  }

  acknowledge(offset: number): void {
    if (offset <= this.#acknowledged) return
    this.#acknowledged = offset
    if (this.#isAcknowledging) return
    this.#isAcknowledging = true
    // Output comes in many small pieces: one message tells of all that came together.
    setImmediate(() => this.sendAcknowledged())
  }

  write(data: string): void {
    const bytes = Buffer.from(data)
    const connection = this.#connection
    if (!connection) this.inputLost(bytes.length)
    for (let at = 0; connection && at < bytes.length; at += keeperLimits.chunkBytes)
      connection.send({ is: 'write', id: this.id }, bytes.subarray(at, at + keeperLimits.chunkBytes))
  }

  resize(cols: number, rows: number): void {
    this.#connection?.send({ is: 'resize', id: this.id, size: { cols, rows } })
  }

  signal(number: number): void {
    sendSignal(this.process, number)
  }

  async kill(): Promise<void> {
    const left = await this.#deps.killTree(this)
    if (left.length > 0) this.#deps.log.warn({ run: this.id, key: this.key, left }, 'processes survive being killed')
  }

  forget(): void {
    this.#connection?.send({ is: 'forget', id: this.id })
    this.#deps.onForget(this)
  }

  /** For the link: output that the keeper sent. */
  onOutput(data: Uint8Array, from: number): void {
    this.#delivered = from + data.length
    this.#onOutput?.(data, from)
  }

  /** For the link: the keeper said that it ended, after its last output; or nobody can say more. */
  end(exit: Exit): void {
    this.#exit ??= this.#refineExit(exit)
    this.#resolveExit(this.#exit)
  }

  /** It has ended, whether or not more can be found out about it. */
  #refineExit(exit: Exit): Exit {
    try {
      return this.#deps.refineExit(this, exit)
    } catch (err) {
      this.#deps.log.warn({ err, run: this.id, key: this.key }, 'how a run ended cannot be found out in full')
      return exit
    }
  }

  inputLost(bytes: number): void {
    this.#deps.log.warn({ run: this.id, key: this.key, bytes }, 'input was dropped: the process does not read it')
  }

  /** For the link: tells at once what was acknowledged. */
  sendAcknowledged(): void {
    if (this.#isAcknowledging) this.#connection?.send({ is: 'acknowledge', id: this.id, to: this.#acknowledged })
    this.#isAcknowledging = false
  }

  /** For the link: the connection was lost and is there again. */
  resume(): void {
    this.#connection?.send({ is: 'acknowledge', id: this.id, to: this.#acknowledged })
    if (this.#onOutput && !this.#exit) this.#connection?.send({ is: 'follow', id: this.id, from: this.#delivered })
  }

  /** For the link: its keeper is gone, so nothing follows any more. */
  onKeeperLost(): void {
    this.#connection = undefined
    if (this.#reportedExit) this.end(this.#reportedExit)
  }
}
