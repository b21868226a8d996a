import { BackupRetention, keepEverything } from '@innkeeper/contract/backup-retention'
import { safeParseJson } from '@innkeeper/contract/parse-json'
import type { Logger } from 'pino'
import { writeFileAtomic } from '../fs/atomic-write.ts'
import { readTextIfExists } from '../fs/if-exists.ts'

/** The default retention of the panel, on disk: it also applies while the panel does not respond. */
export class PanelRetention {
  readonly #path: string
  /** Undefined when everything is kept. */
  current: BackupRetention | undefined

  private constructor(path: string, stored: BackupRetention | undefined) {
    this.#path = path
    this.current = stored
  }

  /** A damaged file counts as missing: the panel sends its retention again. */
  static async open(path: string, log: Logger): Promise<PanelRetention> {
    const text = await readTextIfExists(path)
    if (text === undefined) return new PanelRetention(path, undefined)
    const { data, error } = safeParseJson(BackupRetention, text)
    if (!data) log.error({ err: error, path }, 'the retention of the panel is damaged')
    return new PanelRetention(path, data && orNothing(data))
  }

  /** Older panels send none. */
  async set(retention: BackupRetention | undefined): Promise<void> {
    if (retention === undefined) return
    const text = JSON.stringify(retention)
    if (text === JSON.stringify(this.current ?? keepEverything)) return
    await writeFileAtomic(this.#path, text)
    this.current = orNothing(retention)
  }
}

const orNothing = (retention: BackupRetention): BackupRetention | undefined =>
  Object.values(retention).some((value) => value > 0) ? retention : undefined
