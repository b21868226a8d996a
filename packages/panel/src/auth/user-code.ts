import { randomInt } from 'node:crypto'

/** Digits and letters that cannot be confused with each other; 16 of them are 80 bits. */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** Generates a one-time code that is easy to type: `ABCD-EFGH-JKMN-PQRS`. */
export function generateUserCode(): string {
  const letters = Array.from({ length: 16 }, () => alphabet[randomInt(alphabet.length)])
  return letters.join('').replace(/.{4}(?=.)/g, '$&-')
}

/** Normalizes a code that a user typed. */
export function normalizeUserCode(code: string): string {
  return code.toUpperCase().replace(/[\s-]/g, '').replace(/O/g, '0').replace(/[IL]/g, '1')
}
