import { upsert } from '../database/rows.ts'
import type { Database, Transaction } from '../database/schema.ts'
import { digestOf } from './secrets.ts'
import { readTypedCode } from './typed-codes.ts'

const onlyRow = 1

/** Makes the code the only one that is good. */
export async function storeSetupCode(db: Database, code: string, now: number): Promise<void> {
  await upsert(db, 'setup_codes', ['id'], { id: onlyRow, hash: digestOf(readTypedCode(code)), created_at: now })
}

/** Uses the code up, in one statement; false when it is not the right one or was used already. */
export async function useSetupCode(transaction: Transaction, typed: string): Promise<boolean> {
  const { numDeletedRows } = await transaction
    .deleteFrom('setup_codes')
    .where('hash', '=', digestOf(readTypedCode(typed)))
    .executeTakeFirst()
  return numDeletedRows > 0n
}
