import { expect, test } from 'vitest'
import { StartThrottle } from './start-throttle.ts'

/** A machine on which so much of the time was idle at each look. */
function machine(...shares: number[]) {
  let [idle, all, looks] = [0, 0, 0]
  return {
    get looks() {
      return looks
    },
    read() {
      // The first look has nothing to compare with.
      if (looks > 0) idle += 100 * (shares[looks - 1] ?? shares.at(-1) ?? 0)
      all += looks > 0 ? 100 : 0
      looks++
      return { idle, all }
    },
  }
}

test('a machine with time to spare starts the next one at once', async () => {
  const idle = machine(0.9)

  await new StartThrottle({ read: idle.read, sampleMs: 1 }).acquire()

  expect(idle.looks).toBe(2)
})

test('a busy machine finishes first what it began', async () => {
  const busy = machine(0.01, 0.02, 0.5)

  await new StartThrottle({ read: busy.read, sampleMs: 1 }).acquire()

  expect(busy.looks).toBe(4)
})

test('a machine that is always busy starts the next one all the same', async () => {
  const busy = machine(0)

  await new StartThrottle({ read: busy.read, sampleMs: 1, maxWaitMs: 20 }).acquire()

  expect(busy.looks).toBeGreaterThan(2)
})

test('those who wait go one after the other, each with a look of its own', async () => {
  const busy = machine(0, 1, 1)
  const pace = new StartThrottle({ read: busy.read, sampleMs: 1 })
  const order: number[] = []

  await Promise.all([1, 2, 3].map((number) => pace.acquire().then(() => order.push(number))))

  expect(order).toEqual([1, 2, 3])
  expect(busy.looks).toBeGreaterThanOrEqual(7)
})

test('this very machine tells its times', async () => {
  await expect(new StartThrottle({ sampleMs: 5, maxWaitMs: 10 }).acquire()).resolves.toBeUndefined()
})
