import ssh2 from 'ssh2'
import { expect, test } from 'vitest'
import { newEcdsaKey, newEd25519Key } from './host-key.ts'

test.for([newEd25519Key, newEcdsaKey])('every key of %o can be parsed', (create) => {
  const keys = Array.from({ length: 1_000 }, create)

  expect(keys.filter((key) => ssh2.utils.parseKey(key) instanceof Error)).toEqual([])
})
