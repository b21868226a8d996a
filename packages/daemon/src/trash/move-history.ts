import { unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { withLock } from '@innkeeper/contract/jobs/mutex'
import { parseJsonOrUndefined } from '@innkeeper/contract/text/parse-json'
import { z } from 'zod'
import { writeFileAtomic } from '../fs/atomic-write.ts'
import { ifExists, readTextIfExists } from '../fs/if-exists.ts'

const Move = z.object({ from: z.string(), to: z.string(), at: z.string() })
/** A renamed or moved file or folder; `at` is an ISO 8601 time. */
type Move = z.infer<typeof Move>

/** A path that a file has or had. Contents that were discarded there after `until` are of another file. */
export interface PreviousPath {
  readonly path: string
  /** ISO 8601; missing for the current path. */
  readonly until?: string | undefined
}

export const maxMoves = 500
/** Folders that are moved into each other again and again could have a number of former paths that grows exponentially. */
const maxFormerPaths = 100

/** The renames and moves of files that have former contents in the trash of a server, in `moves.json`. */
export class MoveHistory {
  readonly #path: string
  #loaded: Promise<readonly Move[]> | undefined

  constructor(directory: string) {
    this.#path = join(directory, 'moves.json')
  }

  /** The paths that a file had, its current one first. */
  async formerPaths(path: string): Promise<PreviousPath[]> {
    const found = new Map<string, string | undefined>([[path, undefined]])
    for (const { from, to, at } of (await this.#load()).toReversed()) {
      for (const [known, until] of [...found]) {
        if (until !== undefined && until < at) continue
        if (known !== to && !isBelow(known, to)) continue
        const former = from + known.slice(to.length)
        if (!found.has(former) && found.size < maxFormerPaths) found.set(former, at)
      }
    }
    return [...found].map(([former, until]) => ({ path: former, until }))
  }

  /** Whether a file below a folder was moved there. */
  async hasMovedInto(folder: string): Promise<boolean> {
    return (await this.#load()).some(({ to }) => isBelow(to, folder))
  }

  async add(from: string, to: string): Promise<void> {
    await this.#change((moves) => [...moves, { from, to, at: new Date().toISOString() }].slice(-maxMoves))
  }

  /** Forgets the moves before the oldest entry of the trash, or all without one. */
  async forgetBefore(oldest: string | undefined): Promise<void> {
    await this.#change((moves) => (oldest === undefined ? [] : moves.filter(({ at }) => at >= oldest)))
  }

  async #change(change: (moves: readonly Move[]) => readonly Move[]): Promise<void> {
    await withLock([this], async () => {
      const moves = await this.#load()
      const changed = change(moves)
      if (changed.length === 0 && moves.length === 0) return
      if (changed.length === moves.length && changed.at(-1) === moves.at(-1)) return
      if (changed.length === 0) await ifExists(unlink(this.#path))
      else await writeFileAtomic(this.#path, JSON.stringify(changed), { fsync: false })
      this.#loaded = Promise.resolve(changed)
    })
  }

  async #load(): Promise<readonly Move[]> {
    this.#loaded ??= this.#read().catch((error: unknown) => {
      this.#loaded = undefined
      throw error
    })
    return await this.#loaded
  }

  /** A damaged file has no moves: their files only lose versions of former paths. */
  async #read(): Promise<readonly Move[]> {
    const text = await readTextIfExists(this.#path)
    return (text !== undefined && z.array(Move).safeParse(parseJsonOrUndefined(text)).data) || []
  }
}

export function isBelow(path: string, folder: string): boolean {
  return path.startsWith(`${folder}/`)
}
