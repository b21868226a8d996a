import { Refusal } from '@innkeeper/contract/errors/refusals'
import { expect, test } from 'vitest'
import { filesAt } from './backup-files.ts'
import { backupDamage, isDamage, resticError } from './storage/restic-errors.ts'
import { getSample, requireComplete } from './verify-backup.ts'

const files = [10, 400, 20, 30].map((size) => ({ size }))

test('a sample has random files within the size', () => {
  const sample = getSample(files, 50)

  expect(sample.length).toBeGreaterThan(1)
  expect(sample.every((file) => files.includes(file))).toBe(true)
  expect(sample.reduce((sum, { size }) => sum + size, 0)).toBeLessThanOrEqual(50)
})

test('when all files are too large, the smallest one is the sample', () => {
  expect(getSample(files, 5)).toEqual([{ size: 10 }])
  expect(getSample([], 5)).toEqual([])
})

test('the number of files is limited', () => {
  expect(
    getSample(
      Array.from({ length: 1000 }, () => ({ size: 1 })),
      1e9,
    ),
  ).toHaveLength(200)
})

test('a test restore that lacks files or bytes is damage', () => {
  const expected = { files: 2, bytes: 10 }

  expect(requireComplete({ files: 2, bytes: 10 }, expected)).toEqual(expected)
  for (const restored of [
    { files: 0, bytes: 0 },
    { files: 2, bytes: 9 },
  ])
    expect(() => requireComplete(restored, expected)).toThrow('damaged')
})

test('only damaged or missing data is a failed verification, not what passes', () => {
  const failed = (stderr: string) => resticError({ code: 1, signal: null, stderr })

  expect(['StreamPack: open', 'id 72f3 not found in repository'].map(failed).map(isDamage)).toEqual([true, true])
  expect([backupDamage(), new Refusal('ErrBackupNotFound')].map(isDamage)).toEqual([true, true])
  const passing = [
    ...['no space left on device', 'repo already locked', 'Fatal: anything else'].map(failed),
    ...[new Refusal('ErrCancelled'), new Refusal('ErrDisk'), new DOMException('late', 'TimeoutError')],
  ]
  expect(passing.map(isDamage)).toEqual(passing.map(() => false))
})

test('names that are not UTF-8 look alike, so a sample counts all that its paths restore', () => {
  const paths = ['/a', '/caf\ufffd', '/caf\ufffd', '/d\ufffd/x', '/d\ufffd/x', '/d\ufffd', '/b']

  const restored = filesAt(
    paths.map((path) => ({ path })),
    ['/a', '/caf\ufffd', '/d\ufffd'],
  )

  expect(restored.map(({ path }) => path)).toEqual(paths.slice(0, -1))
})
