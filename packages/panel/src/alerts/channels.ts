import { randomBytes, randomUUID } from 'node:crypto'
import {
  type AlertChannel,
  alertTypes,
  type ChannelChange,
  type ChannelInput,
  type ChannelType,
  QuietHours,
} from '@innkeeper/contract/alerts/alerts'
import type { DeliveryResult } from '@innkeeper/contract/alerts/delivery-error'
import type { AlertMessage } from '@innkeeper/contract/alerts/messages'
import { secretPrefix } from '@innkeeper/contract/alerts/signature'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { limits } from '@innkeeper/contract/text/limits'
import { z } from 'zod'
import { type AuditContext, auditedTransaction } from '../access/audit-context.ts'
import type { UserPrincipal } from '../access/principal.ts'
import { equalsOrIsNull } from '../database/expressions.ts'
import { affectsRows, lock } from '../database/rows.ts'
import type { AlertChannelRow, Database } from '../database/schema.ts'
import { getVersion, requireCurrent } from '../database/versions.ts'
import { recipientLanguage } from '../mail/recipient-language.ts'
import { type OwnedChannel, pausedAnswer, withOwners } from './channel-owners.ts'
import type { AlertSender } from './sender.ts'

const testTimeoutMs = 15_000

/** The stored rules of a channel. */
export const ChannelRules = z.object({
  alerts: z.array(z.enum(alertTypes)),
  servers: z.array(z.string()),
  quietHours: z.nullable(QuietHours),
  /** Earlier releases had no choice. */
  diskFullPercent: z.number().default(limits.diskFullPercent),
})
export type ChannelRules = z.infer<typeof ChannelRules>

export const getRules = ({ rules }: Pick<AlertChannelRow, 'rules'>): ChannelRules =>
  ChannelRules.parse(JSON.parse(rules))

export interface ReplaceOptions {
  /** The server of the channel; without one it is of administrators. */
  readonly server?: string
  readonly expectedVersion: string | undefined
}

interface Deps {
  readonly db: Database
  readonly sender: AlertSender
  readonly now: () => number
}

export type AlertChannels = ReturnType<typeof alertChannels>

