import { z } from 'zod/mini'
import { endpoint, ifMatch } from '../api/endpoint.ts'
import { PageQuery, Paging } from '../api/paging.ts'
import { OnServer } from '../api/params.ts'
import { limits } from '../text/limits.ts'
import { Email } from '../text/names.ts'
import { ServerId } from '../text/server-id.ts'

/** What alerts are sent about. */
export const alertTypes = [
  'crashed',
  'crashLimit',
  'outOfMemory',
  'serverNotResponding',
  'taskFailed',
  'backupFailed',
  'diskLimit',
  'nodeOffline',
  'diskFull',
  'mailFailed',
  'newSignIn',
  'order',
] as const
export type AlertType = (typeof alertTypes)[number]

/** Alerts about a server; the others are about a node or the panel. */
export const serverAlertTypes = [
  'crashed',
  'crashLimit',
  'outOfMemory',
  'serverNotResponding',
  'taskFailed',
  'backupFailed',
  'diskLimit',
] as const satisfies readonly AlertType[]

export const channelTypes = ['webhook', 'discord', 'slack', 'ntfy', 'mail'] as const
export type ChannelType = (typeof channelTypes)[number]

const TimeOfDay = z.string().check(
  z.refine((text) => /^(?:[01]\d|2[0-3]):[0-5]\d$/.test(text), {
    params: { code: 'ErrFieldInvalid' },
  }),
)

const TimeZone = z.string().check(z.maxLength(100), z.refine(isTimeZone, { params: { code: 'ErrFieldInvalid' } }))

/** Alerts wait until these hours end. `from` may be later than `to`: then they include midnight. */
export const QuietHours = z.strictObject({ from: TimeOfDay, to: TimeOfDay, timezone: TimeZone })
export type QuietHours = z.infer<typeof QuietHours>

/** The path of a topic. */
export const ntfyTopic = /^(?<base>\/(?:.*\/)?)(?<topic>[-\w]{1,64})$/

export const maxDiskFullPercent = 50

/** A URL; for `mail` an email address. */
const Target = z.string().check(z.trim(), z.minLength(1), z.maxLength(1000))

const channelFields = {
  name: z.string().check(z.trim(), z.minLength(1), z.maxLength(100)),
  type: z.enum(channelTypes),
  quietHours: z._default(z.nullable(QuietHours), null),
  isEnabled: z._default(z.boolean(), true),
}

/** Whether the credentials of a URL can be decoded. */
function hasReadableCredentials({ username, password }: URL): boolean {
  try {
    decodeURIComponent(username + password)
    return true
  } catch {
    return false
  }
}

interface Addressed {
  readonly type: ChannelType
  readonly target?: string | undefined
}

const checkTarget: z.core.CheckFn<Addressed> = ({ value, issues }) => {
  const { type, target } = value
  if (target === undefined) return
  const url = URL.parse(target)
  const isValid =
    type === 'mail'
      ? Email.safeParse(target).success
      : url !== null &&
        isWebUrl(url) &&
        hasReadableCredentials(url) &&
        (type !== 'ntfy' || ntfyTopic.test(url.pathname))
  const code = type === 'mail' ? 'ErrFieldNotEmail' : 'ErrFieldInvalid'
  if (!isValid) issues.push({ code: 'custom', input: target, path: ['target'], params: { code } })
}

const rulesForAll = {
  ...channelFields,
  alerts: z.array(z.enum(alertTypes)).check(z.minLength(1), z.maxLength(alertTypes.length)),
  /** Free space of a node in percent, below which `diskFull` is sent. */
  diskFullPercent: z._default(z.int().check(z.minimum(1), z.maximum(maxDiskFullPercent)), limits.diskFullPercent),
  /** Alerts about other servers are not sent; empty for all servers. */
  servers: z._default(z.array(ServerId).check(z.maxLength(200)), []),
}
const ChannelInput = z.strictObject({ ...rulesForAll, target: Target }).check(checkTarget)
export type ChannelInput = z.output<typeof ChannelInput>

/** Without a target the channel keeps its own. */
const ChannelChange = z.strictObject({ ...rulesForAll, target: z.optional(Target) }).check(checkTarget)
export type ChannelChange = z.output<typeof ChannelChange>

const rulesForServer = {
  ...channelFields,
  alerts: z.array(z.enum(serverAlertTypes)).check(z.minLength(1), z.maxLength(serverAlertTypes.length)),
}
const ServerChannelInput = z.strictObject({ ...rulesForServer, target: Target }).check(checkTarget)
export type ServerChannelInput = z.output<typeof ServerChannelInput>

const ServerChannelChange = z.strictObject({ ...rulesForServer, target: z.optional(Target) }).check(checkTarget)
export type ServerChannelChange = z.output<typeof ServerChannelChange>

/** Why a channel does not send: its owner may not have it any more. */
export const pauseReasons = ['ownerDeleted', 'ownerLacksPermission'] as const

/** A channel that alerts are sent to. */
export const AlertChannel = z.object({
  id: z.string(),
  name: z.string(),
  type: z.enum(channelTypes),
  /** Anyone who knows it can write to the channel: only for its owner and administrators. */
  target: z.optional(z.string()),
  /** The host of the target; of an email address the part after the `@`. */
  host: z.string(),
  /** Who set the target. Absent when the user was deleted, and for channels of earlier releases. */
  owner: z.optional(z.object({ id: z.number(), username: z.string() })),
  /** Why it does not send; absent when it does. */
  paused: z.optional(z.enum(pauseReasons)),
  alerts: z.array(z.enum(alertTypes)),
  diskFullPercent: z.number(),
  servers: z.array(z.string()),
  quietHours: z.nullable(QuietHours),
  isEnabled: z.boolean(),
  /** The secret that requests to a webhook are signed with; empty for other types, and where the target is absent. */
  secret: z.string(),
  /** For `If-Match`. */
  version: z.string(),
})
export type AlertChannel = z.infer<typeof AlertChannel>

