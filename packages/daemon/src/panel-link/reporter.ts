import { limits } from '@innkeeper/contract/limits'
import { reportNode } from '@innkeeper/contract/node-to-panel'
import type { NodeFeatures } from '@innkeeper/contract/nodes'
import { Refusal } from '@innkeeper/contract/refusals'
import type { Logger } from 'pino'
import type { MachineUsage } from '../proc/machine-usage.ts'
import type { Registry } from '../servers/registry.ts'
import type { NodeEvents } from './node-events.ts'
import type { PanelKeys } from './panel-keys.ts'
import type { PanelLink } from './panel-link.ts'

/** Delay of the report after a change of a server's state, to combine changes. */
const reportDelayMs = 250

interface Deps {
  readonly panel: Pick<PanelLink, 'ask'>
  readonly servers: Pick<Registry, 'servers' | 'onChange'>
  readonly features: () => NodeFeatures
  readonly machine: MachineUsage
  readonly keys: Pick<PanelKeys, 'known' | 'accept'>
  readonly events: Pick<NodeEvents, 'pending' | 'accepted' | 'onAdded'>
  readonly log: Logger
}

/**
 * Reports the state of this node and its servers to the panel: periodically, and soon after a server's state has
 * changed. While the panel is unreachable, everything continues; the next report has the current state.
 */
export class Reporter {
  readonly #deps: Deps
  readonly #stopWatching: () => void
  #timer: NodeJS.Timeout | undefined
  /** The report in progress; the next one waits for it. */
  #sending: Promise<void> | undefined
  #isReportPending = false
  #isClosed = false
  /** The last error, so that it is logged once. */
  #lastError: string | undefined

  constructor(deps: Deps) {
    this.#deps = deps
    const reportSoon = () => this.#in(reportDelayMs)
    const stopWatching = [deps.servers.onChange(reportSoon), deps.events.onAdded(reportSoon)]
    this.#stopWatching = () => {
      for (const stop of stopWatching) stop()
    }
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
      this.#in(this.#isReportPending ? reportDelayMs : limits.nodeReportEveryMs)
      this.#isReportPending = false
    })
  }

  async #send(): Promise<void> {
    const { panel, servers, features, machine, keys, events, log } = this.#deps
    try {
      const body = {
        atMs: Date.now(),
        features: features(),
        machine: await machine.sample(),
        servers: servers.servers.map((server) => server.usage),
        keys: [...keys.known],
        events: [...events.pending],
      }
      const answer = await panel.ask(reportNode, { body })
      await keys.accept(answer.keys ?? [])
      await events.accepted(body.events.slice(0, answer.events))
      if (events.pending.length > 0) this.#isReportPending = true
      if (this.#lastError !== undefined) log.info('the panel receives the reports of this node again')
      this.#lastError = undefined
    } catch (cause) {
      if (this.#isClosed) return
      const trouble = cause instanceof Refusal ? cause.code : 'ErrUnknownError'
      if (trouble === this.#lastError) return
      this.#lastError = trouble
      const skew = cause instanceof Refusal && cause.code === 'ErrClockSkew' ? Number(cause.metadata.skewMs) : undefined
      if (skew === undefined) log.warn({ err: cause }, 'failed to report to the panel')
      else
        log.error(`the clock of this host is ${Math.round(skew / 1000)} s ahead of the clock of the panel: correct it`)
    }
  }
}