/** The channels that alerts are sent to. */
export function alertChannels({ db, sender, now }: Deps) {
  return {
    async list(principal: UserPrincipal, server?: string): Promise<AlertChannel[]> {
      const own = db.selectFrom('alert_channels').selectAll().where(equalsOrIsNull('server_id', server))
      const rows = await own.orderBy('name').orderBy('id').execute()
      return (await withOwners(db, rows)).map((channel) => toView(channel, principal))
    },

    async create(
      input: ChannelInput,
      principal: UserPrincipal,
      audit: AuditContext,
      server?: string,
    ): Promise<AlertChannel> {
      const { userId, username } = principal
      requireAllowed(sender, input)
      audit.setSubject({ target: input.name })
      const language = await recipientLanguage(db, { to: input.type === 'mail' ? input.target : '', by: userId })
      const row: AlertChannelRow = {
        id: randomUUID(),
        ...getColumns(input, input.target),
        secret: input.type === 'webhook' ? newSecret() : '',
        language,
        created_at: now(),
        server_id: server ?? null,
        owner_id: userId,
      }
      await auditedTransaction(audit, db, async (transaction) => {
        await lock(transaction, 'alert channels')
        const own = transaction.selectFrom('alert_channels').select('id').where(equalsOrIsNull('server_id', server))
        const max = server === undefined ? limits.alertChannels : limits.alertChannelsPerServer
        if ((await own.execute()).length >= max) throw new Refusal('ErrTooMany', { max })
        await transaction.insertInto('alert_channels').values(row).execute()
      })
      return toView({ row, owner: { id: userId, username } }, principal)
    },

    /**
     * Who gives a target becomes the owner. Throws ErrStaleVersion when the stored channel is not `expectedVersion`.
     */
    async replace(
      id: string,
      input: ChannelChange,
      principal: UserPrincipal,
      audit: AuditContext,
      { server, expectedVersion }: ReplaceOptions,
    ): Promise<void> {
      requireAllowed(sender, input)
      audit.setSubject({ target: input.name })
      await auditedTransaction(audit, db, async (transaction) => {
        await lock(transaction, 'alert channels')
        const before = await requireChannel(transaction, id, server)
        requireCurrent(expectedVersion, getEditablePart(before))
        const { target = before.target } = input
        const isKept = input.target === undefined
        if (isKept && input.type !== before.type) throw new Refusal('ErrFieldRequired', { field: 'target' })
        // Who may not see the secret signs with another one.
        const known = isKept || maySeeTarget(principal, before) ? before.secret : ''
        const secret = input.type === 'webhook' ? known || newSecret() : ''
        const owner_id = isKept ? before.owner_id : principal.userId
        await transaction
          .updateTable('alert_channels')
          .set({ ...getColumns(input, target), secret, owner_id })
          .where('id', '=', id)
          .execute()
      })
    },

    async remove(id: string, audit: AuditContext, server?: string): Promise<void> {
      const channel = await requireChannel(db, id, server)
      audit.setSubject({ target: channel.name })
      await auditedTransaction(audit, db, async (transaction) => {
        const deletion = transaction.deleteFrom('alert_channels').where('id', '=', id)
        if (!(await affectsRows(deletion))) throw new Refusal('ErrNotFound')
      })
    },

    async test(
      id: string,
      audit: AuditContext,
      server?: string,
    ): Promise<Pick<DeliveryResult, 'delivered' | 'answer'>> {
      const channel = await requireChannel(db, id, server)
      audit.setSubject({ target: channel.name })
      const [owned] = await withOwners(db, [channel])
      if (owned?.paused) return { delivered: false, answer: pausedAnswer }
      const content = { at: now(), detail: '' }
      const message: AlertMessage = { id: randomUUID(), type: 'test', isResolved: false, content }
      const { delivered, answer } = await sender.send(channel, message, AbortSignal.timeout(testTimeoutMs))
      return { delivered, answer }
    },
  }
}

const newSecret = (): string => secretPrefix + randomBytes(32).toString('base64')

function getColumns(input: ChannelChange, target: string) {
  const { name, type, alerts, servers, quietHours, diskFullPercent, isEnabled } = input
  const stored: ChannelRules = { alerts, servers, quietHours, diskFullPercent }
  const rules = JSON.stringify(stored)
  return { name, type, target, rules, is_enabled: isEnabled ? 1 : 0 }
}

function maySeeTarget({ isAdmin, userId }: UserPrincipal, { owner_id }: AlertChannelRow): boolean {
  return isAdmin || userId === owner_id
}

function toView({ row, owner, paused }: OwnedChannel, principal: UserPrincipal): AlertChannel {
  const editable = getEditablePart(row)
  const version = getVersion(editable)
  const { target, ...rules } = editable
  const host = row.type === 'mail' ? target.slice(target.lastIndexOf('@') + 1) : (URL.parse(target)?.host ?? '')
  const secrets = maySeeTarget(principal, row) ? { target, secret: row.secret } : { secret: '' }
  return { id: row.id, ...rules, ...secrets, host, version, ...(owner && { owner }), ...(paused && { paused }) }
}

function getEditablePart(row: AlertChannelRow) {
  const { name, type, target, is_enabled } = row
  return { name, type: type as ChannelType, target, ...getRules(row), isEnabled: is_enabled === 1 }
}

function requireAllowed(sender: AlertSender, { type, target }: Pick<ChannelChange, 'type' | 'target'>): void {
  if (type !== 'mail' && target !== undefined && !sender.mayHave(new URL(target)))
    throw new Refusal('ErrFieldInvalid', { field: 'target' })
}

/** A channel of administrators, or of a server. */
async function requireChannel(db: Database, id: string, server: string | undefined): Promise<AlertChannelRow> {
  const channel = db.selectFrom('alert_channels').selectAll().where('id', '=', id)
  const found = await channel.where(equalsOrIsNull('server_id', server)).executeTakeFirst()
  if (!found) throw new Refusal('ErrNotFound')
  return found
}
