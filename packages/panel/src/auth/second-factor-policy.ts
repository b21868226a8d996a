import { isAdmin, type PanelScope } from '@innkeeper/contract/api/permissions'
import type { SettingValues } from '@innkeeper/contract/settings/settings'
import type { Database } from '../database/schema.ts'
import type { SettingsService } from '../settings/settings.ts'

interface Deps {
  readonly settings: Pick<SettingsService, 'current'>
}

interface PolicyUser {
  readonly id: number
  readonly scopes: readonly PanelScope[]
}

export type SecondFactorPolicy = ReturnType<typeof secondFactorPolicy>

/** Which users must have a second factor, and from when. */
export function secondFactorPolicy({ settings }: Deps) {
  return {
    /** The users of these who must have a second factor and have none, with the time from which they must. */
    async findMissing(on: Database, users: readonly PolicyUser[]): Promise<ReadonlyMap<number, number>> {
      const values = await settings.current(on)
      const covered = users.filter((user) => isCovered(values, user)).map(({ id }) => id)
      if (covered.length === 0) return new Map()
      const protectedIds = await usersWithSecondFactor(on, covered)
      const from = Date.parse(values['panel.secondFactor.from']) || 0
      return new Map(covered.filter((id) => !protectedIds.has(id)).map((id) => [id, from]))
    },
  }
}

/** A further group of users, such as those with a role, is a further value of the setting. */
function isCovered({ 'panel.secondFactor.required': required }: SettingValues, { scopes }: PolicyUser): boolean {
  if (required === 'nobody') return false
  return required === 'everyone' || isAdmin(scopes)
}

async function usersWithSecondFactor(on: Database, ids: readonly number[]): Promise<ReadonlySet<number>> {
  const withCodes = on.selectFrom('two_factor').select('user_id').where('user_id', 'in', ids).where('is_on', '=', 1)
  const withPasskeys = on.selectFrom('passkeys').select('user_id').where('user_id', 'in', ids)
  const rows = await withCodes.union(withPasskeys).execute()
  return new Set(rows.map(({ user_id }) => user_id))
}
