import type { DeliveryResult } from '@innkeeper/contract/delivery-error'
import { limits } from '@innkeeper/contract/limits'
import type { MailKind } from '@innkeeper/contract/mail'
import { PeriodicJob } from '@innkeeper/contract/periodic-job'
import type { Logger } from 'pino'
import { z } from 'zod'
import { isDatabaseError } from '../database/errors.ts'
import type { Database, MailRow } from '../database/schema.ts'
import { sendBatches } from '../queue/leases.ts'
import { MailLeases } from './leases.ts'
import type { SendMail } from './mailer.ts'
import { isLinked, type MessageData } from './messages.ts'
import { sendTimeoutMs } from './smtp.ts'

/** Delays before further attempts; after the last one the mail has failed. */
export const retryDelaysMs = [60_000, 300_000, 1_800_000, 7_200_000, 43_200_000] as const

interface Deps {
  readonly db: Database
  readonly post: SendMail
  /** Called when a mail was sent, or has failed permanently. */
  readonly onEnd?: (mail: MailRow, result: DeliveryResult) => Promise<void>
  readonly log: Logger
  readonly now: () => number
}

/** Sends the mails of the queue, one worker per panel. */
export class MailWorker {
  readonly #deps: Deps
  readonly #closing = new AbortController()
  readonly #leases: MailLeases
  readonly #polling = new PeriodicJob({
    everyMs: limits.mailEveryMs,
    run: () => this.#poll(),
    onError: (error) => this.#reportError(error),
  })
  #sending: Promise<void> | undefined

  constructor(deps: Deps) {
    this.#deps = deps
    this.#leases = new MailLeases({ db: deps.db, now: deps.now, signal: this.#closing.signal })
  }

  /** Starts polling. */
  start(): void {
    this.#polling.start()
  }

  /** Polls soon, because a mail was queued. */
  wake(): void {
    this.#polling.wake()
  }

  /** Sends all mails that are due. */
  async sendDue(): Promise<void> {
    this.#sending ??= sendBatches(
      () => this.#leases.acquire(),
      (mail) => this.#send(mail),
      this.#closing.signal,
    ).finally(() => {
      this.#sending = undefined
    })
    await this.#sending
  }

  /** Aborts deliveries; their mails stay in the queue. */
  async close(): Promise<void> {
    this.#closing.abort()
    // Errors are reported to the caller; the database may be unavailable during shutdown.
    await Promise.allSettled([this.#polling.close(), this.#sending])
  }

  async #poll(): Promise<void> {
    await this.sendDue()
    await this.#leases.purge()
  }

  #reportError(error: unknown): void {
    // Database outages are logged elsewhere; the mails are sent later.
    const level = isDatabaseError(error) ? 'debug' : 'error'
    this.#deps.log[level]({ err: error }, 'processing the mail queue failed')
  }

  async #send(mail: MailRow): Promise<void> {
    const { log, post } = this.#deps
    const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(sendTimeoutMs)])
    const draft = { id: mail.id, kind: mail.kind as MailKind, to: mail.recipient, language: mail.language }
    const facts = parseFacts(mail.facts)
    let outcome: DeliveryResult
    try {
      outcome = facts ? await post({ ...draft, facts }, signal) : damaged
    } catch (error) {
      if (isDatabaseError(error)) return this.#leases.release(mail)
      log.error({ err: error, mail: mail.id, kind: mail.kind }, 'a mail could not be rendered')
      outcome = { delivered: false, answer: 'The mail could not be rendered.', isFinal: false }
    }
    if (!outcome.delivered && this.#closing.signal.aborted) await this.#leases.release(mail)
    else await this.#recordResult(mail, outcome)
  }

  /** Records the result of a delivery, unless the lease has expired. */
  async #recordResult(mail: MailRow, { delivered, answer, isFinal }: DeliveryResult): Promise<void> {
    const { log, now } = this.#deps
    const [at, pause] = [now(), retryDelaysMs[mail.tries - 1]]
    const isOver = delivered || isFinal || pause === undefined
    const logFields = { mail: mail.id, kind: mail.kind, tries: mail.tries, answer }
    if (delivered) log.info(logFields, 'a mail was sent')
    else log.warn(logFields, isOver ? 'a mail failed permanently' : 'a mail was not accepted; it will be retried')
    await this.#leases.update(mail, {
      state: delivered ? 'sent' : isOver ? 'failed' : 'waiting',
      next_at: at + (pause ?? 0),
      ended_at: isOver ? at : null,
      last_error: delivered ? '' : answer,
      lease: '',
      // Links grant access, so they are deleted as soon as the mail was sent.
      ...(delivered || (isOver && isLinked(mail.kind)) ? { facts: '{}' } : {}),
    })
    if (isOver) await this.#deps.onEnd?.(mail, { delivered, answer, isFinal })
  }
}

const damaged: DeliveryResult = { delivered: false, answer: 'Its data is damaged.', isFinal: true }
const StoredFacts = z.record(z.string(), z.string())

/** Parses the data of a row; `undefined` when it is damaged. */
function parseFacts(text: string): MessageData | undefined {
  try {
    return StoredFacts.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}
