import { alertRetryDelaysMs, alertTimeoutMs, deliverAlert, type PostRequest } from '@innkeeper/contract/alerts/deliver'
import { renderAlert } from '@innkeeper/contract/alerts/messages'
import { endOfQuietHours } from '@innkeeper/contract/alerts/quiet-hours'
import {
  diskDetail,
  getAlertKey,
  getDeliveryId,
  getDiskSubject,
  isDiskFull,
  recoverableAlertTypes,
  recoveryOutcome,
} from '@innkeeper/contract/alerts/rules'
import { PeriodicJob } from '@innkeeper/contract/jobs/periodic-job'
import type { NodeAlerts as Alerts } from '@innkeeper/contract/node-link/node-alerts'
import type { NodeMachine } from '@innkeeper/contract/nodes/nodes'
import { limits } from '@innkeeper/contract/text/limits'
import type { Logger } from 'pino'
import type { NodeEvents, StoredDelivery } from '../panel-link/node-events.ts'
import type { Registry } from '../servers/registry.ts'
import type { AlertFile } from './alert-file.ts'
import { type AlertPlan, type PlannedMessage, planAlerts } from './alert-plan.ts'

const messagesAtOnce = 10
/** For tests, whose panel is away after less than that. */
const minPollMs = 100

interface Deps {
  readonly file: Pick<AlertFile, 'alerts' | 'replace'>
  readonly events: Pick<NodeEvents, 'pending' | 'add' | 'deliver'>
  readonly servers: Pick<Registry, 'find'>
  readonly machine: { sample(): Promise<Pick<NodeMachine, 'disk'>> }
  readonly post: PostRequest
  /** How long the panel must be away until this node sends alerts itself. */
  readonly awayMs: number
  readonly log: Logger
  /** Epoch milliseconds. */
  readonly now?: () => number
}

/**
 * Sends alerts about this node and its servers while the panel does not accept its reports. The panel learns from the
 * events what was sent.
 */
export class NodeAlerts {
  readonly #deps: Deps & { readonly now: () => number }
  readonly #closing = new AbortController()
  readonly #polling: PeriodicJob
  /** When the panel last accepted a report, in milliseconds of the monotonic clock. */
  #contactAt = performance.now()
  #isSending = false

