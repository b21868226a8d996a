import { readdir, readFile, rm } from 'node:fs/promises'
import { getCode } from '../errors/error-code.ts'
import { writeFileAtomic } from '../fs/atomic-write.ts'
import type { KeeperState, RunFolder } from './protocol.ts'

const shape = /^keeper-.+\.json$/

export function stateFileName({ generation, keeper }: Pick<KeeperState, 'generation' | 'keeper'>): string {
  return `keeper-${generation}-${keeper.pid}-${keeper.startTime}.json`
}

/** Writes the state atomically. */
export async function writeState(folder: RunFolder, state: KeeperState): Promise<void> {
  await writeFileAtomic(folder.file(stateFileName(state)), JSON.stringify(state))
}

/** Reads all state files in the directory, of live and dead keepers. Invalid files are reported and kept. */
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
      // An exiting keeper removes its file, possibly after the listing.
      if (getCode(error) !== 'ENOENT') onDamaged(name, error)
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
    throw new Error('invalid keeper state')
  return state as KeeperState
}
