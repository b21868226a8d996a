import { limits } from '@innkeeper/contract/limits'
import { Refusal } from '@innkeeper/contract/refusals'
import type { Caller } from '../access/caller.ts'
import { insertIfAbsent } from '../database/rows.ts'
import type { Database } from '../database/schema.ts'

export type AccountService = ReturnType<typeof accountService>

/** What people keep for themselves. */
export function accountService({ db }: { readonly db: Database }) {
  return {
    async settings(caller: Caller): Promise<{ key: string; value: string }[]> {
      return db
        .selectFrom('user_settings')
        .select(['key', 'value'])
        .where('user_id', '=', caller.userId)
        .orderBy('key')
        .execute()
    },

    async keep(caller: Caller, key: string, value: string): Promise<void> {
      const replace = async () => {
        const { numUpdatedRows } = await db
          .updateTable('user_settings')
          .set({ value })
          .where('user_id', '=', caller.userId)
          .where('key', '=', key)
          .executeTakeFirst()
        return numUpdatedRows > 0n
      }
      if (await replace()) return
      const { held } = await db
        .selectFrom('user_settings')
        .select(({ fn }) => fn.countAll<number | bigint | string>().as('held'))
        .where('user_id', '=', caller.userId)
        .executeTakeFirstOrThrow()
      if (Number(held) >= limits.userSettings) {
        throw new Refusal('ErrFieldTooLarge', { field: 'settings', max: limits.userSettings })
      }
      const first = { user_id: caller.userId, key, value }
      const isFirst = await insertIfAbsent(db, 'user_settings', first)
      if (!isFirst) await replace()
    },
  }
}
