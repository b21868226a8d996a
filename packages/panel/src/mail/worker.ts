import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { limits } from '@innkeeper/contract/limits'
import type { MailKind } from '@innkeeper/contract/mail'
import type { Logger } from 'pino'
import { z } from 'zod'
import { isDatabaseError } from '../database/errors.ts'
import type { Database, MailRow } from '../database/schema.ts'
import type { DeliveryResult, SendMail } from './mailer.ts'
import { type Facts, isLinked } from './messages.ts'

interface Deps {
  readonly db: Database
  readonly post: SendMail
  readonly log: Logger
  readonly now: () => number
}

/** A row that was just queued is seen after its transaction. */
const wakeDelayMs = 100
const purgeEveryMs = 60 * 60 * 1000

/**
 * Sends what is in the queue, one worker on each panel. A mail belongs to the worker that changed its row first, for the
 * time of a lease: what a panel was sending when it died goes to another.
 */
export class MailWorker {
  readonly #deps: Deps
  readonly #closing = new AbortController()
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> | undefined
  #isWanted = false
  #isSoon = false
  #purgedAt = 0

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** Begins to look again and again. */
  start(): void {
    this.#schedule(limits.mailEveryMs)
  }

  /** Looks soon, because there may be something new. */
  wake(): void {
    if (this.#running) this.#isWanted = true
    else if (this.#timer && !this.#isSoon) {
      // Not later again with every nudge that follows.
      this.#isSoon = true
      this.#schedule(wakeDelayMs)
    }
  }

  /** Sends everything that is due now. */
  async sendDue(): Promise<void> {
    this.#running ??= this.#sendAll().finally(() => {
      this.#running = undefined
    })
    await this.#running
  }

  /** What is being sent is broken off and left for later. */
  async close(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#closing.abort()
    // Whoever began it hears how it ended: the database may be away, and its last words are not for who closes.
    await Promise.allSettled([this.#running])
  }

  #schedule(ms: number): void {
    if (this.#closing.signal.aborted) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.#poll(), ms)
    this.#timer.unref()
  }

  async #poll(): Promise<void> {
    this.#isWanted = false
    this.#isSoon = false
    try {
      await this.sendDue()
      await this.#purge()
    } catch (error) {
      // A database that is away is told of elsewhere, again and again; what waits in it goes out later.
      const level = isDatabaseError(error) ? 'debug' : 'error'
      this.#deps.log[level]({ err: error }, 'the mail queue could not be worked on')
    }
    this.#schedule(this.#isWanted ? wakeDelayMs : limits.mailEveryMs)
  }

  async #sendAll(): Promise<void> {
    while (!this.#closing.signal.aborted) {
      const taken = await this.#acquire()
      if (taken.length === 0) return
      const ends = await Promise.allSettled(taken.map((mail) => this.#send(mail)))
      const failed = ends.find((end) => end.status === 'rejected')
      if (failed) throw failed.reason
    }
  }

  /** Makes some of what is due ours. */
  async #acquire(): Promise<MailRow[]> {
    const { db, now } = this.#deps
    const at = now()
    const due = await db
      .selectFrom('mails')
      .selectAll()
      .where('state', 'in', ['waiting', 'sending'])
      .where('next_at', '<=', at)
      .orderBy('next_at')
      .limit(limits.mailAtOnce)
      .execute()
    const taken: MailRow[] = []
    for (const mail of due) {
      const ours = { state: 'sending', tries: mail.tries + 1, next_at: at + limits.mailLeaseMs, lease: randomUUID() }
      const taking = db
        .updateTable('mails')
        .set(ours)
        .where('id', '=', mail.id)
        .where('state', '=', mail.state)
        .where('lease', '=', mail.lease)
        .where('next_at', '=', mail.next_at)
      const done = await taking.executeTakeFirst().catch((error: unknown) => {
        // What is ours already would otherwise wait for the end of its lease.
        if (taken.length === 0 || !isDatabaseError(error)) throw error
        return undefined
      })
      if (!done) break
      if (done.numUpdatedRows > 0n) taken.push({ ...mail, ...ours })
    }
    return taken
  }

  async #send(mail: MailRow): Promise<void> {
    const { log, post } = this.#deps
    const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(limits.mailSendMs)])
    const draft = { id: mail.id, kind: mail.kind as MailKind, to: mail.recipient, language: mail.language }
    const facts = parseFacts(mail.facts)
    let outcome: DeliveryResult
    try {
      outcome = facts ? await post({ ...draft, facts }, signal) : damaged
    } catch (error) {
      if (isDatabaseError(error)) return this.#release(mail)
      log.error({ err: error, mail: mail.id, kind: mail.kind }, 'a mail could not be written')
      outcome = { delivered: false, answer: 'It could not be written.', isFinal: false }
    }
    if (!outcome.delivered && this.#closing.signal.aborted) await this.#release(mail)
    else await this.#recordResult(mail, outcome)
  }

  /** Writes down what became of it, unless the lease ran out meanwhile. */
  async #recordResult(mail: MailRow, { delivered, answer, isFinal }: DeliveryResult): Promise<void> {
    const { log, now } = this.#deps
    const [at, pause] = [now(), limits.mailRetryMs[mail.tries - 1]]
    const isOver = delivered || isFinal || pause === undefined
    const told = { mail: mail.id, kind: mail.kind, tries: mail.tries, answer }
    if (delivered) log.info(told, 'a mail was sent')
    else log.warn(told, isOver ? 'a mail was given up' : 'a mail was not taken; it will be tried again')
    await this.#retryUpdate(mail, {
      state: delivered ? 'sent' : isOver ? 'failed' : 'waiting',
      next_at: at + (pause ?? 0),
      ended_at: isOver ? at : null,
      last_error: delivered ? '' : answer,
      lease: '',
      // Links let in whoever has them, so none is kept longer than it takes to send it.
      ...(delivered || (isOver && isLinked(mail.kind)) ? { facts: '{}' } : {}),
    })
  }

  /**
   * Changes a row that is ours. While the database is away it is tried again, for as long as the row stays ours: what was
   * sent, and is not known to be, would be sent again by the next.
   */
  async #retryUpdate({ id, lease, next_at }: MailRow, changed: Partial<MailRow>): Promise<void> {
    const { db, now } = this.#deps
    for (;;) {
      try {
        await db.updateTable('mails').set(changed).where('id', '=', id).where('lease', '=', lease).execute()
        return
      } catch (error) {
        if (!isDatabaseError(error) || now() >= next_at || this.#closing.signal.aborted) throw error
      }
      // Closing ends the pause, and is followed by a last try.
      await sleep(limits.mailRecordRetryMs, undefined, { signal: this.#closing.signal }).catch(() => {})
    }
  }

  /** It was not sent, and that was not because of it. */
  async #release(mail: MailRow): Promise<void> {
    await this.#retryUpdate(mail, { state: 'waiting', tries: mail.tries - 1, next_at: this.#deps.now(), lease: '' })
  }

  async #purge(): Promise<void> {
    const { db, now } = this.#deps
    const at = now()
    if (at - this.#purgedAt < purgeEveryMs) return
    this.#purgedAt = at
    await db
      .deleteFrom('mails')
      .where('state', 'in', ['sent', 'failed'])
      .where('created_at', '<', at - limits.mailKeptMs)
      .execute()
  }
}

const damaged: DeliveryResult = { delivered: false, answer: 'What it tells is damaged.', isFinal: true }
const StoredFacts = z.record(z.string(), z.string())

/** What a row tells; `undefined` for what nobody can read. */
function parseFacts(text: string): Facts | undefined {
  try {
    return StoredFacts.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}
