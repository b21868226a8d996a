import { expect, test } from 'vitest'
import { cachedValue } from './cached-value.ts'

test('a value is read again when it is too old, when it was forgotten, and when the clock was set back', async () => {
  let [reads, clock] = [0, 10_000]
  const numbers = cachedValue(async () => ++reads, { maxAgeMs: 1_000, now: () => clock })

  expect(await Promise.all([numbers.get(), numbers.get()])).toEqual([1, 1])
  clock += 999
  expect(await numbers.get()).toBe(1)
  clock += 1
  expect(await numbers.get()).toBe(2)
  numbers.forget()
  expect(await numbers.get()).toBe(3)
  clock -= 5_000
  expect(await numbers.get()).toBe(4)
})

test('a failed read is not kept', async () => {
  let isBroken = true
  const numbers = cachedValue(
    async () => {
      if (isBroken) throw new Error('no database')
      return 1
    },
    { maxAgeMs: 1_000, now: () => 0 },
  )

  await expect(numbers.get()).rejects.toThrow('no database')
  isBroken = false
  expect(await numbers.get()).toBe(1)
})
