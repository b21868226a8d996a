import ssh2 from 'ssh2'
import { expect, test } from 'vitest'
import { newHostKey } from './host-key.ts'

test('every generated host key can be parsed', () => {
  const keys = Array.from({ length: 1_000 }, newHostKey)

  expect(keys.filter((key) => ssh2.utils.parseKey(key) instanceof Error)).toEqual([])
})
