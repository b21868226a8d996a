import { isAlive } from '../../proc/process-stat.ts'
import type { Exit, KeeperState } from '../protocol.ts'
import type { RunFolder } from '../run-folder.ts'
import { removeState, writeState } from '../state-file.ts'
import type { KeeperLog } from './keeper-log.ts'
import type { KeptRun } from './kept-run.ts'

const lookMs = 500
const unknown: Exit = { code: null, signal: null }

interface Heritage {
  readonly state: KeeperState
  readonly runs: Map<string, KeptRun>
  /** A keeper that lives, though nobody can talk to it, minds its own file. */
  readonly isOurs: boolean
}

/**
 * Runs whose keeper is gone. One timer looks whether they are alive, while there are any. The file that the keeper left
 * stays until all of them are forgotten, so that the next daemon knows them too.
 */
export class Orphans {
  readonly #folder: RunFolder
  readonly #log: KeeperLog
  readonly #heritages = new Set<Heritage>()
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> = Promise.resolve()

  constructor(folder: RunFolder, log: KeeperLog) {
    this.#folder = folder
    this.#log = log
  }

  get runs(): readonly KeptRun[] {
    return [...this.#heritages].flatMap(({ runs }) => [...runs.values()])
  }

  async adopt(
    state: KeeperState,
    runs: readonly KeptRun[],
    { isSameBoot = true, isKeeperAlive = false }: { isSameBoot?: boolean; isKeeperAlive?: boolean } = {},
  ): Promise<void> {
    const heritage = { state, runs: new Map(runs.map((run) => [run.id, run])), isOurs: !isKeeperAlive }
    this.#heritages.add(heritage)
    const exits = new Map(state.runs.map(({ id, exit }) => [id, exit]))
    for (const run of runs) {
      run.lose()
      const exit = exits.get(run.id) ?? (isSameBoot ? undefined : unknown)
      if (exit) run.end(exit)
    }
    this.#look()
    await this.#save(heritage)
  }

  forget(run: KeptRun): void {
    for (const heritage of this.#heritages) {
      if (heritage.runs.delete(run.id)) this.#writing = this.#writing.then(() => this.#save(heritage))
    }
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer)
    await this.#writing
  }

  #look(): void {
    clearTimeout(this.#timer)
    for (const run of this.runs) if (run.isAlive && !isAlive(run.process)) run.end(unknown)
    if (this.runs.some((run) => run.isAlive)) this.#timer = setTimeout(() => this.#look(), lookMs)
  }

  async #save(heritage: Heritage): Promise<void> {
    const { state, runs, isOurs } = heritage
    if (runs.size === 0) this.#heritages.delete(heritage)
    if (!isOurs) return
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
      this.#log.warn({ err: error, keeper: state.keeper.pid }, 'cannot note which runs of a dead keeper are left')
    }
  }
}
