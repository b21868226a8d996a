import { mkdir, readdir } from 'node:fs/promises'
import { ServerId } from '@innkeeper/contract/text/names'
import type { Logger } from 'pino'
import { BackupIndex } from './backup-index.ts'

/** The indexes of the backups of all servers. */
export class BackupIndexes {
  readonly #dir: string
  readonly #log: Logger
  readonly #indexes = new Map<string, BackupIndex>()

  /** `dir` is a directory of the daemon. */
  constructor(dir: string, log: Logger) {
    this.#dir = dir
    this.#log = log
  }

  of(server: string): BackupIndex {
    const index = this.#indexes.get(server) ?? new BackupIndex(this.#dir, server, this.#log)
    this.#indexes.set(server, index)
    return index
  }

  /** The servers that have backups, or had some that targets still have. */
  async servers(): Promise<string[]> {
    await mkdir(this.#dir, { recursive: true, mode: 0o700 })
    const names = (await readdir(this.#dir)).filter((name) => name.endsWith('.json'))
    return names.flatMap((name) => ServerId.safeParse(name.slice(0, -'.json'.length)).data ?? [])
  }
}
