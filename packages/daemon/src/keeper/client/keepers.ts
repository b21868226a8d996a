import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { limits } from '@innkeeper/contract/limits'
import { Refusal } from '@innkeeper/contract/refusals'
import { type Confinement, treeKiller } from '../../proc/kill-tree.ts'
import { bootId, isAlive } from '../../proc/process-stat.ts'
import { readMarkers, readProcessTable } from '../../proc/process-table.ts'
import { sendSignal } from '../../proc/signal.ts'
import type { Exit, LaunchPlan, Run } from '../../processes/run.ts'
import { type KeeperState, generation as newest, protocol, type RunReport, type TerminalSize } from '../protocol.ts'
import { RunFolder, runFolderOf } from '../run-folder.ts'
import { readStates } from '../state-file.ts'
import { KeeperLink } from './keeper-link.ts'
import type { KeeperLog } from './keeper-log.ts'
import { KeptRun, type RunLine } from './kept-run.ts'
import { Orphans } from './orphans.ts'
import { spawnKeeper } from './spawn-keeper.ts'

const lookForKeeperMs = 20
const reattachMs = 1_000

export interface KeepersOptions {
  readonly dataDir: string
  readonly log: KeeperLog
  /**
   * A keeper `died`, and its runs go on without console; or another daemon `replaced` this one, which from then on
   * holds runs that it cannot reach.
   */
  readonly onLost?: (why: 'died' | 'replaced') => void
  readonly generation?: number
  /** How long after the loss of a keeper another one is started, unless a server is started before. */
  readonly reattachAfterMs?: number
  /** What runs are put into; without, nothing holds them. */
  readonly rooms?: Rooms | undefined
}

/** What holds each run: made before its process, gone after it. */
export interface Rooms extends Confinement {
  /** Makes the room of a run, and gives what must be started so that it begins in there. */
  confine(id: string, plan: LaunchPlan): LaunchPlan
  judge(id: string, exit: Exit): Exit
  /** Whether the room knows all that is in it, wherever that has gone. */
  readonly isKnown: boolean
  /** Ends what is left in the room, and removes it. Says whether it is gone. */
  clear(id: string): Promise<boolean>
  sweep(known: ReadonlySet<string>): void
  close(): void
}

/**
 * Connects to every keeper of the data folder, retires those of other generations, and sees to it that there is one of
 * the newest. What earlier daemons started is in `runs`.
 */
export async function openKeepers(options: KeepersOptions): Promise<Keepers> {
  const keepers = new Keepers(options)
  await keepers.adopt()
  return keepers
}

/** The daemon's side of all keepers of its node. */
export class Keepers {
  readonly #log: KeeperLog
  readonly #onLost: (why: 'died' | 'replaced') => void
  readonly #generation: number
  readonly #reattachAfterMs: number
  readonly #folder: RunFolder
  readonly #links = new Set<KeeperLink>()
  readonly #orphans: Orphans
  readonly #rooms: Rooms | undefined
  readonly #killTree: ReturnType<typeof treeKiller>
  readonly #boot = bootId()
  #adopted: readonly Run[] = []
  #opening: Promise<KeeperLink> | undefined
  #isReplaced = false
  readonly #leaving = new Set<Promise<void>>()
  readonly #closing = new AbortController()

  constructor({
    dataDir,
    log,
    onLost = () => undefined,
    generation = newest,
    rooms,
    reattachAfterMs = reattachMs,
  }: KeepersOptions) {
    this.#rooms = rooms
    this.#killTree = treeKiller({ confinement: rooms })
    this.#log = log
    this.#onLost = onLost
    this.#generation = generation
    this.#reattachAfterMs = reattachAfterMs
    this.#folder = new RunFolder(runFolderOf(dataDir))
    this.#orphans = new Orphans(this.#folder, log)
  }

  /** What was found when the keepers were opened: alive or ended, forgotten by nobody yet. */
  get runs(): readonly Run[] {
    return this.#adopted
  }

  /** Whether a keeper that starts new runs is connected now. */
  get isAttached(): boolean {
    return !this.#isReplaced && this.#openLink() !== undefined
  }

