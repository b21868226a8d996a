import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type KeeperPool, type KeeperPoolOptions, openKeeperPool } from '../keeper/client/keeper-pool.ts'
import { getRunFolder, type KeeperState, RunFolder, type TerminalSize } from '../keeper/protocol.ts'
import { readStates } from '../keeper/state-file.ts'
import { createTreeKiller } from '../proc/kill-tree.ts'
import { sendSignal } from '../proc/process-stat.ts'
import type { Exit, LaunchOptions, Run } from '../processes/run.ts'

/** The path of a program in `programs/`. */
export function program(name: string): string {
  return fileURLToPath(new URL(`./programs/${name}.mjs`, import.meta.url))
}

/** The command to run one of them. */
export function getPlan(key: string, name: string, args: readonly (string | number)[] = []): LaunchOptions {
  return {
    key,
    file: process.execPath,
    args: [program(name), ...args.map(String)],
    cwd: tmpdir(),
    env: { PATH: '/usr/bin:/bin' },
  }
}

/** A data directory with real keepers. On disposal everything started in it is killed. */
export class KeeperFixture implements AsyncDisposable {
  readonly dataDir: string
  readonly messages: string[] = []
  readonly #opened = new Set<KeeperPool>()

  private constructor(dataDir: string) {
    this.dataDir = dataDir
  }

  static async create(name = 'data'): Promise<KeeperFixture> {
    return new KeeperFixture(join(await mkdtemp(join(tmpdir(), 'innkeeper-')), name))
  }

  async open(options: Partial<KeeperPoolOptions> = {}): Promise<KeeperPool> {
    const say = (details: object, text: string) => this.messages.push(`${text} ${JSON.stringify(details)}`)
    const log = { info: say, warn: say, error: say }
    const keepers = await openKeeperPool({ dataDir: this.dataDir, log, ...options })
    this.#opened.add(keepers)
    return keepers
  }

  async close(keepers: KeeperPool): Promise<void> {
    this.#opened.delete(keepers)
    await keepers.close()
  }

  /** The persisted states of all keepers, live and dead. */
  async states(): Promise<KeeperState[]> {
    using folder = new RunFolder(getRunFolder(this.dataDir))
    return await readStates(folder, (name, cause) => this.messages.push(`${name}: ${String(cause)}`))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const killTree = createTreeKiller()
    for (const keepers of this.#opened) await keepers.close()
    for (const { keeper, runs } of await this.states()) {
      for (const { id, process } of runs) if (process) await killTree({ id, process })
      sendSignal(keeper, 'SIGKILL')
    }
    await rm(join(this.dataDir, '..'), { recursive: true, force: true })
  }
}

/** Reads a run's output as text and waits for parts of it. */
export class Reader {
  readonly #run: Run
  readonly #decoder = new TextDecoder()
  readonly #waiting = new Set<() => void>()
  text = ''
  /** Gaps in the output: the offsets before and after. */
  readonly gaps: [number, number][] = []
  end: number

  constructor(run: Run, from = run.acknowledged) {
    this.#run = run
    this.end = from
    run.follow(from, (data, at) => {
      if (at !== this.end) this.gaps.push([this.end, at])
      this.end = at + data.length
      this.text += this.#decoder.decode(data, { stream: true })
      for (const look of this.#waiting) look()
    })
  }

  /** Waits until the output matches; throws when the run exits without a match. */
  async until(pattern: RegExp): Promise<RegExpExecArray> {
    const { promise, resolve, reject } = Promise.withResolvers<RegExpExecArray>()
    const look = () => {
      const found = pattern.exec(this.text)
      if (found) resolve(found)
    }
    this.#waiting.add(look)
    look()
    void this.#run.exited.then((exit) => {
      look()
      reject(
        new Error(`${this.#run.key} ended (${JSON.stringify(exit)}) without ${pattern}: ${this.text.slice(-2000)}`),
      )
    })
    return await promise.finally(() => this.#waiting.delete(look))
  }

  /** Waits for the exit and returns it with all output. */
  async all(): Promise<{ exit: Exit; text: string }> {
    const exit = await this.#run.exited
    return { exit, text: this.text }
  }
}

/** Starts a program and reads its output. */
export async function startReading(
  keepers: KeeperPool,
  plan: LaunchOptions,
  size?: TerminalSize,
): Promise<{ run: Run; out: Reader }> {
  const run = await keepers.start(plan, size)
  return { run, out: new Reader(run, 0) }
}

/** Polls until it holds; `what` describes it for the error. */
export async function until(
  description: string,
  holds: () => boolean | Promise<boolean>,
  withinMs = 10_000,
): Promise<void> {
  const deadline = performance.now() + withinMs
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`waited in vain: ${description}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
