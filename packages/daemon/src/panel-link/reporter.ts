import { limits } from '@innkeeper/contract/limits'
import { reportNode } from '@innkeeper/contract/node-to-panel'
import type { NodeFeatures } from '@innkeeper/contract/nodes'
import { Refusal } from '@innkeeper/contract/refusals'
import type { Logger } from 'pino'
import type { MachineUsage } from '../proc/machine-usage.ts'
import type { Registry } from '../servers/registry.ts'
import type { PanelKeys } from './panel-keys.ts'
import type { PanelLink } from './panel-link.ts'

interface Deps {
  readonly panel: Pick<PanelLink, 'ask'>
  readonly servers: Pick<Registry, 'servers' | 'onChange'>
  readonly features: () => NodeFeatures
  readonly machine: MachineUsage
  readonly keys: Pick<PanelKeys, 'known' | 'accept'>
  readonly log: Logger
}

/**
 * Tells the panel how this node and its servers are: regularly, and soon after the state of a server changed. While the
 * panel is away everything goes on; the next report tells how it is then.
 */
export class Reporter {
  readonly #deps: Deps
  readonly #stopWatching: () => void
  #timer: NodeJS.Timeout | undefined
  /** The report on its way; the next one waits for it. */
  #sending: Promise<void> | undefined
  #isReportPending = false
  #isClosed = false
  /** What was wrong the last time, so that it is said once. */
  #lastError: string | undefined

  constructor(deps: Deps) {
    this.#deps = deps
    this.#stopWatching = deps.servers.onChange(() => this.#in(limits.nodeReportDelayMs))
    this.#in(0)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#stopWatching()
    clearTimeout(this.#timer)
    await this.#sending
  }

  #in(ms: number): void {
    if (this.#isClosed) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#report(), ms)
  }

  #report(): void {
    if (this.#sending) {
      this.#isReportPending = true
      return
    }
    this.#sending = this.#send().finally(() => {
      this.#sending = undefined
      this.#in(this.#isReportPending ? limits.nodeReportDelayMs : limits.nodeReportEveryMs)
      this.#isReportPending = false
    })
  }

  async #send(): Promise<void> {
    const { panel, servers, features, machine, keys, log } = this.#deps
    try {
      const body = {
        atMs: Date.now(),
        features: features(),
        machine: await machine.sample(),
        servers: servers.servers.map((server) => server.usage),
        keys: [...keys.known],
      }
      const answer = await panel.ask(reportNode, { body })
      await keys.accept(answer.keys ?? [])
      if (this.#lastError !== undefined) log.info('the panel hears of this node again')
      this.#lastError = undefined
    } catch (cause) {
      if (this.#isClosed) return
      const trouble = cause instanceof Refusal ? cause.code : 'ErrUnknownError'
      if (trouble === this.#lastError) return
      this.#lastError = trouble
      const skew = cause instanceof Refusal && cause.code === 'ErrClockSkew' ? Number(cause.metadata.skewMs) : undefined
      if (skew === undefined) log.warn({ err: cause }, 'the panel does not hear of this node')
      else
        log.error(
          `the clock of this machine is ${Math.round(skew / 1000)} s ahead of the clock of the panel: set it right`,
        )
    }
  }
}