  /** For `openKeepers`. */
  async adopt(): Promise<void> {
    const states = await this.#states()
    for (const state of states) {
      if (!this.#isLive(state)) await this.#adoptOrphans(state)
      else if (state.protocol === protocol) await this.#link(state)
      else {
        this.#log.warn({ keeper: state.keeper.pid }, 'a keeper speaks another protocol: its servers have no console')
        await this.#adoptOrphans(state)
      }
    }
    this.#adopted = [...[...this.#links].flatMap((link) => link.runs), ...this.#orphans.runs]
    const onDisk = states.flatMap(({ runs }) => runs)
    this.#rooms?.sweep(new Set([...onDisk, ...this.#adopted].map(({ id }) => id)))
    await this.#current()
  }

  /**
   * Starts a process, on a terminal when its size is given. `plan.file` is an absolute path. Whether a run of this key
   * is alive is decided by the keeper that would start it; here only for what that one cannot know.
   */
  async start(plan: LaunchPlan, terminal?: TerminalSize): Promise<Run> {
    if (this.#isReplaced) throw new Error('another daemon has taken over this data folder')
    const link = await this.#current()
    if (this.#elsewhere(link).some((run) => run.key === plan.key && run.isAlive && isAlive(run.process)))
      throw new Refusal('ErrProcessRunning')
    const id = randomUUID()
    const { key, file, args, cwd, env } = this.#rooms?.confine(id, plan) ?? plan
    const answer = await link.start({ is: 'start', id, key, file, args, cwd, env, terminal }).catch((cause) => {
      // It may come up all the same: whoever hears of it then ends it, and its room with it.
      void this.#leave({ id, key })
      throw cause
    })
    if (!('why' in answer)) return answer
    void this.#leave({ id, key })
    if (answer.why === 'live') throw new Refusal('ErrProcessRunning')
    if (['ENOENT', 'EACCES', 'ENOEXEC'].includes(answer.code))
      throw new Refusal('ErrMissingBinary', { expected: plan.file }, { cause: new Error(answer.message) })
    throw new Error(`the keeper could not start ${plan.file}: ${answer.message || answer.why}`)
  }

  /** Leaves the keepers with all that they hold; those that hold nothing are ended. */
  async close(): Promise<void> {
    this.#closing.abort()
    // Whoever opens it handles the failure.
    await this.#opening?.catch(() => {})
    const links = [...this.#links]
    this.#links.clear()
    await Promise.all(
      links.map(async (link) => {
        const isEmpty = link.runs.length === 0
        await link.close()
        if (isEmpty && !this.#isReplaced) await this.#end(link.state)
      }),
    )
    await this.#orphans.close()
    this.#folder[Symbol.dispose]()
    await Promise.all(this.#leaving)
    // Whoever replaced us uses them now.
    if (!this.#isReplaced) this.#rooms?.close()
  }

  /** A keeper stays all the same when it holds a run that was not known here. */
  async #end({ keeper }: KeeperState): Promise<void> {
    if (!sendSignal(keeper, 'SIGTERM')) return
    const deadline = performance.now() + limits.killWithinMs
    while (isAlive(keeper) && performance.now() < deadline) await pause(lookForKeeperMs)
  }

  async #endRest(run: KeptRun): Promise<void> {
    await run.kill().catch((cause: unknown) => {
      this.#log.error({ err: cause, run: run.id, key: run.key }, 'what a run left behind cannot be ended')
    })
  }

  /** Cleans up after a run that has ended. */
  async #leave({ id, key }: Pick<Run, 'id' | 'key'>): Promise<void> {
    const leaving = (this.#rooms?.clear(id) ?? Promise.resolve(true)).then(
      (isGone) => {
        if (!isGone) this.#log.warn({ run: id, key }, 'processes of a run that has ended survive being killed')
      },
      (cause: unknown) => this.#log.error({ err: cause, run: id, key }, 'cannot clean up after a run'),
    )
    this.#leaving.add(leaving)
    await leaving.finally(() => this.#leaving.delete(leaving))
  }

  #elsewhere(link: KeeperLink): readonly KeptRun[] {
    const others = [...this.#links].filter((other) => other !== link).flatMap((other) => other.runs)
    return [...others, ...this.#orphans.runs]
  }

  #openLink(): KeeperLink | undefined {
    return [...this.#links].find((link) => link.state.generation === this.#generation && !link.isOver)
  }

  /** The keeper that starts new runs. */
  #current(): Promise<KeeperLink> {
    const open = this.#openLink()
    if (open) return Promise.resolve(open)
    this.#opening ??= this.#openNew().finally(() => {
      this.#opening = undefined
    })
    return this.#opening
  }

  async #openNew(): Promise<KeeperLink> {
    const living = (states: readonly KeeperState[]) =>
      states.find(
        (state) => state.generation === this.#generation && state.protocol === protocol && this.#isLive(state),
      )
    let state = living(await this.#states())
    if (!state) await spawnKeeper(this.#folder, this.#generation)
    const deadline = performance.now() + limits.nodeCallMs
    while (!state) {
      if (performance.now() > deadline) throw new Error(`no keeper came up; see ${this.#folder.file('keeper.log')}`)
      await pause(lookForKeeperMs)
      state = living(await this.#states())
    }
    return this.#connect(state)
  }

  /** A keeper that is there but does not answer: what it holds is not lost, but out of reach. */
  async #link(state: KeeperState): Promise<void> {
    try {
      const link = await this.#connect(state)
      if (state.generation !== this.#generation) link.send({ is: 'retire' })
    } catch (error) {
      this.#log.error({ err: error, keeper: state.keeper.pid }, 'a keeper does not answer: its servers have no console')
      await this.#adoptOrphans(state)
    }
  }

  async #connect(state: KeeperState): Promise<KeeperLink> {
    const link = await KeeperLink.open(state, {
      folder: this.#folder,
      log: this.#log,
      runOf: (report, line) => this.#runOf(report, line),
      onLost: (lost, why) => void this.#lost(lost, why),
    })
    this.#links.add(link)
    return link
  }

  #runOf(report: Omit<RunReport, 'end'>, line: RunLine | undefined): KeptRun {
    return new KeptRun(report, line, {
      killTree: this.#killTree,
      log: this.#log,
      members: (run) => this.#rooms?.members(run.id) ?? [],
      judge: (run, exit) => this.#rooms?.judge(run.id, exit) ?? exit,
      onForget: (run) => {
        void this.#leave(run)
        // Nothing of a server that is down may run on; where no room knows it, the marker and the session do.
        if (this.#rooms && !this.#rooms.isKnown) void this.#endRest(run)
        for (const link of this.#links) link.forget(run)
        this.#orphans.forget(run)
      },
    })
  }

  async #lost(link: KeeperLink, why: 'died' | 'replaced'): Promise<void> {
    this.#links.delete(link)
    if (why === 'replaced') {
      this.#isReplaced = true
      this.#log.error({ keeper: link.state.keeper.pid }, 'another daemon has taken over this data folder')
    } else {
      const isEmpty = link.runs.length === 0
      if (isEmpty) this.#log.info({ keeper: link.state.keeper.pid }, 'a keeper has left')
      else this.#log.error({ keeper: link.state.keeper.pid }, 'the keeper died: its servers go on without console')
      await this.#orphans.adopt(await this.#lastState(link), link.runs)
      void this.#reattach()
    }
    this.#onLost(why)
  }

  /** Sees to it that there is a keeper again before somebody wants to start a server. */
  async #reattach(): Promise<void> {
    const { signal } = this.#closing
    try {
      await pause(this.#reattachAfterMs, undefined, { signal, ref: false })
      await this.#current()
    } catch (error) {
      if (!signal.aborted) this.#log.error({ err: error }, 'no keeper can be started')
    }
  }

  /** The keeper's last word is on disk; when that cannot be read, what it said before has to do. */
  async #lastState({ state }: KeeperLink): Promise<KeeperState> {
    const { pid, startTime } = state.keeper
    try {
      const states = await this.#states()
      return states.find(({ keeper }) => keeper.pid === pid && keeper.startTime === startTime) ?? state
    } catch (error) {
      this.#log.error({ err: error, keeper: pid }, 'what a dead keeper left cannot be read')
      return state
    }
  }

  async #adoptOrphans(state: KeeperState): Promise<void> {
    const runs: KeptRun[] = []
    const isSameBoot = state.boot === this.#boot
    const table = readProcessTable()
    const marked = readMarkers(table)
    for (const { id, key, process, exit } of state.runs) {
      // The keeper died between starting it and noting so: the first that carries the marker is the one.
      const first = marked.get(id)?.toSorted((a, b) => a.startTime - b.startTime)[0]
      const found = process ?? (isSameBoot && first ? { pid: first.pid, startTime: first.startTime } : undefined)
      if (found) runs.push(this.#runOf({ id, key, process: found, exit, acknowledged: 0 }, undefined))
    }
    await this.#orphans.adopt(state, runs, { isSameBoot, isKeeperAlive: this.#isLive(state) })
  }

  #isLive(state: KeeperState): boolean {
    return state.boot === this.#boot && isAlive(state.keeper)
  }

  #states(): Promise<KeeperState[]> {
    return readStates(this.#folder, (name, cause) =>
      this.#log.error({ err: cause, file: name }, 'the state of a keeper cannot be read: left as it is'),
    )
  }
}
