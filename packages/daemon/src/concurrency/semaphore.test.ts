import { expect, onTestFinished, test, vi } from 'vitest'
import { Semaphore } from './semaphore.ts'

/** Acquires a slot and records the order. */
function acquire(semaphore: Semaphore, log: string[], key: string, signal?: AbortSignal) {
  const slot = semaphore.acquire({ key, ...(signal && { signal }) })
  void slot.then(
    () => log.push(key),
    () => log.push(`${key} aborted`),
  )
  return slot
}

/** Lets all waiters with a slot continue. */
const settled = () => new Promise<void>((resolve) => void setImmediate(resolve))

test('slots are limited in total and per key, and others wait in order', async () => {
  const semaphore = new Semaphore(3, { perKey: 2 })
  const log: string[] = []
  const [first] = ['a', 'a', 'a', 'b', 'c'].map((key) => acquire(semaphore, log, key))
  await settled()
  expect(log).toEqual(['a', 'a', 'b'])

  const slot = await first
  slot?.[Symbol.dispose]()
  await settled()

  expect(log).toEqual(['a', 'a', 'b', 'a'])
})

test('an aborted waiter takes no slot', async () => {
  const semaphore = new Semaphore(1)
  const log: string[] = []
  const first = await acquire(semaphore, log, 'a')
  const aborting = new AbortController()
  acquire(semaphore, log, 'b', aborting.signal).catch(() => {})
  void acquire(semaphore, log, 'c')

  aborting.abort()
  first[Symbol.dispose]()
  await settled()

  expect(log).toEqual(['a', 'b aborted', 'c'])
  await expect(semaphore.acquire({ signal: AbortSignal.abort(new Error('over')) })).rejects.toThrow('over')
})

test('a slot is refused at the limit, and free again after a run that fails', async () => {
  const semaphore = new Semaphore(2, { perKey: 1 })
  const failing = semaphore.run(() => Promise.reject(new Error('the disk is full')), { key: 'a' })
  expect(semaphore.tryAcquire('a')).toBeUndefined()
  const other = semaphore.tryAcquire('b')
  expect(semaphore.tryAcquire('c')).toBeUndefined()

  await expect(failing).rejects.toThrow('the disk is full')
  expect(semaphore.tryAcquire('a')).toBeDefined()
  other?.[Symbol.dispose]()
  expect(semaphore.tryAcquire('c')).toBeDefined()
})

test('a slot that is held for long counts only for its key', () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const semaphore = new Semaphore(2, { perKey: 2, sharedMs: 1_000 })
  const held = ['a', 'a'].map((key) => semaphore.tryAcquire(key))
  expect(semaphore.tryAcquire('b')).toBeUndefined()

  vi.advanceTimersByTime(1_000)

  const others = ['b', 'b'].map((key) => semaphore.tryAcquire(key))
  expect(others).not.toContain(undefined)
  expect([semaphore.tryAcquire('a'), semaphore.tryAcquire('c')]).toEqual([undefined, undefined])
  for (const slot of [...held, ...others]) slot?.[Symbol.dispose]()
  expect(['c', 'c', 'd'].map((key) => semaphore.tryAcquire(key) !== undefined)).toEqual([true, true, false])
})

test('a waiter gets the place of a slot that is held for long', async () => {
  const semaphore = new Semaphore(1, { sharedMs: 10 })
  await semaphore.acquire({ key: 'a' })

  await expect(semaphore.acquire({ key: 'b' })).resolves.toBeDefined()
})
