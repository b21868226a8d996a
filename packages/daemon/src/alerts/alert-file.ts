import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { NodeAlerts } from '@innkeeper/contract/node-link/node-alerts'
import type { Logger } from 'pino'
import { writeFileAtomic } from '../fs/atomic-write.ts'
import { readTextIfExists } from '../fs/if-exists.ts'

interface Options {
  readonly dataDir: string
  readonly log: Logger
}

/**
 * The channels of this node with their secrets, as the panel has sent them. Only the user of the daemon can read the
 * file; nothing returns or logs them.
 */
export class AlertFile {
  readonly #path: string
  #alerts: NodeAlerts | undefined

  private constructor(path: string, alerts: NodeAlerts | undefined) {
    this.#path = path
    this.#alerts = alerts
  }

  static async open({ dataDir, log }: Options): Promise<AlertFile> {
    const path = join(dataDir, 'alerts.json')
    try {
      const text = await readTextIfExists(path)
      return new AlertFile(path, text === undefined ? undefined : NodeAlerts.parse(JSON.parse(text)))
    } catch (error) {
      // The message of a parser could contain a secret. The panel sends them again.
      log.error({ path, name: error instanceof Error ? error.name : '' }, 'failed to load the channels for alerts')
      return new AlertFile(path, undefined)
    }
  }

  get alerts(): NodeAlerts | undefined {
    return this.#alerts
  }

  /** Without channels the file is removed. */
  async replace(alerts: NodeAlerts | undefined): Promise<void> {
    this.#alerts = alerts && alerts.channels.length > 0 ? alerts : undefined
    if (this.#alerts) await writeFileAtomic(this.#path, JSON.stringify(this.#alerts))
    else await rm(this.#path, { force: true })
  }
}
