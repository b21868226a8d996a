import { expect, test } from 'vitest'
import { FairSemaphore } from './fair-semaphore.ts'

/** Takes a turn and says when it came. */
function taking(semaphore: FairSemaphore, came: string[], server: string, signal = new AbortController().signal) {
  const turn = semaphore.acquire(server, signal)
  void turn.then(
    () => came.push(server),
    () => came.push(`${server} gave up`),
  )
  return turn
}

/** All that is decided by now has been told. */
const settled = () => new Promise<void>((resolve) => void setImmediate(resolve))

test('so many run at once, of one server fewer, and the others come in their order', async () => {
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

test('who gives up waiting takes no turn', async () => {
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
