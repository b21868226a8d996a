import { z } from 'zod/mini'
import { QuietHours, serverAlertTypes } from '../alerts/alerts.ts'
import { AlertContent } from '../alerts/messages.ts'
import { nodeSentChannelTypes } from '../alerts/requests.ts'
import { knownItems } from '../api/known-items.ts'

/** Alerts that a node sends itself while it does not reach the panel. */
export const nodeSentAlertTypes = [...serverAlertTypes, 'diskFull'] as const

/** A channel with its secrets. */
const NodeAlertChannel = z.object({
  id: z.string(),
  type: z.enum(nodeSentChannelTypes),
  target: z.string(),
  /** The secret that requests to a webhook are signed with. */
  secret: z.string(),
  language: z.string(),
  alerts: knownItems(z.enum(nodeSentAlertTypes)),
  /** Servers of this node; empty for all. */
  servers: z.array(z.string()),
  quietHours: z.nullable(z.object(QuietHours.shape)),
  diskFullPercent: z.number(),
})
export type NodeAlertChannel = z.infer<typeof NodeAlertChannel>

/** An alert that lasts. */
const OngoingAlert = z.object({
  key: z.string(),
  id: z.string(),
  type: z.enum(nodeSentAlertTypes),
  content: AlertContent,
  /** Channels that know it. */
  informed: z.array(z.string()),
  /** Channels that the panel has not reached yet. It informs them of the end, too. */
  waiting: z.array(z.string()),
})
export type OngoingAlert = z.infer<typeof OngoingAlert>

/** What a node needs to send alerts about itself and its servers to channels. It is as secret as the channels. */
export const NodeAlerts = z.object({
  /** Changes with the content. */
  version: z.string(),
  node: z.object({ id: z.number(), name: z.string() }),
  /** The URL of the panel, for links. */
  masterUrl: z.optional(z.string()),
  channels: knownItems(NodeAlertChannel),
  /** Titles of alerts by language. */
  titles: z.record(z.string(), z.record(z.string(), z.string())),
  servers: z.array(z.object({ id: z.string(), name: z.string() })),
  lasting: knownItems(OngoingAlert),
})
export type NodeAlerts = z.infer<typeof NodeAlerts>
