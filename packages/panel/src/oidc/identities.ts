import type { LinkedIdentity } from '@innkeeper/contract/accounts/oidc'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { limits } from '@innkeeper/contract/text/limits'
import { type AuditContext, auditedTransaction } from '../access/audit-context.ts'
import type { RecentLogin, UserPrincipal } from '../access/principal.ts'
import { passkeysOf } from '../auth/passkey-rows.ts'
import { insertIfAbsent } from '../database/rows.ts'
import type { Database, IdentityRow, Transaction } from '../database/schema.ts'
import { noPassword } from '../database/users.ts'
import { hashToken } from '../security/secrets.ts'
import type { ProviderIdentity } from './client.ts'

const labelLength = 255

/** The ID of an identity: the same subject at two issuers is two identities, and case counts. */
export const identityId = ({ issuer, subject }: Pick<ProviderIdentity, 'issuer' | 'subject'>): string =>
  hashToken(JSON.stringify([issuer, subject]))

/**
 * Stores an identity of the user.
 * @throws ErrIdentityTaken, ErrTooMany
 */
export async function addIdentity(
  transaction: Transaction,
  userId: number,
  identity: ProviderIdentity,
  now: number,
): Promise<void> {
  const label = (identity.email ?? identity.username ?? identity.subject).slice(0, labelLength)
  const row: IdentityRow = {
    id: identityId(identity),
    user_id: userId,
    issuer: identity.issuer,
    label,
    created_at: now,
    used_at: null,
  }
  const known = await identitiesOf(transaction, userId)
  if (known.some(({ id }) => id === row.id)) return
  if (known.length >= limits.identities) throw new Refusal('ErrTooMany', { max: limits.identities })
  if (!(await insertIfAbsent(transaction, 'identities', row))) throw new Refusal('ErrIdentityTaken')
}

const identitiesOf = (on: Database, userId: number): Promise<IdentityRow[]> =>
  on
    .selectFrom('identities')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('created_at')
    .orderBy('id')
    .limit(limits.identities)
    .execute()

export type IdentitiesService = ReturnType<typeof identitiesService>

/** The identities at providers that users sign in with. */
export function identitiesService({ db }: { readonly db: Database }) {
  return {
    async list({ userId }: UserPrincipal): Promise<LinkedIdentity[]> {
      const [rows, providers] = await Promise.all([
        identitiesOf(db, userId),
        db.selectFrom('oidc_providers').select(['issuer', 'name']).orderBy('name').execute(),
      ])
      return rows.map(({ id, issuer, label, created_at, used_at }) => {
        const provider = providers.find((known) => isSameIssuer(known.issuer, issuer))?.name
        return {
          id,
          issuer,
          label,
          createdAt: new Date(created_at).toISOString(),
          ...(provider !== undefined && { provider }),
          ...(used_at !== null && { usedAt: new Date(used_at).toISOString() }),
        }
      })
    },

    /** Keeps a way to sign in. */
    async unlink({ userId }: UserPrincipal, id: string, recentLogin: RecentLogin, audit: AuditContext): Promise<void> {
      await auditedTransaction(audit, db, async (transaction) => {
        const user = await recentLogin(transaction)
        const identities = await identitiesOf(transaction, userId)
        const identity = identities.find((known) => known.id === id)
        if (!identity) throw new Refusal('ErrNotFound')
        audit.setSubject({ target: identity.label })
        const hasOther =
          user.password !== noPassword || identities.length > 1 || (await passkeysOf(transaction, userId)).length > 0
        if (!hasOther) throw new Refusal('ErrLastIdentity')
        await transaction.deleteFrom('identities').where('id', '=', id).execute()
      })
    },
  }
}

/** Administrators write an issuer with or without the slash at its end. */
const isSameIssuer = (a: string, b: string): boolean => a.replace(/\/$/, '') === b.replace(/\/$/, '')
