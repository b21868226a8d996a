import ssh2 from 'ssh2'
import { expect, test } from 'vitest'
import { newHostKey } from './host-key.ts'

test('every host key that is made can be read again', () => {
  const keys = Array.from({ length: 1_000 }, newHostKey)

  expect(keys.filter((key) => ssh2.utils.parseKey(key) instanceof Error)).toEqual([])
})
