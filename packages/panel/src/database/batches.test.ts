import { expect, test } from 'vitest'
import { batches } from './batches.ts'

test('a call runs at once, and those that follow run together, each with its own result', async () => {
  const runs: (readonly number[])[] = []
  const double = batches(async (items: readonly number[]) => {
    runs.push(items)
    return items.map((item) => 2 * item)
  })

  const first = await double(1)
  const others = await Promise.all([double(2), double(3), double(4)])

  expect([first, ...others]).toEqual([2, 4, 6, 8])
  expect(runs).toEqual([[1], [2, 3, 4]])
})

test('when a batch fails, its calls fail, and later ones do not', async () => {
  const run = batches(async (items: readonly string[]) => {
    if (items.includes('bad')) throw new Error('it failed')
    return items
  })

  const settled = await Promise.allSettled([run('bad'), run('good')])

  expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(await run('good')).toBe('good')
})
