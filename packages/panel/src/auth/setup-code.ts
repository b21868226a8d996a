import { randomInt } from 'node:crypto'
import type { Database, Transaction } from '../database/schema.ts'
import { digestOf } from './secrets.ts'

/** Digits and letters that nobody mistakes for each other: 16 of them are 80 bits. */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const onlyRow = 1

/** A new one-time code, readable like `ABCD-EFGH-JKMN-PQRS`. */
export function newSetupCode(): string {
  const letters = Array.from({ length: 16 }, () => alphabet[randomInt(alphabet.length)])
  return letters.join('').replace(/.{4}(?=.)/g, '$&-')
}

/** The code as it is meant, however it was typed. */
export function readSetupCode(typed: string): string {
  return typed.toUpperCase().replace(/[\s-]/g, '').replace(/O/g, '0').replace(/[IL]/g, '1')
}

/** Makes the code the only one that is good. */
export async function storeSetupCode(db: Database, code: string, now: number): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    await transaction.deleteFrom('setup_codes').execute()
    await transaction
      .insertInto('setup_codes')
      .values({ id: onlyRow, hash: digestOf(readSetupCode(code)), created_at: now })
      .execute()
  })
}

/** Uses the code up, in one statement; false when it is not the right one or was used already. */
export async function useSetupCode(transaction: Transaction, typed: string): Promise<boolean> {
  const { numDeletedRows } = await transaction
    .deleteFrom('setup_codes')
    .where('hash', '=', digestOf(readSetupCode(typed)))
    .executeTakeFirst()
  return numDeletedRows > 0n
}
