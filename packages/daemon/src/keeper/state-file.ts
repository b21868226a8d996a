import { open, readdir, readFile, rename, rm } from 'node:fs/promises'
import type { KeeperState } from './protocol.ts'
import type { RunFolder } from './run-folder.ts'

const shape = /^keeper-.+\.json$/

export function stateFileName({ generation, keeper }: Pick<KeeperState, 'generation' | 'keeper'>): string {
  return `keeper-${generation}-${keeper.pid}-${keeper.startTime}.json`
}

/**
 * Keeps a keeper's state on disk. Every save that is asked for while one is being written is done by one next write,
 * so a save resolves when what was true at its call is on disk.
 */
export class StateFile {
  readonly #folder: RunFolder
  readonly #state: () => KeeperState
  #writing: Promise<void> = Promise.resolve()
  #next: Promise<void> | undefined

  constructor(folder: RunFolder, state: () => KeeperState) {
    this.#folder = folder
    this.#state = state
  }

  save(): Promise<void> {
    this.#next ??= this.#writing.then(
      () => this.#write(),
      () => this.#write(),
    )
    return this.#next
  }

  async #write(): Promise<void> {
    this.#writing = this.#next ?? Promise.resolve()
    this.#next = undefined
    await writeState(this.#folder, this.#state())
  }
}

/** Writes the whole state or nothing. */
export async function writeState(folder: RunFolder, state: KeeperState): Promise<void> {
  const name = stateFileName(state)
  const temporary = folder.file(`.${name}.new`)
  const file = await open(temporary, 'w', 0o600)
  try {
    await file.writeFile(JSON.stringify(state))
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(temporary, folder.file(name))
}

/** All states in the folder, of keepers alive and dead; a file that is none is reported and left alone. */
export async function readStates(
  folder: RunFolder,
  onDamaged: (name: string, cause: unknown) => void,
): Promise<KeeperState[]> {
  const states: KeeperState[] = []
  for (const name of await readdir(folder.path)) {
    if (!shape.test(name)) continue
    try {
      states.push(parseState(await readFile(folder.file(name), 'utf8')))
    } catch (error) {
      // A keeper that leaves takes its file along, perhaps between the listing and here.
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) onDamaged(name, error)
    }
  }
  return states
}

export async function removeState(folder: RunFolder, state: KeeperState): Promise<void> {
  await rm(folder.file(state.socket), { force: true })
  await rm(folder.file(stateFileName(state)), { force: true })
}

function parseState(text: string): KeeperState {
  const state: unknown = JSON.parse(text)
  if (
    typeof state !== 'object' ||
    state === null ||
    !('keeper' in state && 'runs' in state && Array.isArray(state.runs))
  )
    throw new Error('not the state of a keeper')
  return state as KeeperState
}
