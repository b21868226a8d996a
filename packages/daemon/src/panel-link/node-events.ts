import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { NodeEvent } from '@innkeeper/contract/alerts'
import { limits } from '@innkeeper/contract/limits'
import { withLock } from '@innkeeper/contract/mutex'
import type { Logger } from 'pino'
import { z } from 'zod'
import { codeOf } from '../errors/error-code.ts'
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

/** Events for the panel, on disk until it has accepted them. */
export class NodeEvents {
  readonly #path: string
  readonly #log: Logger
  readonly #listeners = new Set<() => void>()
  #pending: NodeEvent[] = []
  #saving: Promise<void> | undefined

  private constructor({ dataDir, log }: Options) {
    this.#path = join(dataDir, 'events.json')
    this.#log = log
  }

  static async open(options: Options): Promise<NodeEvents> {
    const events = new NodeEvents(options)
    try {
      events.#pending = z.array(NodeEvent).parse(JSON.parse(await readFile(events.#path, 'utf8')))
    } catch (cause) {
      if (codeOf(cause) !== 'ENOENT') options.log.error({ err: cause }, 'failed to load the events for the panel')
    }
    return events
  }

  /** The oldest events, as many as fit into a report. */
  get pending(): readonly NodeEvent[] {
    return this.#pending.slice(0, limits.nodeEventsPerReport)
  }

  /** Queues an event. */
  add({ type, server, subject = '', detail = '' }: NewNodeEvent): void {
    const text = { subject: subject.slice(0, subjectMax), detail: detail.slice(0, limits.alertDetailMax) }
    this.#pending.push({ id: randomUUID(), type, server, atMs: Date.now(), ...text })
    if (this.#pending.length > maxPendingEvents) this.#pending.shift()
    void this.#save()
    for (const listener of this.#listeners) listener()
  }

  /** Removes events that the panel has accepted. */
  async accepted(events: readonly NodeEvent[]): Promise<void> {
    if (events.length === 0) return
    const ids = new Set(events.map(({ id }) => id))
    this.#pending = this.#pending.filter(({ id }) => !ids.has(id))
    await this.#save()
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

  /** Resolves when the present events are saved, or the failure is logged. */
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
