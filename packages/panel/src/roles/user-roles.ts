import type { getUserRoles, putUserRoles } from '@innkeeper/contract/accounts/roles'
import type { OutputOf, ResponseOf } from '@innkeeper/contract/api/endpoint'
import { panelScopes } from '@innkeeper/contract/api/permissions'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { tagKey } from '@innkeeper/contract/text/names'
import { parsePermissions } from '../access/access.ts'
import { type AuditContext, auditedTransaction } from '../access/audit-context.ts'
import type { PrincipalWithScope } from '../access/principal.ts'
import type { Reauthentication } from '../auth/reauthentication.ts'
import type { SessionsService } from '../auth/sessions.ts'
import type { Database, Transaction } from '../database/schema.ts'
import { lockUser, requireUserById, userLabel } from '../database/users.ts'
import { requireCurrent } from '../database/versions.ts'
import { type Grantor, loadGrantor, requireMayEdit, requireRoleGrant, requireScopes } from '../users/grantor.ts'

interface Deps {
  readonly db: Database
  readonly sessions: Pick<SessionsService, 'invalidate'>
  readonly reauthentication: Pick<Reauthentication, 'requireForOwnAccount'>
}

/** The source of roles that people give. */
const manual = 'manual'

type UserRoles = ResponseOf<typeof getUserRoles>
type NewUserRoles = OutputOf<typeof putUserRoles.body>

export type UserRolesService = ReturnType<typeof userRolesService>

/** Roles that users have. */
export function userRolesService({ db, sessions, reauthentication }: Deps) {
  return {
    async get(id: number): Promise<UserRoles> {
      await requireUserById(db, id)
      return { roles: await readRoles(db, id) }
    },

    /**
     * Replaces the roles that people have given. The principal must have what new ones give, and only administrators can
     * change an administrator.
     */
    async replace(
      principal: PrincipalWithScope<'users.edit'>,
      id: number,
      { roles }: NewUserRoles,
      audit: AuditContext,
      expectedVersion?: string,
    ): Promise<void> {
      await auditedTransaction(audit, db, async (transaction) => {
        const grantor = await loadGrantor(transaction, principal)
        requireScopes(grantor, ['users.edit'])
        const user = await lockUser(transaction, id)
        if (!user) throw new Refusal('ErrUserNotFound')
        audit.setSubject({ target: userLabel(user) })
        const before = await readRoles(transaction, id)
        requireCurrent(expectedVersion, before)
        await requireMayEdit(transaction, grantor, id)
        await reauthentication.requireForOwnAccount(transaction, principal, id)

        const had = new Set(before.filter(({ source }) => source === manual).map(getKey))
        const rows = new Map(roles.map((role) => [getKey(role), role]))
        for (const [key, role] of rows) if (!had.has(key)) await requireMayGive(transaction, grantor, role)
        await transaction.deleteFrom('role_grants').where('user_id', '=', id).where('source', '=', manual).execute()
        const values = [...rows.values()].map(({ role, tag = '' }) => ({
          role_id: role,
          user_id: id,
          tag_key: tagKey(tag),
          tag,
          source: manual,
        }))
        if (values.length > 0) await transaction.insertInto('role_grants').values(values).execute()
      })
      sessions.invalidate(id)
    },
  }
}

const getKey = ({ role, tag = '' }: NewUserRoles['roles'][number]) => `${role} ${tagKey(tag)}`

async function readRoles(db: Database, userId: number): Promise<UserRoles['roles']> {
  const rows = await db
    .selectFrom('role_grants')
    .innerJoin('roles', 'roles.id', 'role_grants.role_id')
    .select(['roles.id', 'roles.name', 'role_grants.tag', 'role_grants.source'])
    .where('role_grants.user_id', '=', userId)
    .orderBy('roles.name_key')
    .orderBy('role_grants.tag_key')
    .orderBy('role_grants.source')
    .execute()
  return rows.map(({ id, name, tag, source }) => ({ role: id, name, source, ...(tag !== '' && { tag }) }))
}

/** @throws Refusal that names what the grantor lacks of the role */
async function requireMayGive(
  transaction: Transaction,
  grantor: Grantor,
  { role, tag }: NewUserRoles['roles'][number],
): Promise<void> {
  const row = await transaction.selectFrom('roles').selectAll().where('id', '=', role).executeTakeFirst()
  if (!row) throw new Refusal('ErrFieldInvalid', { field: 'role' })
  const scopes = row.scopes.split(' ')
  requireScopes(
    grantor,
    panelScopes.filter((scope) => scopes.includes(scope)),
  )
  const permissions = parsePermissions(row.rights)
  requireRoleGrant(grantor, { permissions, tagKey: tag === undefined ? undefined : tagKey(tag) })
}
