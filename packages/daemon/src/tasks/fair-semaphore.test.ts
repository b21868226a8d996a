import { expect, test } from 'vitest'
import { FairSemaphore } from './fair-semaphore.ts'

/** Acquires a slot and records the order. */
function taking(semaphore: FairSemaphore, came: string[], server: string, signal = new AbortController().signal) {
  const turn = semaphore.acquire(server, signal)
  void turn.then(
    () => came.push(server),
    () => came.push(`${server} gave up`),
  )
  return turn
}

/** Lets all decided waiters continue. */
const settled = () => new Promise<void>((resolve) => void setImmediate(resolve))

test('runs are limited per node and per server, and others wait in order', async () => {
  const semaphore = new FairSemaphore(3, 2)
  const came: string[] = []
  const [first] = ['a', 'a', 'a', 'b', 'c'].map((server) => taking(semaphore, came, server))
  await settled()
  expect(came).toEqual(['a', 'a', 'b'])

  const turn = await first
  turn?.[Symbol.dispose]()
  await settled()

  expect(came).toEqual(['a', 'a', 'b', 'a'])
})

test('a cancelled waiter takes no slot', async () => {
  const semaphore = new FairSemaphore(1, 1)
  const came: string[] = []
  const first = await taking(semaphore, came, 'a')
  const giving = new AbortController()
  taking(semaphore, came, 'b', giving.signal).catch(() => {})
  void taking(semaphore, came, 'c')

  giving.abort()
  first[Symbol.dispose]()
  await settled()

  expect(came).toEqual(['a', 'b gave up', 'c'])
  await expect(semaphore.acquire('d', AbortSignal.abort(new Error('over')))).rejects.toThrow('over')
})
