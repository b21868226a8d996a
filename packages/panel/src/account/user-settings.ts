import { Refusal } from '@innkeeper/contract/errors/refusals'
import { isLanguage, languageSetting } from '@innkeeper/contract/text/languages'
import type { UserPrincipal } from '../access/principal.ts'
import { affectsRows, countRows, insertIfAbsent } from '../database/rows.ts'
import type { Database } from '../database/schema.ts'

const maxUserSettings = 500

export type UserSettingsService = ReturnType<typeof userSettingsService>

/** Settings that the web app stores for a user. */
export function userSettingsService({ db }: { readonly db: Database }) {
  return {
    async list({ userId }: UserPrincipal): Promise<{ key: string; value: string }[]> {
      return db
        .selectFrom('user_settings')
        .select(['key', 'value'])
        .where('user_id', '=', userId)
        .orderBy('key')
        .execute()
    },

    async put({ userId }: UserPrincipal, key: string, value: string): Promise<void> {
      // Only this setting is used by the panel: it decides the language of mails.
      if (key === languageSetting && !isLanguage(value)) throw new Refusal('ErrFieldInvalid', { field: 'value' })
      const replace = async () => {
        return await affectsRows(
          db.updateTable('user_settings').set({ value }).where('user_id', '=', userId).where('key', '=', key),
        )
      }
      if (await replace()) return
      const count = await countRows(db.selectFrom('user_settings').where('user_id', '=', userId))
      if (count >= maxUserSettings) {
        throw new Refusal('ErrFieldTooLarge', { field: 'settings', max: maxUserSettings })
      }
      const row = { user_id: userId, key, value }
      const isInserted = await insertIfAbsent(db, 'user_settings', row)
      if (!isInserted) await replace()
    },
  }
}
