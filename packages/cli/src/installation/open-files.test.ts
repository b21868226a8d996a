import { expect, test } from 'vitest'
import { openFileLimit, readProcessLimits } from './open-files.ts'

test.each([
  ['Max open files            1024                 65536                files', 65_536],
  ['Max open files            1024                 unlimited            files', Number.POSITIVE_INFINITY],
  ['Max processes             100                  100                  processes', undefined],
])('of %s %s files may be open', (line, limit) => {
  expect(openFileLimit(`Limit                     Soft Limit           Hard Limit           Units\n${line}\n`)).toBe(
    limit,
  )
})

test('this process has a limit', async () => {
  expect(openFileLimit(await readProcessLimits())).toBeGreaterThan(0)
})
