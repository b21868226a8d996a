import { expect, test } from 'vitest'
import { each, until, within } from './waiting.ts'

test('things are done so many at a time', async () => {
  let [now, most] = [0, 0]
  const done: number[] = []

  await each([1, 2, 3, 4, 5], 2, async (thing) => {
    most = Math.max(most, ++now)
    await Promise.resolve()
    now--
    done.push(thing)
  })

  expect(most).toBe(2)
  expect(done.toSorted()).toEqual([1, 2, 3, 4, 5])
})

test('after a failure nothing further is begun, and what was begun comes to its end', async () => {
  const [begun, ended]: [number[], number[]] = [[], []]
  const other = Promise.withResolvers<void>()

  const doing = each([1, 2, 3, 4], 2, async (thing) => {
    begun.push(thing)
    if (thing === 1) {
      setImmediate(other.resolve)
      throw new Error('the first one')
    }
    await other.promise
    ended.push(thing)
  })

  await expect(doing).rejects.toThrow('the first one')
  expect(begun).toEqual([1, 2])
  expect(ended).toEqual([2])
})

test('what takes too long is named', async () => {
  const never = new Promise(() => {})

  await expect(within('the end of time', 1, never)).rejects.toThrow('not within 0.001 s: the end of time')
  await expect(until('pigs fly', () => false, 1)).rejects.toThrow('not within 0.001 s: pigs fly')
})
