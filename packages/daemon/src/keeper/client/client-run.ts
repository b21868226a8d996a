import { getProgramName } from '../../proc/process-details.ts'
import type { ProcessId, ProcessStat } from '../../proc/process-stat.ts'
import { stopTree } from '../../proc/stop-tree.ts'
import { takeUnreadInput } from '../../proc/unread-input.ts'
import { killedAfterStopText, leftInBackgroundText, leftUntilText } from '../../processes/left-processes.ts'
import type { Exit, Run, StopRequest } from '../../processes/run.ts'
import { keeperLimits, type RunReport, type ToKeeper } from '../protocol.ts'

/** The connection from a run to its keeper; removed when the keeper is gone. */
export interface RunConnection {
  send(message: ToKeeper, payload?: Uint8Array): void
}

interface Deps {
  readonly killTree: (run: { readonly id: string; readonly process: ProcessId }) => Promise<readonly ProcessId[]>
  readonly onRelease: (run: ClientRun) => void
  readonly members: (run: ClientRun) => readonly number[]
  /** Its live processes, also where the kernel does not track them. */
  readonly liveMembers: (run: ClientRun) => readonly ProcessStat[]
  /** Aborts when the daemon closes. */
  readonly closing: AbortSignal
  readonly freeze: (run: ClientRun) => Promise<boolean>
  readonly thaw: (run: ClientRun) => void
  /** Adds to the exit what else is known, such as out of memory. */
  readonly refineExit: (run: ClientRun, exit: Exit) => Exit
  readonly log: { warn(details: object, text: string): void }
}

