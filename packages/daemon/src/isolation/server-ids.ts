import { z } from 'zod'
import { writeFileAtomicSync } from '../fs/atomic-write.ts'
import { readTextIfExistsSync } from '../fs/if-exists.ts'

export interface IdRange {
  readonly first: number
  readonly count: number
}

const ServerIdsFile = z.record(z.string(), z.number().int().min(1))

/** Assigns a number of a range to each server, persistently. */
export class ServerIds {
  readonly #file: string
  readonly #range: IdRange
  readonly #name: string
  #ids: ReadonlyMap<string, number>

  /** `name` describes the numbers in errors. */
  constructor(file: string, range: IdRange, name: string) {
    this.#file = file
    this.#range = range
    this.#name = name
    this.#ids = new Map(Object.entries(ServerIdsFile.parse(JSON.parse(readTextIfExistsSync(this.#file) ?? '{}'))))
  }

  /** The assigned numbers by server. */
  get assigned(): ReadonlyMap<string, number> {
    return this.#ids
  }

  /** Returns the number of a server; assigns an unused one to a new server, not one of `taken`. */
  assign(server: string, taken: ReadonlySet<number> = new Set()): number {
    const known = this.#ids.get(server)
    if (known !== undefined) return known
    const id = this.#allocate(server, taken)
    this.#save(new Map([...this.#ids, [server, id]]))
    return id
  }

  /** Releases the number of a deleted server. */
  forget(server: string): void {
    if (!this.#ids.has(server)) return
    this.#save(new Map([...this.#ids].filter(([id]) => id !== server)))
  }

  /**
   * Starts the search at a hash of the server's id, so that numbers are rarely reused and files that a deleted server
   * left elsewhere belong to no user.
   */
  #allocate(server: string, taken: ReadonlySet<number>): number {
    const { first, count } = this.#range
    const used = new Set(this.#ids.values())
    const start = Number.parseInt(server, 16) % count || 0
    for (let step = 0; step < count; step++) {
      const id = first + ((start + step) % count)
      if (!used.has(id) && !taken.has(id)) return id
    }
    throw new Error(`all of the ${count} ${this.#name} for servers are in use`)
  }

  #save(ids: ReadonlyMap<string, number>): void {
    writeFileAtomicSync(this.#file, JSON.stringify(Object.fromEntries(ids)))
    this.#ids = ids
  }
}
