import { hasCrashed, type ServerStatus } from '../servers/status.ts'
import { limits } from '../text/limits.ts'
import type { AlertType } from './alerts.ts'

/** What an alert is about. */
export interface AlertSubject {
  readonly type: AlertType
  /** Distinguishes alerts of the same type about the same server or node. */
  readonly subject?: string | undefined
  readonly server?: { readonly id: string } | undefined
  readonly node?: { readonly id: number } | undefined
}

/** Identifies a condition: while it lasts, a channel is informed once. */
export const getAlertKey = ({ type, subject = '', server, node }: AlertSubject): string =>
  [type, server?.id ?? (node ? `node ${node.id}` : ''), subject].filter((part) => part !== '').join(':')

/** The rules of a channel. */
export interface ChannelRule {
  readonly alerts: readonly AlertType[]
  /** Empty for all servers. */
  readonly servers: readonly string[]
  /** Free space of a node below which `diskFull` is sent. */
  readonly diskFullPercent: number
}

/** Whether a channel has asked for an alert. */
export function isForChannel(rule: ChannelRule, about: AlertSubject): boolean {
  if (!rule.alerts.includes(about.type)) return false
  if (about.type === 'diskFull') return getDiskSubject(rule.diskFullPercent) === (about.subject ?? '')
  return !about.server || rule.servers.length === 0 || rule.servers.includes(about.server.id)
}

/** The subject of `diskFull` alerts of channels with this threshold. Alerts of earlier releases have none. */
export const getDiskSubject = (percent: number): string => (percent === limits.diskFullPercent ? '' : String(percent))

/** Space of a disk in bytes. */
interface Disk {
  readonly total: number
  readonly used: number
}

/** Whether less than this share of a disk is free. */
export const isDiskFull = ({ total, used }: Disk, percent: number): boolean => total - used < (total * percent) / 100

/** How full a disk is, in English. */
export function diskDetail({ total, used }: Disk): string {
  const gibibytes = (bytes: number) => (bytes / 1024 ** 3).toFixed(1)
  return `${(((total - used) / total) * 100).toFixed(1)} % is free: ${gibibytes(total - used)} of ${gibibytes(total)} GiB`
}

/** Alerts about a server that end when it is online again, or was stopped. */
export const recoverableAlertTypes: readonly AlertType[] = [
  'crashed',
  'crashLimit',
  'outOfMemory',
  'serverNotResponding',
]

/** How long a server must be online until such an alert is resolved. */
export const recoveredAfterMs = 5 * 60 * 1000

/**
 * What has become of a server that crashed or did not respond: `recovered`, or `stopped` by a user, so that it has not
 * recovered either.
 */
export function recoveryOutcome(
  status: Pick<ServerStatus, 'state' | 'since' | 'lastExit' | 'notResponding'>,
  now: number,
): 'lasts' | 'recovered' | 'stopped' {
  const isUp = status.state === 'online' && !status.notResponding
  if (isUp && now - Date.parse(status.since) >= recoveredAfterMs) return 'recovered'
  return status.state === 'offline' && !hasCrashed(status) ? 'stopped' : 'lasts'
}

/** ID of an alert that an event of a node raises: the same on panel and node. */
export const getAlertId = (nodeId: number, eventId: string): Promise<string> =>
  getUuid(JSON.stringify(['alert', nodeId, eventId]))

/** ID of a message to a channel. Panel and node use the same ID, so that receivers can ignore a repeated message. */
export const getDeliveryId = (alertId: string, channelId: string, isResolved: boolean): Promise<string> =>
  getUuid(JSON.stringify(['delivery', alertId, channelId, isResolved]))

/** A UUID of version 8 from a hash. */
async function getUuid(text: string): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))).subarray(0, 16)
  const hex = Array.from(hash, (byte, index) =>
    (index === 6 ? (byte & 0x0f) | 0x80 : index === 8 ? (byte & 0x3f) | 0x80 : byte).toString(16).padStart(2, '0'),
  ).join('')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}