export const deliveryStates = ['waiting', 'sending', 'sent', 'failed'] as const

/** The delivery of an alert to a channel. Times are ISO 8601. */
export const AlertDelivery = z.object({
  id: z.string(),
  channelId: z.string(),
  type: z.enum(alertTypes),
  /** The condition has ended. */
  isResolved: z.boolean(),
  /** The message without details. */
  title: z.string(),
  state: z.enum(deliveryStates),
  tries: z.number(),
  createdAt: z.string(),
  /** Absent when there are no more attempts. */
  nextTryAt: z.optional(z.string()),
  endedAt: z.optional(z.string()),
  /** The response to the last attempt. */
  answer: z.string(),
  /** A node sent it, because it did not reach the panel. */
  isByNode: z.boolean(),
})
export type AlertDelivery = z.infer<typeof AlertDelivery>

/** A URL of a channel lets anyone write to it. */
const access = { scope: 'servers.admin', by: 'user' } as const
const OnChannel = z.object({ id: z.uuid() })

/** By name. */
export const listAlertChannels = endpoint('GET', '/api/alerts/channels', {
  access,
  response: z.array(AlertChannel),
})

/** ErrFieldInvalid for a URL that is not on the public internet, unless INNKEEPER_ALERT_ALLOW has it. */
export const createAlertChannel = endpoint('POST', '/api/alerts/channels', {
  access,
  audit: 'alert.create',
  body: ChannelInput,
  response: AlertChannel,
})

/**
 * Replaces a channel; a webhook keeps its secret. Who sends a target becomes the owner. Without one the channel keeps
 * target and owner, and must keep its type.
 */
export const putAlertChannel = endpoint('PUT', '/api/alerts/channels/:id', {
  access,
  audit: 'alert.edit',
  params: OnChannel,
  body: ChannelChange,
  headers: ifMatch,
})

/** Deletes a channel and its deliveries. */
export const deleteAlertChannel = endpoint('DELETE', '/api/alerts/channels/:id', {
  access,
  audit: 'alert.delete',
  params: OnChannel,
})

/** Sends a test message immediately, also to a disabled channel, and returns the response. */
export const testAlertChannel = endpoint('POST', '/api/alerts/channels/:id/test', {
  access,
  audit: 'alert.test',
  params: OnChannel,
  response: z.object({ delivered: z.boolean(), answer: z.string() }),
})

/** Newest first. They are kept for some days. */
export const listAlertDeliveries = endpoint('GET', '/api/alerts/deliveries', {
  access,
  query: PageQuery,
  response: z.object({ deliveries: z.array(AlertDelivery), paging: Paging }),
})

/** For users who edit the server. Addresses of `mail` are only the confirmed one of the user. */
const ofServer = { onServer: 'editServerData', by: 'user' } as const
const OnServerChannel = z.extend(OnServer, { channel: z.uuid() })

/** The channels for alerts about one server only, by name. */
export const listServerAlertChannels = endpoint('GET', '/api/servers/:id/alerts/channels', {
  access: ofServer,
  params: OnServer,
  response: z.array(AlertChannel),
})

export const createServerAlertChannel = endpoint('POST', '/api/servers/:id/alerts/channels', {
  access: ofServer,
  audit: 'alert.create',
  params: OnServer,
  body: ServerChannelInput,
  response: AlertChannel,
})

export const putServerAlertChannel = endpoint('PUT', '/api/servers/:id/alerts/channels/:channel', {
  access: ofServer,
  audit: 'alert.edit',
  params: OnServerChannel,
  body: ServerChannelChange,
  headers: ifMatch,
})

export const deleteServerAlertChannel = endpoint('DELETE', '/api/servers/:id/alerts/channels/:channel', {
  access: ofServer,
  audit: 'alert.delete',
  params: OnServerChannel,
})

export const testServerAlertChannel = endpoint('POST', '/api/servers/:id/alerts/channels/:channel/test', {
  access: ofServer,
  audit: 'alert.test',
  params: OnServerChannel,
  response: z.object({ delivered: z.boolean(), answer: z.string() }),
})

/** Deliveries to the channels of the server, newest first. */
export const listServerAlertDeliveries = endpoint('GET', '/api/servers/:id/alerts/deliveries', {
  access: ofServer,
  params: OnServer,
  query: PageQuery,
  response: z.object({ deliveries: z.array(AlertDelivery), paging: Paging }),
})

/** The JSON body of a request to a webhook. */
export interface WebhookPayload {
  /** The same for each attempt; also in the header `webhook-id`. */
  readonly id: string
  readonly type: AlertType | 'test'
  readonly status: 'firing' | 'resolved'
  /** ISO 8601. */
  readonly timestamp: string
  /** In the language of the administrator who created the channel. */
  readonly title: string
  /** In English. */
  readonly detail?: string
  readonly server?: { readonly id: string; readonly name: string }
  readonly node?: { readonly id: number; readonly name: string }
  /** The page of the server or node in the panel. */
  readonly url?: string
}

function isWebUrl({ protocol, hash }: URL): boolean {
  return /^https?:$/.test(protocol) && hash === ''
}

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }) !== undefined
  } catch {
    return false
  }
}
