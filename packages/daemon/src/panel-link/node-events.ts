import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { withLock } from '@innkeeper/contract/jobs/mutex'
import { NodeDelivery, NodeEvent } from '@innkeeper/contract/node-link/node-events'
import { limits } from '@innkeeper/contract/text/limits'
import type { Logger } from 'pino'
import { z } from 'zod/mini'
import { getCode } from '../errors/error-code.ts'
import { writeFileAtomic } from '../fs/atomic-write.ts'

/** While the panel is away for long, the oldest events are dropped. */
export const maxPendingEvents = 1_000
const subjectMax = 100

interface Options {
  readonly dataDir: string
  readonly log: Logger
}

/** An event before it is queued. */
export type NewNodeEvent = Pick<NodeEvent, 'type' | 'server'> & {
  readonly subject?: string
  readonly detail?: string
}

/** A message that this node sends itself. While it waits, `atMs` is the time of the next attempt. */
export const StoredDelivery = z.extend(NodeDelivery, { state: z.enum(['waiting', 'sent', 'failed']) })
export type StoredDelivery = z.infer<typeof StoredDelivery>

const PendingEvent = z.extend(NodeEvent, { deliveries: z._default(z.array(StoredDelivery), []) })
export type PendingEvent = z.infer<typeof PendingEvent>

/** Events for the panel, on disk until it has accepted them. */
export class NodeEvents {
  readonly #path: string
  readonly #log: Logger
  readonly #listeners = new Set<() => void>()
  /** IDs of events in a report that is being sent. */
  #reported: ReadonlySet<string> = new Set()
  /** The number of messages that are being sent, by ID of the event. */
  readonly #sending = new Map<string, number>()
  #pending: PendingEvent[] = []
  #saving: Promise<void> | undefined

  private constructor({ dataDir, log }: Options) {
    this.#path = join(dataDir, 'events.json')
    this.#log = log
  }

  static async open(options: Options): Promise<NodeEvents> {
    const events = new NodeEvents(options)
    try {
      events.#pending = z.array(PendingEvent).parse(JSON.parse(await readFile(events.#path, 'utf8')))
    } catch (cause) {
      if (getCode(cause) !== 'ENOENT') options.log.error({ err: cause }, 'failed to load the events for the panel')
    }
    return events
  }

  /** All events that the panel has not accepted, oldest first. */
  get pending(): readonly PendingEvent[] {
    return this.#pending
  }

  /** Queues an event. */
  add({ type, server, subject = '', detail = '' }: NewNodeEvent): void {
    const text = { subject: subject.slice(0, subjectMax), detail: detail.slice(0, limits.alertDetailMax) }
    this.#pending.push({ id: randomUUID(), type, server, atMs: Date.now(), ...text, deliveries: [] })
    if (this.#pending.length > maxPendingEvents) {
      // An event that messages were sent about is needed to not repeat them.
      const oldest = this.#pending.findIndex(({ deliveries }) => deliveries.length === 0)
      this.#pending.splice(Math.max(oldest, 0), 1)
    }
    void this.#save()
    for (const listener of this.#listeners) listener()
  }

  /**
   * The oldest events for a report, with the messages that this node has sent. Until the caller calls `endReport`, this
   * node sends no more messages about them; an event whose message is being sent waits for the next report.
   */
  beginReport(): NodeEvent[] {
    const busy = this.#pending.findIndex(({ id }) => this.#sending.has(id))
    const events = this.#pending.slice(0, busy < 0 ? undefined : busy).slice(0, limits.nodeEventsPerReport)
    this.#reported = new Set(events.map(({ id }) => id))
    return events.map(({ deliveries, ...event }) => ({
      ...event,
      ...(deliveries.length > 0 && { deliveries: deliveries.flatMap(toReported) }),
    }))
  }

  /** Ends a report, and removes the events that the panel has accepted. */
  async endReport(accepted: readonly NodeEvent[] = []): Promise<void> {
    this.#reported = new Set()
    if (accepted.length === 0) return
    const ids = new Set(accepted.map(({ id }) => id))
    this.#pending = this.#pending.filter(({ id }) => !ids.has(id))
    await this.#save()
  }

  /**
   * Sends a message about an event, and saves the result. Returns false, without sending, while the event is in a report:
   * the panel may have accepted it.
   */
  async deliver(id: string, send: () => Promise<StoredDelivery | undefined>): Promise<boolean> {
    if (this.#reported.has(id)) return false
    this.#sending.set(id, (this.#sending.get(id) ?? 0) + 1)
    try {
      const result = await send()
      const event = this.#pending.find((pending) => pending.id === id)
      if (!result || !event) return true
      event.deliveries = [...event.deliveries.filter((known) => !isSameMessage(known, result)), result]
      await this.#save()
      return true
    } finally {
      const left = (this.#sending.get(id) ?? 1) - 1
      if (left > 0) this.#sending.set(id, left)
      else this.#sending.delete(id)
    }
  }

  /** Calls the listener for each new event. Returns the unsubscribe function. */
  onAdded(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Waits until everything is on disk. */
  async close(): Promise<void> {
    await this.#save()
  }

  /** Resolves when the current events are saved, or the failure is logged. */
  #save(): Promise<void> {
    this.#saving ??= withLock([this], async () => {
      this.#saving = undefined
      await writeFileAtomic(this.#path, JSON.stringify(this.#pending)).catch((err: unknown) =>
        this.#log.error({ err }, 'failed to save the events for the panel'),
      )
    })
    return this.#saving
  }
}

export function isSameMessage(
  one: Pick<StoredDelivery, 'alert' | 'channel' | 'isResolved'>,
  other: Pick<StoredDelivery, 'alert' | 'channel' | 'isResolved'>,
): boolean {
  return one.alert === other.alert && one.channel === other.channel && one.isResolved === other.isResolved
}

/** The panel sends those that still wait. */
function toReported({ state, ...delivery }: StoredDelivery): NodeDelivery[] {
  return state === 'waiting' ? [] : [{ ...delivery, state }]
}