  constructor(deps: Deps) {
    this.#deps = { now: Date.now, ...deps }
    this.#polling = new PeriodicJob({
      everyMs: Math.max(minPollMs, Math.min(limits.alertEveryMs, deps.awayMs)),
      run: () => this.#sendIfAway(),
      onError: (err) => deps.log.error({ err }, 'sending alerts failed'),
    })
    void this.#polling.start().run()
  }

  /** The version of the channels that this node has. */
  get version(): string {
    return this.#deps.file.alerts?.version ?? ''
  }

  /** The panel has accepted a report. `alerts` are the channels if they have changed. */
  async accepted(alerts: Alerts | undefined): Promise<void> {
    this.#contactAt = performance.now()
    if (this.#isSending) this.#deps.log.info('the panel is back and sends the alerts again')
    this.#isSending = false
    if (alerts) await this.#deps.file.replace(alerts)
  }

  /** The panel does not know this node: it must not have channels of the panel any more. */
  async rejected(): Promise<void> {
    this.#contactAt = performance.now()
    if (this.#deps.file.alerts) await this.#deps.file.replace(undefined)
  }

  /** Aborts messages that are being sent; they are sent again later. */
  async close(): Promise<void> {
    this.#closing.abort()
    await this.#polling.close()
  }

  get #isAway(): boolean {
    return performance.now() - this.#contactAt >= this.#deps.awayMs
  }

  async #sendIfAway(): Promise<void> {
    const { file, events, log, now } = this.#deps
    if (!this.#isAway || !file.alerts) return
    if (!this.#isSending) log.warn('the panel is away: this node sends its alerts itself')
    this.#isSending = true
    await this.#addConditions(file.alerts, await planAlerts(file.alerts, events.pending))
    while (!this.#closing.signal.aborted && this.#isAway && file.alerts) {
      const { alerts } = file
      const { messages } = await planAlerts(alerts, events.pending)
      const at = now()
      const due = inTurns(
        messages.filter((message) => dueAt(message, at) <= at),
        ({ channel }) => channel.id,
      ).slice(0, messagesAtOnce)
      if (due.length === 0) return
      const attempts = due.map((message) => events.deliver(message.event.id, () => this.#send(alerts, message)))
      // All of them are in a report that is being sent.
      if (!(await Promise.all(attempts)).includes(true)) return
    }
  }

  /** Adds events for what the panel would conclude from the reports of this node. */
  async #addConditions({ node, channels }: Alerts, { open }: AlertPlan): Promise<void> {
    const { events, servers, machine, now } = this.#deps
    const ended = new Map<string, 'serverRecovered' | 'serverStopped'>()
    for (const { type, content } of open.values()) {
      const server = content.server && servers.find(content.server.id)
      if (!server || !recoverableAlertTypes.includes(type)) continue
      const outcome = recoveryOutcome(server.status, now())
      if (outcome !== 'lasts') ended.set(server.id, outcome === 'recovered' ? 'serverRecovered' : 'serverStopped')
    }
    for (const [server, type] of ended) events.add({ type, server })

    const subscribed = channels.filter(({ alerts }) => alerts.includes('diskFull'))
    if (subscribed.length === 0) return
    const { disk } = await machine.sample()
    for (const percent of new Set(subscribed.map(({ diskFullPercent }) => diskFullPercent))) {
      const subject = getDiskSubject(percent)
      const [isFull, isKnown] = [isDiskFull(disk, percent), open.has(getAlertKey({ type: 'diskFull', subject, node }))]
      if (isFull && !isKnown) events.add({ type: 'diskFull', server: '', subject, detail: diskDetail(disk) })
      if (!isFull && isKnown) events.add({ type: 'diskFullDone', server: '', subject })
    }
  }

  /** Makes one attempt. Returns nothing when it was aborted because this node closes: that does not count. */
  async #send(
    { titles, masterUrl }: Alerts,
    { alert, type, channel, isResolved, content, known }: PlannedMessage,
  ): Promise<StoredDelivery | undefined> {
    const { post, log, now } = this.#deps
    const id = await getDeliveryId(alert, channel.id, isResolved)
    const message = { id, type, isResolved, content }
    const attempt = async () => {
      const rendered = renderAlert(message, titles[channel.language] ?? {}, masterUrl)
      const target = { type: channel.type, url: new URL(channel.target), secret: channel.secret }
      const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(alertTimeoutMs)])
      return await deliverAlert(post, { target, message, rendered, now: now() }, signal)
    }
    // One broken message must not hold up the others.
    const { delivered, answer, isFinal } = await attempt().catch((err: unknown) => {
      log.error({ err, delivery: id }, 'an alert could not be rendered')
      return { delivered: false, answer: 'The alert could not be rendered.', isFinal: false }
    })
    if (!delivered && this.#closing.signal.aborted) return undefined
    const attempts = (known?.tries ?? 0) + 1
    const pause = alertRetryDelaysMs[attempts - 1]
    const isOver = delivered || isFinal || pause === undefined
    const fields = { delivery: id, channel: channel.id, type, tries: attempts, answer }
    if (delivered) log.info(fields, 'an alert was sent by this node')
    else log.warn(fields, isOver ? 'an alert failed permanently' : 'an alert was not accepted; it will be retried')
    return {
      alert,
      type,
      channel: channel.id,
      isResolved,
      tries: attempts,
      answer,
      state: delivered ? 'sent' : isOver ? 'failed' : 'waiting',
      atMs: isOver ? now() : now() + (pause ?? 0),
    }
  }
}

/** The first of each key, then the second of each and so on: a receiver that answers slowly holds up no others. */
function inTurns<T>(items: readonly T[], getKey: (item: T) => string): T[] {
  const taken = new Map<string, number>()
  const turns = items.map((item) => {
    const turn = taken.get(getKey(item)) ?? 0
    taken.set(getKey(item), turn + 1)
    return { item, turn }
  })
  return turns.toSorted((a, b) => a.turn - b.turn).map(({ item }) => item)
}

/** When a message may be sent: after the quiet hours, or at its next attempt. */
function dueAt({ known, channel }: PlannedMessage, now: number): number {
  return known?.atMs ?? endOfQuietHours(now, channel.quietHours)
}
