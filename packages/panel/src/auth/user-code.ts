import { randomInt } from 'node:crypto'

/** Digits and letters that nobody mistakes for each other: 16 of them are 80 bits. */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** A new one-time code for people to type, readable like `ABCD-EFGH-JKMN-PQRS`. */
export function generateUserCode(): string {
  const letters = Array.from({ length: 16 }, () => alphabet[randomInt(alphabet.length)])
  return letters.join('').replace(/.{4}(?=.)/g, '$&-')
}

/** The code as it is meant, however it was typed. */
export function normalizeUserCode(typed: string): string {
  return typed.toUpperCase().replace(/[\s-]/g, '').replace(/O/g, '0').replace(/[IL]/g, '1')
}
