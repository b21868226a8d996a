import { randomUUID } from 'node:crypto'
import { maxRoles, type Role, type RoleInput } from '@innkeeper/contract/accounts/roles'
import { panelScopes } from '@innkeeper/contract/api/permissions'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { formatPermissions, parsePermissions } from '../access/access.ts'
import { type AuditContext, auditedTransaction } from '../access/audit-context.ts'
import type { PrincipalWithScope } from '../access/principal.ts'
import type { SessionsService } from '../auth/sessions.ts'
import { mapUniqueViolation } from '../database/errors.ts'
import { affectsRows, countRows } from '../database/rows.ts'
import type { Database, Transaction } from '../database/schema.ts'
import { lowerCaseKey } from '../database/users.ts'
import { loadGrantor, requireScopes } from '../users/grantor.ts'

interface Deps {
  readonly db: Database
  readonly sessions: Pick<SessionsService, 'invalidate'>
  readonly now: () => number
}

export type RolesService = ReturnType<typeof rolesService>

/** Named sets of scopes and server permissions. Permissions are computed from them at each request. */
export function rolesService({ db, sessions, now }: Deps) {
  async function usersOf(transaction: Transaction, id: string): Promise<number[]> {
    const rows = await transaction.selectFrom('role_grants').select('user_id').where('role_id', '=', id).execute()
    return rows.map(({ user_id }) => user_id)
  }

  return {
    /** All roles, by name. */
    async list(): Promise<Role[]> {
      const rows = await db.selectFrom('roles').selectAll().orderBy('name_key').execute()
      const grants = await db.selectFrom('role_grants').select(['role_id', 'user_id']).distinct().execute()
      return rows.map(({ id, name, description, scopes, rights }) => ({
        id,
        name,
        description,
        scopes: panelScopes.filter((scope) => scopes.split(' ').includes(scope)),
        permissions: [...parsePermissions(rights)],
        users: grants.filter(({ role_id }) => role_id === id).length,
      }))
    },

    async create(
      principal: PrincipalWithScope<'servers.admin'>,
      role: RoleInput,
      audit: AuditContext,
    ): Promise<{ id: string }> {
      const id = randomUUID()
      await auditedTransaction(audit, db, async (transaction) => {
        await requireAdministrator(transaction, principal)
        if ((await countRows(transaction.selectFrom('roles'))) >= maxRoles)
          throw new Refusal('ErrTooMany', { max: maxRoles })
        const row = { id, ...toRow(role), created_at: now() }
        await rejectDuplicate(() => transaction.insertInto('roles').values(row).execute())
        audit.setSubject({ target: role.name })
      })
      return { id }
    },

    async put(
      principal: PrincipalWithScope<'servers.admin'>,
      id: string,
      role: RoleInput,
      audit: AuditContext,
    ): Promise<void> {
      const users = await auditedTransaction(audit, db, async (transaction) => {
        await requireAdministrator(transaction, principal)
        const exists = await transaction.selectFrom('roles').select('id').where('id', '=', id).executeTakeFirst()
        if (!exists) throw new Refusal('ErrNotFound')
        const update = transaction.updateTable('roles').set(toRow(role)).where('id', '=', id)
        await rejectDuplicate(() => update.execute())
        audit.setSubject({ target: role.name })
        return await usersOf(transaction, id)
      })
      users.forEach(sessions.invalidate)
    },

    async remove(principal: PrincipalWithScope<'servers.admin'>, id: string, audit: AuditContext): Promise<void> {
      const users = await auditedTransaction(audit, db, async (transaction) => {
        await requireAdministrator(transaction, principal)
        const role = await transaction.selectFrom('roles').select('name').where('id', '=', id).executeTakeFirst()
        const members = await usersOf(transaction, id)
        if (!role || !(await affectsRows(transaction.deleteFrom('roles').where('id', '=', id))))
          throw new Refusal('ErrNotFound')
        audit.setSubject({ target: role.name })
        return members
      })
      users.forEach(sessions.invalidate)
    },
  }
}

/** Changes of roles are serialized with other changes of permissions. */
async function requireAdministrator(
  transaction: Transaction,
  principal: PrincipalWithScope<'servers.admin'>,
): Promise<void> {
  requireScopes(await loadGrantor(transaction, principal), ['servers.admin'])
}

function toRow({ name, description, scopes, permissions }: RoleInput) {
  return {
    name,
    name_key: lowerCaseKey(name),
    description,
    scopes: panelScopes.filter((scope) => (scopes as readonly string[]).includes(scope)).join(' '),
    rights: formatPermissions(permissions),
  }
}

function rejectDuplicate<T>(statement: () => Promise<T>): Promise<T> {
  return mapUniqueViolation('roles_name_uq', 'ErrDuplicateRoleName', statement, { field: 'name' })
}
