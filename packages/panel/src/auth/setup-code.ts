import { upsert } from '../database/rows.ts'
import type { Database, Transaction } from '../database/schema.ts'
import { hashToken } from './secrets.ts'
import { normalizeUserCode } from './user-code.ts'

const onlyRow = 1

/** Makes the code the only one that is good. */
export async function storeSetupCode(db: Database, code: string, now: number): Promise<void> {
  await upsert(db, 'setup_codes', ['id'], { id: onlyRow, hash: hashToken(normalizeUserCode(code)), created_at: now })
}

/** Uses the code up, in one statement; false when it is not the right one or was used already. */
export async function consumeSetupCode(transaction: Transaction, typed: string): Promise<boolean> {
  const { numDeletedRows } = await transaction
    .deleteFrom('setup_codes')
    .where('hash', '=', hashToken(normalizeUserCode(typed)))
    .executeTakeFirst()
  return numDeletedRows > 0n
}
