import { chmodSync, chownSync, lstatSync, mkdirSync, readdirSync, rmdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { writeFileAtomicSync } from '../fs/atomic-write.ts'
import { readTextIfExistsSync } from '../fs/if-exists.ts'
import type { Owner } from '../fs/owner.ts'

/** User ids that no distribution assigns to people, services or containers. */
export const defaultUidRange = { first: 1_900_000_000, count: 1_000_000 } as const

export interface UidRange {
  readonly first: number
  readonly count: number
}

const Recorded = z.record(z.string(), z.number().int().min(1))

/** Assigns a system user to each server, persistently. */
export class UidAllocator {
  readonly #file: string
  readonly #range: UidRange
  #uids: ReadonlyMap<string, number>

  constructor(dataDir: string, range: UidRange = defaultUidRange) {
    this.#file = join(dataDir, 'users.json')
    this.#range = range
    this.#uids = new Map(Object.entries(Recorded.parse(JSON.parse(readTextIfExistsSync(this.#file) ?? '{}'))))
  }

  /** The first user of the range. */
  get first(): Owner {
    const { first } = this.#range
    return { uid: first, gid: first }
  }

  /** Returns the user of a server; assigns an unused one to a new server. */
  ownerOf(server: string): Owner {
    const known = this.#uids.get(server)
    if (known !== undefined) return { uid: known, gid: known }
    const uid = this.#allocate(server)
    this.#save(new Map([...this.#uids, [server, uid]]))
    return { uid, gid: uid }
  }

  /** Releases the user of a deleted server. */
  forget(server: string): void {
    if (!this.#uids.has(server)) return
    this.#save(new Map([...this.#uids].filter(([id]) => id !== server)))
  }

  /**
   * Starts the search at a hash of the server's id, so that user ids are rarely reused and files that a deleted server
   * left elsewhere belong to nobody.
   */
  #allocate(server: string): number {
    const { first, count } = this.#range
    const taken = new Set(this.#uids.values())
    const start = Number.parseInt(server, 16) % count || 0
    for (let step = 0; step < count; step++) {
      const uid = first + ((start + step) % count)
      if (!taken.has(uid)) return uid
    }
    throw new Error(`all of the ${count} users for servers are in use`)
  }

  #save(uids: ReadonlyMap<string, number>): void {
    writeFileAtomicSync(this.#file, JSON.stringify(Object.fromEntries(uids)))
    this.#uids = uids
  }
}

/** Throws when files cannot be owned by the users of servers. */
export function assertChownWorks(dataDir: string, { uid, gid }: Owner): void {
  const path = join(dataDir, `.chown-test-${process.pid}`)
  mkdirSync(path)
  try {
    chownSync(path, uid, gid)
    if (statSync(path).uid !== uid) throw new Error('chown had no effect')
  } finally {
    rmdirSync(path)
  }
}

/** Returns the first parent directory of the data directory that the users of servers cannot traverse, if any. */
export function closedParentOf(dataDir: string): string | undefined {
  for (let above = dirname(dataDir); above !== dirname(above); above = dirname(above)) {
    if ((statSync(above).mode & 0o001) === 0) return above
  }
  return undefined
}

/** Lets the users of servers traverse the data directory to their own files, copies and the runtimes, and list nothing else. */
export function openTraversal(dataDir: string): void {
  chmodSync(dataDir, 0o711)
  for (const name of readdirSync(dataDir)) {
    const path = join(dataDir, name)
    const found = lstatSync(path)
    if (found.isSymbolicLink() || found.isSocket()) continue
    chmodSync(path, ['servers', 'runtimes', 'copies'].includes(name) ? 0o711 : found.mode & 0o700)
  }
}
