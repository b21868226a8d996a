import { affectsRows, upsert } from '../database/rows.ts'
import type { Database, Transaction } from '../database/schema.ts'
import { hashToken } from '../security/secrets.ts'
import { normalizeUserCode } from './user-code.ts'

const onlyRow = 1

/** Stores the code and replaces any earlier one. */
export async function storeSetupCode(db: Database, code: string, now: number): Promise<void> {
  await upsert(db, 'setup_codes', ['id'], { id: onlyRow, hash: hashToken(normalizeUserCode(code)), created_at: now })
}

/** Consumes the code in one statement; false when it is wrong or used. */
export async function consumeSetupCode(transaction: Transaction, code: string): Promise<boolean> {
  return await affectsRows(transaction.deleteFrom('setup_codes').where('hash', '=', hashToken(normalizeUserCode(code))))
}
