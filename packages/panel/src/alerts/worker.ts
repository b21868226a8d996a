import { alertRetryDelaysMs, alertTimeoutMs } from '@innkeeper/contract/alerts/deliver'
import type { DeliveryResult } from '@innkeeper/contract/alerts/delivery-error'
import type { PeriodicJob } from '@innkeeper/contract/jobs/periodic-job'
import { limits } from '@innkeeper/contract/text/limits'
import type { Logger } from 'pino'
import type { AlertDeliveryRow, Database } from '../database/schema.ts'
import { deliveryWorker } from '../queue/delivery-worker.ts'
import { pausedAnswer, withOwners } from './channel-owners.ts'
import { dueDeliveries, getMessage, purgeAlerts } from './deliveries.ts'
import type { AlertSender } from './sender.ts'

/** How long a delivery belongs to one panel. */
const leaseMs = 60_000

interface Deps {
  readonly db: Database
  readonly sender: AlertSender
  readonly log: Logger
  readonly now: () => number
}

/** Sends the deliveries that are due. */
export function alertWorker({ db, sender, log, now }: Deps): PeriodicJob {
  return deliveryWorker<AlertDeliveryRow>({
    db,
    table: 'alert_deliveries',
    noun: 'an alert',
    everyMs: limits.alertEveryMs,
    leaseMs,
    timeoutMs: alertTimeoutMs,
    retryDelaysMs: alertRetryDelaysMs,
    readDue: (at) => dueDeliveries(db, at),
    send: (row, signal) => sendDelivery(db, sender, row, signal),
    resultColumns: (_, { answer }) => ({ answer }),
    logFields: ({ id, channel_id, type }) => ({ delivery: id, channel: channel_id, type }),
    purge: (before) => purgeAlerts(db, before),
    log,
    now,
  })
}

async function sendDelivery(
  db: Database,
  sender: AlertSender,
  row: AlertDeliveryRow,
  signal: AbortSignal,
): Promise<DeliveryResult> {
  const channel = await db.selectFrom('alert_channels').selectAll().where('id', '=', row.channel_id).executeTakeFirst()
  if (channel?.is_enabled !== 1) return { delivered: false, answer: 'The channel is disabled.', isFinal: true }
  const [owned] = await withOwners(db, [channel])
  if (owned?.paused) return { delivered: false, answer: pausedAnswer, isFinal: true }
  return await sender.send(channel, getMessage(row), signal)
}
