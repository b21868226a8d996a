import { z } from 'zod/mini'
import { alertTypes, serverAlertTypes } from '../alerts/alerts.ts'
import { recoverableAlertTypes } from '../alerts/rules.ts'
import { knownItems } from '../api/known-items.ts'
import { limits } from '../text/limits.ts'

/**
 * Events that a node reports to the panel: the begin and the end of problems. While the panel is unreachable, the node
 * also adds events that the panel otherwise derives from reports: a crashed server has recovered or was stopped, and the
 * disk is full or no longer full.
 */
export const nodeEventTypes = [
  ...serverAlertTypes,
  'taskDone',
  'backupDone',
  'diskLimitDone',
  'serverRecovered',
  'serverStopped',
  'diskFull',
  'diskFullDone',
] as const
export type NodeEventType = (typeof nodeEventTypes)[number]

/** A message about an event that the node itself has sent, or failed to send permanently, without the panel. */
export const NodeDelivery = z.object({
  /** ID of the alert. */
  alert: z.string().check(z.maxLength(36)),
  type: z.enum(alertTypes),
  channel: z.string().check(z.maxLength(36)),
  isResolved: z.boolean(),
  state: z.enum(['sent', 'failed']),
  tries: z.int().check(z.minimum(0), z.maximum(100)),
  /** Epoch milliseconds, by the node's clock. */
  atMs: z.int().check(z.minimum(0)),
  /** The response to the last attempt. */
  answer: z.string().check(z.maxLength(limits.alertDetailMax)),
})
export type NodeDelivery = z.infer<typeof NodeDelivery>

/** An event on a node. The node sends it until the panel has accepted it. */
export const NodeEvent = z.object({
  /** Unique: an event that arrives again is ignored. */
  id: z.string().check(z.minLength(1), z.maxLength(50)),
  type: z.enum(nodeEventTypes),
  /** Empty for an event of the node itself. */
  server: z.string().check(z.maxLength(50)),
  /** Epoch milliseconds, by the node's clock. */
  atMs: z.int().check(z.minimum(0)),
  /** ID of the task, or the subject of `diskFull`. */
  subject: z._default(z.string().check(z.maxLength(100)), ''),
  /** Reason in English. */
  detail: z._default(z.string().check(z.maxLength(limits.alertDetailMax)), ''),
  deliveries: z.optional(knownItems(NodeDelivery, limits.nodeDeliveriesPerEvent)),
})
export type NodeEvent = z.infer<typeof NodeEvent>

interface Ended {
  readonly types: readonly (typeof alertTypes)[number][]
  /** The channels are not informed. */
  readonly isSilent?: boolean
}

/** The alerts that events end. */
export const alertsEndedBy: Readonly<Partial<Record<NodeEventType, Ended>>> = {
  taskDone: { types: ['taskFailed'] },
  backupDone: { types: ['backupFailed'] },
  diskLimitDone: { types: ['diskLimit'] },
  serverRecovered: { types: recoverableAlertTypes },
  serverStopped: { types: recoverableAlertTypes, isSilent: true },
  diskFullDone: { types: ['diskFull'] },
}
