import { BackupRetention } from '@innkeeper/contract/backups/backup-retention'
import { safeParseJson } from '@innkeeper/contract/text/parse-json'
import type { Logger } from 'pino'
import { z } from 'zod/mini'
import { writeFileAtomic } from '../fs/atomic-write.ts'
import { readTextIfExists } from '../fs/if-exists.ts'

/** In the file, and in the response of the panel; older versions have no source. */
const Stored = z.extend(BackupRetention, { source: z._default(z.enum(['node', 'panel']), 'panel') })

/** A default retention that the panel has for this node, or for all nodes. */
export interface StoredRetention {
  readonly retention: BackupRetention
  readonly source: 'node' | 'panel'
}

/** The default retention from the panel, on disk: it also applies while the panel does not respond. */
export class PanelRetention {
  readonly #path: string
  #stored: StoredRetention | undefined

  private constructor(path: string, stored: StoredRetention | undefined) {
    this.#path = path
    this.#stored = stored
  }

  /** A damaged file counts as missing: the panel sends its retention again. */
  static async open(path: string, log: Logger): Promise<PanelRetention> {
    const text = await readTextIfExists(path)
    if (text === undefined) return new PanelRetention(path, undefined)
    const { data, error } = safeParseJson(Stored, text)
    if (!data) log.error({ err: error, path }, 'the retention of the panel is damaged')
    const { source, ...retention } = data ?? {}
    return new PanelRetention(path, source && { source, retention: retention as BackupRetention })
  }

  /** Undefined when neither this node nor the panel has one. A panel that keeps everything has none. */
  get current(): StoredRetention | undefined {
    const { retention, source } = this.#stored ?? {}
    if (!retention || !source) return undefined
    const isSet = source === 'node' || Object.values(retention).some((value) => value > 0)
    return isSet ? { retention, source } : undefined
  }

  /** Older panels send none, or no source. */
  async set(retention: BackupRetention | undefined, source: StoredRetention['source'] = 'panel'): Promise<void> {
    if (retention === undefined) return
    const changed = { retention, source }
    if (JSON.stringify(changed) === JSON.stringify(this.#stored)) return
    await writeFileAtomic(this.#path, JSON.stringify({ ...retention, source }))
    this.#stored = changed
  }
}
