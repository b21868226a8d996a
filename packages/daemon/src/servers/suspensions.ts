import { join } from 'node:path'
import { withLock } from '@innkeeper/contract/jobs/mutex'
import { isInEffect, ServerSuspension, type Suspension } from '@innkeeper/contract/servers/suspension'
import { safeParseJson } from '@innkeeper/contract/text/parse-json'
import type { Logger } from 'pino'
import { z } from 'zod'
import { writeFileAtomic } from '../fs/atomic-write.ts'
import { readTextIfExists } from '../fs/if-exists.ts'

/** The file in the data folder. */
export const suspensionsFile = 'suspensions.json'

/** The suspended servers of this node, on disk: they stay suspended after a restart, also while no panel responds. */
export class Suspensions {
  readonly #path: string
  #suspensions: ReadonlyMap<string, Suspension>
  /** Grows with each change. */
  #version = 0

  private constructor(path: string, suspensions: ReadonlyMap<string, Suspension>) {
    this.#path = path
    this.#suspensions = suspensions
  }

  /** A damaged file counts as missing: the panel sends its suspensions again. */
  static async open(dataDir: string, log: Pick<Logger, 'error'>): Promise<Suspensions> {
    const path = join(dataDir, suspensionsFile)
    const text = await readTextIfExists(path)
    if (text === undefined) return new Suspensions(path, new Map())
    const { data = [], error } = safeParseJson(z.array(ServerSuspension), text)
    if (error) log.error({ err: error, path }, 'the suspensions of servers are damaged')
    return new Suspensions(path, new Map(data.flatMap((one) => (one.suspension ? [[one.server, one.suspension]] : []))))
  }

  get version(): number {
    return this.#version
  }

  /** Those that have not ended by themselves. */
  get all(): readonly ServerSuspension[] {
    return [...this.#suspensions.keys()].flatMap((server) => {
      const suspension = this.find(server)
      return suspension ? [{ server, suspension }] : []
    })
  }

  find(server: string): Suspension | undefined {
    const suspension = this.#suspensions.get(server)
    return suspension && isInEffect(suspension, Date.now()) ? suspension : undefined
  }

  /** Sets the suspension of a server; null ends it. Returns the one before, if it had not ended. */
  async set(server: string, suspension: Suspension | null): Promise<Suspension | undefined> {
    return await withLock([this], async () => {
      const before = this.find(server)
      if (!suspension && !this.#suspensions.has(server)) return undefined
      const changed = new Map(this.#suspensions)
      if (suspension) changed.set(server, suspension)
      else changed.delete(server)
      const stored = [...changed].map(([id, one]): ServerSuspension => ({ server: id, suspension: one }))
      await writeFileAtomic(this.#path, JSON.stringify(stored))
      this.#suspensions = changed
      this.#version++
      return before
    })
  }
}
