import { untilUnlocked, withLock } from '@innkeeper/contract/jobs/mutex'
import { isAlive } from '../../proc/process-stat.ts'
import type { Exit, KeeperState, RunFolder } from '../protocol.ts'
import { removeState, writeState } from '../state-file.ts'
import type { ClientRun } from './client-run.ts'
import type { KeeperLog } from './keeper-log.ts'

const pollMs = 500
const unknown: Exit = { code: null, signal: null }

interface OrphanGroup {
  readonly state: KeeperState
  readonly runs: Map<string, ClientRun>
  /** False if the keeper is alive but unreachable: then it maintains the file itself. */
  readonly ownsStateFile: boolean
}

/**
 * Runs whose keeper is gone. A timer polls whether they are alive. The keeper's file stays until all of them are
 * released, so that the next daemon knows them too.
 */
export class Orphans {
  readonly #folder: RunFolder
  readonly #log: KeeperLog
  readonly #groups = new Set<OrphanGroup>()
  #timer: NodeJS.Timeout | undefined

  constructor(folder: RunFolder, log: KeeperLog) {
    this.#folder = folder
    this.#log = log
  }

  get runs(): readonly ClientRun[] {
    return [...this.#groups].flatMap(({ runs }) => [...runs.values()])
  }

  async add(
    state: KeeperState,
    runs: readonly ClientRun[],
    { isSameBoot = true, isKeeperAlive = false }: { isSameBoot?: boolean; isKeeperAlive?: boolean } = {},
  ): Promise<void> {
    const group = { state, runs: new Map(runs.map((run) => [run.id, run])), ownsStateFile: !isKeeperAlive }
    this.#groups.add(group)
    const exits = new Map(state.runs.map(({ id, exit }) => [id, exit]))
    for (const run of runs) {
      run.onKeeperLost()
      const exit = exits.get(run.id) ?? (isSameBoot ? undefined : unknown)
      if (exit) run.end(exit)
    }
    this.#poll()
    await this.#save(group)
  }

  release(run: ClientRun): void {
    for (const group of this.#groups) {
      if (group.runs.delete(run.id)) void withLock([this], () => this.#save(group))
    }
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer)
    await untilUnlocked(this)
  }

  #poll(): void {
    clearTimeout(this.#timer)
    for (const run of this.runs) if (run.isAlive && !isAlive(run.process)) run.end(unknown)
    if (this.runs.some((run) => run.isAlive)) this.#timer = setTimeout(() => this.#poll(), pollMs)
  }

  async #save(group: OrphanGroup): Promise<void> {
    const { state, runs, ownsStateFile } = group
    if (runs.size === 0) this.#groups.delete(group)
    if (!ownsStateFile) return
    const left = [...runs.values()].map(({ id, key, process }) => ({
      id,
      key,
      process,
      exit: state.runs.find((run) => run.id === id)?.exit,
    }))
    try {
      if (runs.size === 0) await removeState(this.#folder, state)
      else await writeState(this.#folder, { ...state, runs: left })
    } catch (error) {
      this.#log.warn({ err: error, keeper: state.keeper.pid }, 'failed to save the remaining runs of a dead keeper')
    }
  }
}