/** A run in the daemon, with its keeper or, after its death, without. */
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
  /** The exit reported when this run was found; the keeper repeats it after the last output. */
  readonly #reportedExit: Exit | undefined
  /** Offset after the last byte passed to the listener. */
  #delivered = 0
  #onOutput: ((data: Uint8Array, from: number) => void) | undefined
  #onNotice: ((message: string) => void) | undefined
  #pendingNotices: string[] = []
  /** The latest stop, until all processes have ended or its time is over. Never rejects. */
  #stopping: Promise<void> | undefined
  #isEnding = false
  #isKilled = false

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

  /** Whether it may still run; stays true until the keeper or /proc reports the exit. */
  get isAlive(): boolean {
    return !this.#exit && !this.#reportedExit
  }

  members(): readonly number[] {
    return this.#deps.members(this)
  }

  freeze(): Promise<boolean> {
    return this.#deps.freeze(this)
  }

  thaw(): void {
    this.#deps.thaw(this)
  }

  follow(offset: number, onOutput: (data: Uint8Array, from: number) => void): void {
    if (this.#onOutput) throw new Error(`run ${this.id} already has a listener`)
    this.#onOutput = onOutput
    this.#delivered = offset
    this.#connection?.send({ is: 'follow', id: this.id, from: offset })
  }

  acknowledge(offset: number): void {
    if (offset <= this.#acknowledged) return
    this.#acknowledged = offset
    if (this.#isAcknowledging) return
    this.#isAcknowledging = true
    // Output comes in many small pieces: one message acknowledges all of a tick.
    setImmediate(() => this.sendAcknowledged())
  }

  write(data: string | Buffer): void {
    const bytes = typeof data === 'string' ? Buffer.from(data) : data
    const connection = this.#connection
    if (!connection) this.inputLost(bytes.length)
    for (let at = 0; connection && at < bytes.length; at += keeperLimits.chunkBytes)
      connection.send({ is: 'write', id: this.id }, bytes.subarray(at, at + keeperLimits.chunkBytes))
  }

  takeUnreadInput(): string | undefined {
    return takeUnreadInput(this.process.pid, `/${this.id}.in`)
  }

  resize(cols: number, rows: number): void {
    this.#connection?.send({ is: 'resize', id: this.id, size: { cols, rows } })
  }

  stop({ signal, isSent = false, deadline }: StopRequest): void {
    const { liveMembers, closing, log } = this.#deps
    this.#stopping = stopTree({
      first: this.process,
      isInit: false,
      members: () => liveMembers(this),
      signal,
      isSent,
      deadline,
      abort: closing,
      onLeft: (left) => this.#notice(leftUntilText(getNames(left), deadline)),
    }).catch((err: unknown) => log.warn({ err, run: this.id, key: this.key }, 'failed to stop all processes of a run'))
  }

  async kill(): Promise<void> {
    this.#isKilled = true
    const left = await this.#deps.killTree(this)
    if (left.length > 0) this.#deps.log.warn({ run: this.id, key: this.key, left }, 'processes survived SIGKILL')
  }

  onNotice(say: (message: string) => void): void {
    this.#onNotice = say
    for (const message of this.#pendingNotices.splice(0)) say(message)
  }

  #notice(message: string): void {
    if (this.#onNotice) this.#onNotice(message)
    else this.#pendingNotices.push(message)
  }

  release(): void {
    this.#connection?.send({ is: 'forget', id: this.id })
    this.#deps.onRelease(this)
  }

  /** Called by the connection with output of the keeper. */
  onOutput(data: Uint8Array, from: number): void {
    this.#delivered = from + data.length
    this.#onOutput?.(data, from)
  }

  /** Called by the connection after the last output, or when nothing more can be learned. */
  end(exit: Exit): void {
    if (this.#isEnding) return
    this.#isEnding = true
    void this.#end(exit)
  }

  /** After a stop, waits for what the first process left. */
  async #end(exit: Exit): Promise<void> {
    const wasStopped = this.#stopping !== undefined
    await this.#stopping
    if (this.#deps.closing.aborted && wasStopped) return
    if (!this.#isKilled && this.key.endsWith('/main')) this.#nameLeft(exit, wasStopped)
    this.#exit ??= this.#refineExit(exit)
    this.#resolveExit(this.#exit)
  }

  /** What is left now is killed. */
  #nameLeft({ code }: Exit, wasStopped: boolean): void {
    try {
      const left = this.#deps.liveMembers(this)
      if (left.length === 0) return
      this.#notice(wasStopped ? killedAfterStopText(getNames(left)) : leftInBackgroundText(getNames(left), code === 0))
    } catch (err) {
      this.#deps.log.warn({ err, run: this.id, key: this.key }, 'failed to list what a run left behind')
    }
  }

  /** The run has exited even if refining fails. */
  #refineExit(exit: Exit): Exit {
    try {
      return this.#deps.refineExit(this, exit)
    } catch (err) {
      this.#deps.log.warn({ err, run: this.id, key: this.key }, 'failed to determine details of an exit')
      return exit
    }
  }

  inputLost(bytes: number): void {
    const reason = this.hasConsole ? 'the process does not read it' : 'its keeper is gone'
    this.#deps.log.warn({ run: this.id, key: this.key, bytes }, `input was dropped because ${reason}`)
  }

  /** Called by the connection: sends a pending acknowledgement immediately. */
  sendAcknowledged(): void {
    if (this.#isAcknowledging) this.#connection?.send({ is: 'acknowledge', id: this.id, to: this.#acknowledged })
    this.#isAcknowledging = false
  }

  /** Called by the connection after a reconnect. */
  resume(): void {
    this.#connection?.send({ is: 'acknowledge', id: this.id, to: this.#acknowledged })
    if (this.#onOutput && !this.#exit) this.#connection?.send({ is: 'follow', id: this.id, from: this.#delivered })
  }

  /** Called by the connection when the keeper is gone: no more output follows. */
  onKeeperLost(): void {
    this.#connection = undefined
    if (this.#reportedExit) this.end(this.#reportedExit)
    else this.#notice(lostText)
  }
}

const lostText =
  'The process of Innkeeper that connected this server to its console has ended. Commands do not reach the server and its output is lost until it is restarted.'

function getNames(processes: readonly ProcessStat[]): readonly string[] {
  return processes.map(({ pid }) => getProgramName(pid))
}
