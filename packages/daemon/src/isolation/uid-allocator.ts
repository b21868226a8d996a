import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { codeOf } from '../files/error-code.ts'
import type { Owner } from './sandbox.ts'

/** Ids of which no distribution gives any to people, services or containers. */
export const defaultUidRange = { first: 1_900_000_000, count: 1_000_000 } as const

export interface UidRange {
  readonly first: number
  readonly count: number
}

const Recorded = z.record(z.string(), z.number().int().min(1))

/** Which server runs as which user of the system; written down, so that it stays so. */
export class UidAllocator {
  readonly #file: string
  readonly #range: UidRange
  #uids: ReadonlyMap<string, number>

  constructor(dataDir: string, range: UidRange = defaultUidRange) {
    this.#file = join(dataDir, 'users.json')
    this.#range = range
    this.#uids = new Map(Object.entries(Recorded.parse(JSON.parse(textIn(this.#file) ?? '{}'))))
  }

  /** The first of them all. */
  get first(): Owner {
    const { first } = this.#range
    return { uid: first, gid: first }
  }

  /** The user of a server; a new server gets one that no other has. */
  ownerOf(server: string): Owner {
    const known = this.#uids.get(server)
    if (known !== undefined) return { uid: known, gid: known }
    const uid = this.#allocate(server)
    this.#save(new Map([...this.#uids, [server, uid]]))
    return { uid, gid: uid }
  }

  /** The server is gone, and all that was its user's. */
  forget(server: string): void {
    if (!this.#uids.has(server)) return
    this.#save(new Map([...this.#uids].filter(([id]) => id !== server)))
  }

  /**
   * Begins at a place of its own for each server: then a user is hardly ever given again, and what a deleted server left
   * outside of its folder becomes nobody's.
   */
  #allocate(server: string): number {
    const { first, count } = this.#range
    const taken = new Set(this.#uids.values())
    const start = Number.parseInt(server, 16) % count || 0
    for (let step = 0; step < count; step++) {
      const uid = first + ((start + step) % count)
      if (!taken.has(uid)) return uid
    }
    throw new Error(`all of the ${count} users for servers are taken`)
  }

  #save(uids: ReadonlyMap<string, number>): void {
    const temporary = `${this.#file}.new`
    writeFileSync(temporary, JSON.stringify(Object.fromEntries(uids)), { mode: 0o600, flush: true })
    renameSync(temporary, this.#file)
    this.#uids = uids
  }
}

/** Throws where files cannot belong to the users of servers. */
export function assertChownWorks(dataDir: string, { uid, gid }: Owner): void {
  const path = join(dataDir, `.given-${process.pid}`)
  mkdirSync(path)
  try {
    chownSync(path, uid, gid)
    if (statSync(path).uid !== uid) throw new Error('they stay with whoever made them')
  } finally {
    rmdirSync(path)
  }
}

function textIn(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}

/**
 * Lets the users of servers pass through the data folder to their own and to the programs that are kept for them, and see
 * nothing else in it. Gives the folder above that they may not pass, if there is one.
 */
export function openTraversal(dataDir: string): string | undefined {
  for (let above = dirname(dataDir); above !== dirname(above); above = dirname(above)) {
    if ((statSync(above).mode & 0o001) === 0) return above
  }
  chmodSync(dataDir, 0o711)
  for (const name of readdirSync(dataDir)) {
    const path = join(dataDir, name)
    const found = lstatSync(path)
    if (found.isSymbolicLink() || found.isSocket()) continue
    chmodSync(path, ['servers', 'runtimes'].includes(name) ? 0o711 : found.mode & 0o700)
  }
  return undefined
}
