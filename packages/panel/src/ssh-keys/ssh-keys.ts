import { randomUUID } from 'node:crypto'
import type { SshKey } from '@innkeeper/contract/accounts/ssh-keys'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { type AuditContext, auditedTransaction } from '../access/audit-context.ts'
import type { UserPrincipal } from '../access/principal.ts'
import type { Reauthentication } from '../auth/reauthentication.ts'
import { limitTakenNames } from '../auth/taken-names.ts'
import { mapUniqueViolation } from '../database/errors.ts'
import { affectsRows } from '../database/rows.ts'
import type { Database, SshKeyRow } from '../database/schema.ts'
import type { MailService } from '../mail/mail.ts'
import type { RateLimiter } from '../security/rate-limiter.ts'
import { countCredentials } from '../users/keys-and-clients.ts'
import { getFingerprint, parsePublicKey } from './public-key.ts'

/** SSH keys per user. */
export const maxSshKeys = 50

interface Deps {
  readonly db: Database
  readonly limiter: Pick<RateLimiter, 'consume' | 'refund'>
  readonly reauthentication: Pick<Reauthentication, 'requirePassword'>
  readonly mail: Pick<MailService, 'queue'>
  readonly now: () => number
}

export interface NewSshKey {
  readonly name?: string | undefined
  readonly key: string
  /** Accounts without a password leave it out. */
  readonly password?: string | undefined
}

export type SshKeysService = ReturnType<typeof sshKeysService>

/** Public keys for SFTP logins. A key belongs to one user only. */
export function sshKeysService({ db, limiter, reauthentication, mail, now }: Deps) {
  return {
    async list({ userId }: UserPrincipal): Promise<SshKey[]> {
      const rows = await db
        .selectFrom('ssh_keys')
        .selectAll()
        .where('user_id', '=', userId)
        .orderBy('created_at', 'desc')
        .orderBy('id')
        .execute()
      return rows.map(toView)
    },

    /** Adds a key. The current password is verified first, with a rate limit. */
    async add(
      principal: UserPrincipal,
      { name, key, password }: NewSshKey,
      address: string,
      audit: AuditContext,
    ): Promise<SshKey> {
      const { userId } = principal
      const confirmed = await reauthentication.requirePassword(principal, password, address)
      const read = parsePublicKey(key)
      if (!read) throw new Refusal('ErrSshKeyInvalid', { field: 'key' })
      const row: SshKeyRow = {
        id: randomUUID(),
        user_id: userId,
        name: [...(name?.trim() || read.comment || read.algorithm)].slice(0, 100).join(''),
        algorithm: read.algorithm,
        public_key: read.blob.toString('base64'),
        fingerprint: getFingerprint(read.blob),
        created_at: now(),
        used_at: null,
      }
      const insert = () =>
        auditedTransaction(audit, db, async (transaction) => {
          // Serialized per user, so that the limit holds.
          const user = await confirmed(transaction)
          if ((await countCredentials(transaction, 'ssh_keys', userId)) >= maxSshKeys)
            throw new Refusal('ErrTooMany', { max: maxSshKeys })
          await mapUniqueViolation('ssh_keys_fingerprint_uq', 'ErrDuplicateSshKey', () =>
            transaction.insertInto('ssh_keys').values(row).execute(),
          )
          const facts = { key: `${row.name} (${row.fingerprint})` }
          await mail.queue(transaction, 'sshKeyAdded', { to: user.email, userId, by: userId }, facts)
          audit.setSubject({ target: row.name })
        })
      // The answer reveals that another account has the key.
      await limitTakenNames({ limiter, key: `taken SSH key ${userId}`, codes: ['ErrDuplicateSshKey'] }, insert)
      return toView(row)
    },

    remove: ({ userId, email }: UserPrincipal, id: string, audit: AuditContext): Promise<void> =>
      auditedTransaction(audit, db, async (transaction) => {
        const key = await transaction
          .selectFrom('ssh_keys')
          .select('name')
          .where('id', '=', id)
          .where('user_id', '=', userId)
          .executeTakeFirst()
        audit.setSubject({ target: key?.name })
        const deletion = transaction.deleteFrom('ssh_keys').where('id', '=', id).where('user_id', '=', userId)
        if (!key || !(await affectsRows(deletion))) throw new Refusal('ErrNotFound')
        const who = { to: email, person: userId, by: userId }
        await mail.queue(transaction, 'accessRemoved', who, { keys: key.name })
      }),
  }
}

function toView(row: SshKeyRow): SshKey {
  return {
    id: row.id,
    name: row.name,
    algorithm: row.algorithm,
    fingerprint: row.fingerprint,
    createdAt: new Date(row.created_at).toISOString(),
    ...(row.used_at === null ? {} : { usedAt: new Date(row.used_at).toISOString() }),
  }
}
