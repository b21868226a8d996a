import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { createTreeKiller, getLiveMembers, killTimeoutMs, type ProcessGroupControl } from '../../proc/kill-tree.ts'
import { bootId, isAlive, sendSignal } from '../../proc/process-stat.ts'
import { readMarkers, readProcessTable } from '../../proc/process-table.ts'
import type { Exit, LaunchOptions, Run } from '../../processes/run.ts'
import {
  getRunFolder,
  type KeeperState,
  generation as newest,
  protocol,
  RunFolder,
  type RunReport,
  type TerminalSize,
} from '../protocol.ts'
import { readStates } from '../state-file.ts'
import { ClientRun, type RunConnection } from './client-run.ts'
import { KeeperConnection } from './keeper-connection.ts'
import type { KeeperLog } from './keeper-log.ts'
import { Orphans } from './orphans.ts'
import { spawnKeeper } from './spawn-keeper.ts'

const keeperPollMs = 20
/** A new keeper loads its modules: that takes long on a slow or busy machine. */
const keeperStartMs = 60_000
const reattachMs = 1_000

export interface KeeperPoolOptions {
  readonly dataDir: string
  readonly log: KeeperLog
  /**
   * A keeper has `died`, and its runs continue without console; or another daemon has `replaced` this one, whose runs
   * are unreachable from then on.
   */
  readonly onLost?: (why: 'died' | 'replaced') => void
  readonly generation?: number
  /** Delay before a lost keeper is replaced, unless a start needs one earlier. */
  readonly reattachAfterMs?: number
  /** Isolates runs; without it they are not isolated. */
  readonly isolation?: RunIsolation | undefined
}

/** The isolation of each run, created before its process and removed after it. */
export interface RunIsolation extends ProcessGroupControl {
  /** Creates the isolation of a run and returns the plan changed so that its process starts inside. */
  isolate(id: string, plan: LaunchOptions): LaunchOptions
  refineExit(id: string, exit: Exit): Exit
  /** Freezes every process of a run until `thaw`. Returns whether they are frozen. */
  freeze(id: string): Promise<boolean>
  thaw(id: string): void
  /** Whether all descendants of a run are known, even if they left its session. */
  readonly isKnown: boolean
  /** Kills what is left of the run and removes its isolation. Returns whether it is removed. */
  destroy(id: string): Promise<boolean>
  sweep(known: ReadonlySet<string>): void
  close(): void
}

/**
 * Connects to every keeper of the data directory, retires those of other generations, and ensures that one of the
 * newest exists. `runs` has the runs of earlier daemons.
 */
export async function openKeeperPool(options: KeeperPoolOptions): Promise<KeeperPool> {
  const keepers = new KeeperPool(options)
  await keepers.attachAll()
  return keepers
}

/** The keepers of a node. */
export class KeeperPool {
  readonly #log: KeeperLog
  readonly #onLost: (why: 'died' | 'replaced') => void
  readonly #generation: number
  readonly #reattachAfterMs: number
  readonly #folder: RunFolder
  readonly #connections = new Set<KeeperConnection>()
  readonly #orphans: Orphans
  readonly #isolation: RunIsolation | undefined
  readonly #killTree: ReturnType<typeof createTreeKiller>
  readonly #boot = bootId()
  #found: readonly Run[] = []
  #connecting: Promise<KeeperConnection> | undefined
  #isReplaced = false
  readonly #cleanups = new Set<Promise<void>>()
  readonly #closing = new AbortController()

  constructor({
    dataDir,
    log,
    onLost = () => undefined,
    generation = newest,
    isolation,
    reattachAfterMs = reattachMs,
  }: KeeperPoolOptions) {
    this.#isolation = isolation
    this.#killTree = createTreeKiller({ groupControl: isolation })
    this.#log = log
    this.#onLost = onLost
    this.#generation = generation
    this.#reattachAfterMs = reattachAfterMs
    this.#folder = new RunFolder(getRunFolder(dataDir))
    this.#orphans = new Orphans(this.#folder, log)
  }

  /** Runs found when the keepers were opened, running or exited. */
  get runs(): readonly Run[] {
    return this.#found
  }

  /** Whether a keeper that can start runs is connected. */
  get isAttached(): boolean {
    return !this.#isReplaced && this.#usableConnection() !== undefined
  }

  /** Called by `openKeeperPool`. */
  async attachAll(): Promise<void> {
    const states = await this.#states()
    for (const state of states) {
      if (!this.#isLive(state)) await this.#addOrphans(state)
      else if (state.protocol === protocol) await this.#openConnection(state)
      else {
        this.#log.warn(
          { keeper: state.keeper.pid },
          'a keeper uses another protocol version: its servers have no console',
        )
        await this.#addOrphans(state)
      }
    }
    this.#found = [...[...this.#connections].flatMap((connection) => connection.runs), ...this.#orphans.runs]
    const onDisk = states.flatMap(({ runs }) => runs)
    this.#isolation?.sweep(new Set([...onDisk, ...this.#found].map(({ id }) => id)))
    await this.#current()
  }

