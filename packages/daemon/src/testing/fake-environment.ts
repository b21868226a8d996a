import type { ProcessId } from '../proc/process-stat.ts'
import type { Environment, Exit, LaunchOptions, Run, StopRequest } from '../processes/run.ts'

/** A process that does what the test says. */
export class FakeRun implements Run {
  readonly id: string
  readonly key: string
  readonly process: ProcessId
  readonly hasConsole = true
  acknowledged = 0
  readonly exited: Promise<Exit>
  /** The calls on it, in order. */
  readonly calls: string[] = []
  readonly #exit: (exit: Exit) => void
  #printed = Buffer.alloc(0)
  #sent = 0
  #onOutput: ((data: Uint8Array, from: number) => void) | undefined
  #end: Exit | undefined
  #tellDoubt: ((isInDoubt: boolean) => void) | undefined

  constructor({ key, id, pid }: { key: string; id: string; pid: number }) {
    this.id = id
    this.key = key
    this.process = { pid, startTime: 1 }
    const { promise, resolve } = Promise.withResolvers<Exit>()
    this.exited = promise
    this.#exit = resolve
  }

  print(output: string | Uint8Array): void {
    this.#printed = Buffer.concat([this.#printed, Buffer.from(output as string)])
    this.#hand()
  }

  /** Drops output, like a keeper whose buffer is full. */
  drop(bytes: number): void {
    this.#printed = Buffer.concat([this.#printed, Buffer.alloc(bytes)])
    this.#sent = this.#printed.length
  }

  exit(code: number | null, signal: string | null = null, more: Pick<Exit, 'isOutOfMemory'> = {}): void {
    this.#end = { code, signal, ...more }
    this.#hand()
  }

  follow(offset: number, onOutput: (data: Uint8Array, from: number) => void): void {
    this.#sent = offset
    this.#onOutput = onOutput
    this.#hand()
  }

  acknowledge(offset: number): void {
    this.acknowledged = offset
  }

  write(data: string | Buffer): void {
    this.calls.push(`write ${data}`)
  }

  resize(cols: number, rows: number): void {
    this.calls.push(`resize ${cols} ${rows}`)
  }

  stop({ signal }: StopRequest): void {
    this.calls.push(signal === undefined ? 'stop' : `signal ${signal}`)
  }

  async kill(): Promise<void> {
    this.calls.push('kill')
    this.exit(null, 'SIGKILL')
  }

  onReachability(tell: (isInDoubt: boolean) => void): void {
    this.#tellDoubt = tell
  }

  /** Makes its state unknown, like a container whose engine does not respond, or known again. */
  miss(isMissed: boolean): void {
    this.#tellDoubt?.(isMissed)
  }

  release(): void {
    this.calls.push('release')
  }

  /** The same process as found by a new daemon. */
  found(): FakeRun {
    const run = new FakeRun({ key: this.key, id: this.id, pid: this.process.pid })
    run.print(this.#printed)
    run.acknowledged = this.acknowledged
    return run
  }

  #hand(): void {
    if (!this.#onOutput) return
    const from = this.#sent
    this.#sent = this.#printed.length
    if (from < this.#sent) this.#onOutput(Buffer.from(this.#printed.subarray(from)), from)
    if (this.#end) this.#exit(this.#end)
  }
}

/** Starts processes that do what the test says. */
export class FakeEnvironment implements Environment {
  readonly runs: FakeRun[] = []
  /** The error of the next start. */
  refusal: Error | undefined

  async start(plan: LaunchOptions): Promise<FakeRun> {
    if (this.refusal) throw this.refusal
    const count = this.runs.length + 1
    const run = new FakeRun({ key: plan.key, id: `run-${count}`, pid: 100 + count })
    this.runs.push(run)
    return run
  }

  get last(): FakeRun {
    const run = this.runs.at(-1)
    if (!run) throw new Error('nothing was started')
    return run
  }
}
