import { expect, test } from 'vitest'
import { staysInside } from './link-target.ts'

test.for([
  ['a', 0, true],
  ['./a//b/', 0, true],
  ['missing/file', 0, true],
  ['.', 0, true],
  ['../a', 1, true],
  ['./../a', 1, true],
  ['../..', 2, true],
  ['..a/b..', 0, true],
  ['..', 0, false],
  ['../a', 0, false],
  ['../../a', 1, false],
  // The first name may be a link itself, which leads further up than its name is deep.
  ['up/..', 3, false],
  ['../up/../..', 3, false],
  ['a/../b', 0, false],
  ['/a', 3, false],
  ['//a', 3, false],
  ['', 3, false],
  ['a\0b', 3, false],
  ['caf\ufffd', 3, false],
  ['a'.repeat(4096), 3, false],
] as const)('whether the target %j stays inside from depth %d: %s', ([target, depth, isInside]) => {
  expect(staysInside(target, depth)).toBe(isInside)
})
