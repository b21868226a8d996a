import { Refusal, type RefusalCode, type RefusalMetadata } from '@innkeeper/contract/refusals'

/**
 * Runs a statement whose uniqueness the database judges: a row that would be the second is refused with the code.
 * `index` is the name of the unique index; SQLite names its columns instead.
 */
export async function unique<T>(
  index: UniqueIndex,
  code: RefusalCode,
  statement: () => Promise<T>,
  metadata?: RefusalMetadata,
): Promise<T> {
  try {
    return await statement()
  } catch (error) {
    if (isDuplicate(error, index)) throw new Refusal(code, metadata, { cause: error })
    throw error
  }
}

/** The unique indexes by name, as each database calls them when it refuses a row. */
const uniqueIndexes = {
  users_username_uq: 'users.username_key',
  users_email_uq: 'users.email_key',
  servers_name_uq: 'servers.name',
  servers_pk: 'servers.id',
} as const
export type UniqueIndex = keyof typeof uniqueIndexes

/** Whether a row was refused because there is one like it, in any way or by the index given. */
export function isDuplicate(error: unknown, index?: UniqueIndex): boolean {
  const { code, message } = facts(error)
  const duplicate =
    code === 'SQLITE_CONSTRAINT_UNIQUE' ||
    code === 'SQLITE_CONSTRAINT_PRIMARYKEY' ||
    code === '23505' ||
    code === 'ER_DUP_ENTRY'
  if (!duplicate || index === undefined) return duplicate
  return message.includes(index) || message.endsWith(`: ${uniqueIndexes[index]}`)
}

/** Whether the database itself failed: gone, locked, full, damaged. */
export function isDatabaseFailure(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { code, message } = facts(cause)
    if (/^SQLITE_(BUSY|LOCKED|IOERR|CANTOPEN|FULL|READONLY|CORRUPT|NOTADB|PROTOCOL|NOMEM|PERM)/.test(code)) return true
    if (/database connection is not open|driver has already been destroyed/.test(message)) return true
  }
  return false
}

function facts(error: unknown): { code: string; message: string } {
  if (!(error instanceof Error)) return { code: '', message: '' }
  return { code: 'code' in error ? String(error.code) : '', message: error.message }
}
