import {
  type GlobalPermissions,
  getGlobalPermissions,
  isAdmin,
  scopesOfPermissions,
} from '@innkeeper/contract/api/permissions'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { type AuditContext, auditedTransaction } from '../access/audit-context.ts'
import type { PrincipalWithScope } from '../access/principal.ts'
import type { Reauthentication } from '../auth/reauthentication.ts'
import type { SessionsService } from '../auth/sessions.ts'
import type { Database, Transaction } from '../database/schema.ts'
import { lockUser, readOwnScopes, requireUserById, userLabel } from '../database/users.ts'
import { requireCurrent } from '../database/versions.ts'
import { loadGrantor, requireMayEdit, requireOtherAdministrator, requireScopes } from './grantor.ts'

interface Deps {
  readonly db: Database
  readonly sessions: Pick<SessionsService, 'invalidate'>
  readonly reauthentication: Pick<Reauthentication, 'requireForOwnAccount'>
}

export type UserPermissionsService = ReturnType<typeof userPermissionsService>

/** Permissions of users in the panel. */
export function userPermissionsService({ db, sessions, reauthentication }: Deps) {
  return {
    async get(id: number): Promise<GlobalPermissions> {
      const { username, email } = await requireUserById(db, id)
      return { username, email, ...getGlobalPermissions(await readOwnScopes(db, id)) }
    },

    /**
     * Replaces the permissions. The principal must have what is new, and only administrators can change an
     * administrator.
     */
    async replace(
      principal: PrincipalWithScope<'users.edit'>,
      id: number,
      permissions: GlobalPermissions,
      audit: AuditContext,
      expectedVersion?: string,
    ): Promise<void> {
      const newScopes = scopesOfPermissions(permissions)
      await auditedTransaction(audit, db, async (transaction) => {
        const grantor = await loadGrantor(transaction, principal)
        requireScopes(grantor, ['users.edit'])
        // Concurrent changes of one user are serialized.
        const user = await lockUser(transaction, id)
        if (!user) throw new Refusal('ErrUserNotFound')
        audit.setSubject({ target: userLabel(user) })
        const currentScopes = await readOwnScopes(transaction, id)
        requireCurrent(expectedVersion, scopesOfPermissions(getGlobalPermissions(currentScopes)))
        requireScopes(
          grantor,
          newScopes.filter((scope) => !currentScopes.includes(scope)),
        )
        await requireMayEdit(transaction, grantor, id)
        await reauthentication.requireForOwnAccount(transaction, principal, id)
        if (isAdmin(currentScopes) && !isAdmin(newScopes)) await requireOtherAdministrator(transaction, id)
        await replaceScopes(transaction, id, newScopes)
      })
      sessions.invalidate(id)
    },
  }
}

async function replaceScopes(transaction: Transaction, id: number, scopes: readonly string[]): Promise<void> {
  await transaction.deleteFrom('user_scopes').where('user_id', '=', id).execute()
  if (scopes.length === 0) return
  await transaction
    .insertInto('user_scopes')
    .values(scopes.map((scope) => ({ user_id: id, scope })))
    .execute()
}