  /**
   * Starts a process, in a terminal when a size is given. `plan.file` is an absolute path. The keeper that starts the
   * process checks whether a run of this key is alive; only runs of other keepers are checked here.
   */
  async start(plan: LaunchOptions, terminal?: TerminalSize): Promise<Run> {
    if (this.#isReplaced) throw new Error('another daemon uses this data directory')
    const connection = await this.#current()
    if (this.#runsOfOthers(connection).some((run) => run.key === plan.key && run.isAlive && isAlive(run.process)))
      throw new Refusal('ErrProcessRunning')
    const id = randomUUID()
    const { key, file, args, cwd, env } = this.#isolation?.isolate(id, plan) ?? plan
    const response = await connection.start({ is: 'start', id, key, file, args, cwd, env, terminal }).catch((cause) => {
      // It may still start: then `#started` of the connection kills it and removes its isolation.
      void this.#cleanUp({ id, key })
      throw cause
    })
    if (!('why' in response)) return response
    void this.#cleanUp({ id, key })
    if (response.why === 'live') throw new Refusal('ErrProcessRunning')
    if (['ENOENT', 'EACCES', 'ENOEXEC'].includes(response.code))
      throw new Refusal('ErrMissingBinary', { expected: plan.file }, { cause: new Error(response.message) })
    throw new Error(`the keeper could not start ${plan.file}: ${response.message || response.why}`)
  }

  /** Disconnects from keepers with runs; keepers without runs are ended. */
  async close(): Promise<void> {
    this.#closing.abort()
    // The caller that connects handles the failure.
    await this.#connecting?.catch(() => {})
    const connections = [...this.#connections]
    this.#connections.clear()
    await Promise.all(
      connections.map(async (connection) => {
        const isEmpty = connection.runs.length === 0
        await connection.close()
        if (isEmpty && !this.#isReplaced) await this.#kill(connection.state)
      }),
    )
    await this.#orphans.close()
    this.#folder[Symbol.dispose]()
    await Promise.all(this.#cleanups)
    // Another daemon uses them.
    if (!this.#isReplaced) this.#isolation?.close()
  }

  /** The keeper refuses while it has a run that is unknown here, or one whose release it has not read yet. */
  async #kill({ keeper }: KeeperState): Promise<void> {
    const deadline = performance.now() + killTimeoutMs
    while (sendSignal(keeper, 'SIGTERM') && performance.now() < deadline) await pause(keeperPollMs)
  }

  async #killRemaining(run: ClientRun): Promise<void> {
    await run.kill().catch((cause: unknown) => {
      this.#log.error({ err: cause, run: run.id, key: run.key }, 'failed to kill the remaining processes of a run')
    })
  }

  /** Cleans up after a run that has exited. */
  async #cleanUp({ id, key }: Pick<Run, 'id' | 'key'>): Promise<void> {
    const leaving = (this.#isolation?.destroy(id) ?? Promise.resolve(true)).then(
      (isExited) => {
        if (!isExited) this.#log.warn({ run: id, key }, 'processes of an exited run survived SIGKILL')
      },
      (cause: unknown) => this.#log.error({ err: cause, run: id, key }, 'cleanup of a run failed'),
    )
    this.#cleanups.add(leaving)
    await leaving.finally(() => this.#cleanups.delete(leaving))
  }

  #runsOfOthers(connection: KeeperConnection): readonly ClientRun[] {
    const others = [...this.#connections].filter((other) => other !== connection).flatMap((other) => other.runs)
    return [...others, ...this.#orphans.runs]
  }

  #usableConnection(): KeeperConnection | undefined {
    return [...this.#connections].find(
      (connection) => connection.state.generation === this.#generation && !connection.isClosed,
    )
  }

  /** The keeper that starts new runs. */
  #current(): Promise<KeeperConnection> {
    const open = this.#usableConnection()
    if (open) return Promise.resolve(open)
    this.#connecting ??= this.#openNew().finally(() => {
      this.#connecting = undefined
    })
    return this.#connecting
  }

  async #openNew(): Promise<KeeperConnection> {
    const living = (states: readonly KeeperState[]) =>
      states.find(
        (state) => state.generation === this.#generation && state.protocol === protocol && this.#isLive(state),
      )
    let state = living(await this.#states())
    if (!state) await spawnKeeper(this.#folder, this.#generation)
    const deadline = performance.now() + keeperStartMs
    while (!state) {
      if (performance.now() > deadline) throw new Error(`no keeper started; see ${this.#folder.file('keeper.log')}`)
      await pause(keeperPollMs)
      state = living(await this.#states())
    }
    return this.#connect(state)
  }

  /** A live keeper does not respond: its runs exist but are unreachable. */
  async #openConnection(state: KeeperState): Promise<void> {
    try {
      const connection = await this.#connect(state)
      if (state.generation !== this.#generation) connection.send({ is: 'retire' })
    } catch (error) {
      this.#log.error(
        { err: error, keeper: state.keeper.pid },
        'a keeper does not respond: its servers have no console',
      )
      await this.#addOrphans(state)
    }
  }

  async #connect(state: KeeperState): Promise<KeeperConnection> {
    const connection = await KeeperConnection.open(state, {
      folder: this.#folder,
      log: this.#log,
      getRun: (report, connection) => this.#getRun(report, connection),
      onLost: (lost, why) => void this.#onConnectionLost(lost, why),
    })
    this.#connections.add(connection)
    return connection
  }

  #getRun(report: Omit<RunReport, 'end'>, connection: RunConnection | undefined): ClientRun {
    return new ClientRun(report, connection, {
      killTree: this.#killTree,
      log: this.#log,
      members: (run) => this.#isolation?.members(run.id) ?? [],
      liveMembers: (run) => getLiveMembers(run, this.#isolation),
      closing: this.#closing.signal,
      freeze: async (run) => (await this.#isolation?.freeze(run.id)) ?? false,
      thaw: (run) => this.#isolation?.thaw(run.id),
      refineExit: (run, exit) => this.#isolation?.refineExit(run.id, exit) ?? exit,
      onRelease: (run) => {
        void this.#cleanUp(run)
        // No process of an exited server may survive. Without control groups, processes are found by marker and
        // session.
        if (this.#isolation && !this.#isolation.isKnown) void this.#killRemaining(run)
        for (const connection of this.#connections) connection.release(run)
        this.#orphans.release(run)
      },
    })
  }

  async #onConnectionLost(connection: KeeperConnection, why: 'died' | 'replaced'): Promise<void> {
    this.#connections.delete(connection)
    if (why === 'replaced') {
      this.#isReplaced = true
      this.#log.error({ keeper: connection.state.keeper.pid }, 'another daemon uses this data directory')
    } else {
      const isEmpty = connection.runs.length === 0
      if (isEmpty) this.#log.info({ keeper: connection.state.keeper.pid }, 'a keeper has exited')
      else
        this.#log.error(
          { keeper: connection.state.keeper.pid },
          'the keeper died: its servers continue without console',
        )
      await this.#orphans.add(await this.#lastState(connection), connection.runs)
      void this.#reattach()
    }
    this.#onLost(why)
  }

  /** Starts a new keeper before the next start of a server needs one. */
  async #reattach(): Promise<void> {
    const { signal } = this.#closing
    try {
      await pause(this.#reattachAfterMs, undefined, { signal, ref: false })
      await this.#current()
    } catch (error) {
      if (!signal.aborted) this.#log.error({ err: error }, 'failed to start a keeper')
    }
  }

  /** The state on disk is the newest; otherwise the state at connection time. */
  async #lastState({ state }: KeeperConnection): Promise<KeeperState> {
    const { pid, startTime } = state.keeper
    try {
      const states = await this.#states()
      return states.find(({ keeper }) => keeper.pid === pid && keeper.startTime === startTime) ?? state
    } catch (error) {
      this.#log.error({ err: error, keeper: pid }, 'failed to read the state of a dead keeper')
      return state
    }
  }

  async #addOrphans(state: KeeperState): Promise<void> {
    const runs: ClientRun[] = []
    const isSameBoot = state.boot === this.#boot
    const table = readProcessTable()
    const marked = readMarkers(table)
    for (const { id, key, process, exit } of state.runs) {
      // The keeper died between starting the process and saving it: the first process with the marker is the run's.
      const first = marked.get(id)?.toSorted((a, b) => a.startTime - b.startTime)[0]
      const found = process ?? (isSameBoot && first ? { pid: first.pid, startTime: first.startTime } : undefined)
      if (found) runs.push(this.#getRun({ id, key, process: found, exit, acknowledged: 0 }, undefined))
    }
    await this.#orphans.add(state, runs, { isSameBoot, isKeeperAlive: this.#isLive(state) })
  }

  #isLive(state: KeeperState): boolean {
    return state.boot === this.#boot && isAlive(state.keeper)
  }

  #states(): Promise<KeeperState[]> {
    return readStates(this.#folder, (name, cause) =>
      this.#log.error({ err: cause, file: name }, 'failed to read the state of a keeper: the file is kept'),
    )
  }
}
