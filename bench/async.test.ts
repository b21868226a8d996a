import { expect, test } from 'vitest'
import { forEachConcurrent, waitUntil, withTimeout } from './async.ts'

test('items run with limited concurrency', async () => {
  let [running, maxRunning] = [0, 0]
  const done: number[] = []

  await forEachConcurrent([1, 2, 3, 4, 5], 2, async (item) => {
    maxRunning = Math.max(maxRunning, ++running)
    await Promise.resolve()
    running--
    done.push(item)
  })

  expect(maxRunning).toBe(2)
  expect(done.toSorted()).toEqual([1, 2, 3, 4, 5])
})

test('after a failure no item is started, and running items complete', async () => {
  const [started, completed]: [number[], number[]] = [[], []]
  const other = Promise.withResolvers<void>()

  const running = forEachConcurrent([1, 2, 3, 4], 2, async (item) => {
    started.push(item)
    if (item === 1) {
      setImmediate(other.resolve)
      throw new Error('the first one')
    }
    await other.promise
    completed.push(item)
  })

  await expect(running).rejects.toThrow('the first one')
  expect(started).toEqual([1, 2])
  expect(completed).toEqual([2])
})

test('timeout errors contain the title', async () => {
  const never = new Promise(() => {})

  await expect(withTimeout('the end of time', 1, never)).rejects.toThrow('timed out after 0.001 s: the end of time')
  await expect(waitUntil('pigs fly', () => false, 1)).rejects.toThrow('timed out after 0.001 s: pigs fly')
})
