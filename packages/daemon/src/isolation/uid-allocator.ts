import { chmodSync, chownSync, lstatSync, mkdirSync, readdirSync, rmdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Owner } from '../fs/owner.ts'
import { type IdRange, ServerIds } from './server-ids.ts'

/** User ids that no distribution assigns to people, services or containers. */
export const defaultUidRange = { first: 1_900_000_000, count: 1_000_000 } as const

export type UidRange = IdRange

/** Assigns a system user to each server, persistently. */
export class UidAllocator {
  readonly #ids: ServerIds
  readonly #range: UidRange

  constructor(dataDir: string, range: UidRange = defaultUidRange) {
    this.#range = range
    this.#ids = new ServerIds(join(dataDir, 'users.json'), range, 'users')
  }

  /** The first user of the range. */
  get first(): Owner {
    const { first } = this.#range
    return { uid: first, gid: first }
  }

  /** Returns the user of a server; assigns an unused one to a new server. */
  getOwner(server: string): Owner {
    const uid = this.#ids.assign(server)
    return { uid, gid: uid }
  }

  /** Releases the user of a deleted server. */
  forget(server: string): void {
    this.#ids.forget(server)
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
export function findClosedParent(dataDir: string): string | undefined {
  for (let above = dirname(dataDir); above !== dirname(above); above = dirname(above)) {
    if ((statSync(above).mode & 0o001) === 0) return above
  }
  return undefined
}

/** Lets the users of servers traverse the data directory to their own files, copies and the runtimes, and list nothing else. */
export function allowTraversal(dataDir: string): void {
  chmodSync(dataDir, 0o711)
  for (const name of readdirSync(dataDir)) {
    const path = join(dataDir, name)
    const found = lstatSync(path)
    if (found.isSymbolicLink() || found.isSocket()) continue
    chmodSync(path, ['servers', 'runtimes', 'copies'].includes(name) ? 0o711 : found.mode & 0o700)
  }
}
