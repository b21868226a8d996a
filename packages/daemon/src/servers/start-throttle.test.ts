import { expect, test } from 'vitest'
import { StartThrottle } from './start-throttle.ts'

/** A host with the given idle fractions, one per sample. */
function machine(...shares: number[]) {
  let [idle, all, samples] = [0, 0, 0]
  return {
    get samples() {
      return samples
    },
    read() {
      // The first sample has nothing to compare with.
      if (samples > 0) idle += 100 * (shares[samples - 1] ?? shares.at(-1) ?? 0)
      all += samples > 0 ? 100 : 0
      samples++
      return { idle, all }
    },
  }
}

test('an idle host starts the next server at once', async () => {
  const idle = machine(0.9)

  await new StartThrottle({ read: idle.read, sampleMs: 1 }).acquire()

  expect(idle.samples).toBe(2)
})

test('a busy host delays the next start until it is idle', async () => {
  const busy = machine(0.01, 0.02, 0.5)

  await new StartThrottle({ read: busy.read, sampleMs: 1 }).acquire()

  expect(busy.samples).toBe(4)
})

test('a host that stays busy starts the next server after the maximum wait', async () => {
  const busy = machine(0)

  await new StartThrottle({ read: busy.read, sampleMs: 1, maxWaitMs: 20 }).acquire()

  expect(busy.samples).toBeGreaterThan(2)
})

test('waiters are released one after the other, each after a sample of its own', async () => {
  const busy = machine(0, 1, 1)
  const pace = new StartThrottle({ read: busy.read, sampleMs: 1 })
  const order: number[] = []

  await Promise.all([1, 2, 3].map((number) => pace.acquire().then(() => order.push(number))))

  expect(order).toEqual([1, 2, 3])
  expect(busy.samples).toBeGreaterThanOrEqual(7)
})

test('reads the CPU times of this host', async () => {
  await expect(new StartThrottle({ sampleMs: 5, maxWaitMs: 10 }).acquire()).resolves.toBeUndefined()
})
