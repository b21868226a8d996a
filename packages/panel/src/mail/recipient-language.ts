import { defaultLanguage, isLanguage, type Language, languageSetting } from '@innkeeper/contract/text/languages'
import type { Database } from '../database/schema.ts'

/** The recipient of a mail, and the user who caused it. */
export interface Recipient {
  readonly to: string
  /** The account of the recipient, where the address is no longer that of the account. */
  readonly userId?: number | undefined
  /** The user who caused the mail; absent for the panel itself. */
  readonly by?: number | undefined
  /** The language of the recipient's browser; the selected language takes precedence. */
  readonly language?: Language | undefined
}

/**
 * The language for a recipient: the selected one, else that of the browser, else that of the user who caused the mail.
 */
export async function recipientLanguage(on: Database, { to, userId, by, language }: Recipient): Promise<Language> {
  const key = to.toLowerCase()
  const ids = [userId, by].filter((id) => id !== undefined)
  const rows = await on
    .selectFrom('user_settings')
    .innerJoin('users', 'users.id', 'user_settings.user_id')
    .select(['users.id', 'users.email_key', 'user_settings.value'])
    .where('user_settings.key', '=', languageSetting)
    .where((row) => row.or([row('users.email_key', '=', key), ...(ids.length > 0 ? [row('users.id', 'in', ids)] : [])]))
    .execute()
  const choices = rows.flatMap(({ value, ...who }) => (isLanguage(value) ? [{ ...who, value }] : []))
  const ownChoice = choices.find(({ id, email_key }) => (userId === undefined ? email_key === key : id === userId))
  return ownChoice?.value ?? language ?? choices.find(({ id }) => id === by)?.value ?? defaultLanguage
}
