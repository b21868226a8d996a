import { afterEach, expect, test, vi } from 'vitest'
import { PooledWorker } from './pooled-worker.ts'

afterEach(() => void vi.useRealTimers())

const program = (text: string) =>
  new URL(`data:text/javascript,${encodeURIComponent(`import { parentPort } from 'node:worker_threads'\n${text}`)}`)

/** A thread, its messages, and why it ended. */
function parseThread(text: string) {
  const messages: unknown[] = []
  const ends: unknown[] = []
  const listener = {
    onMessage: (answer: unknown) => void messages.push(answer),
    onEnd: (reason: unknown) => void ends.push(reason),
  }
  const thread = new PooledWorker<unknown, unknown>(program(text), listener, { heap: { maxOldGenerationSizeMb: 32 } })
  return { thread, messages, ends }
}

test('a thread answers requests', async () => {
  const { thread, messages, ends } = parseThread(
    `parentPort.on('message', (order) => parentPort.postMessage(order + 1))`,
  )

  thread.post(1)
  thread.post(2)

  await vi.waitFor(() => expect(messages).toEqual([2, 3]))
  expect(ends).toEqual([])
  thread.idle()
})

test('it has an empty environment', async () => {
  const { thread, messages } = parseThread(
    `parentPort.once('message', () => parentPort.postMessage(Object.keys(process.env)))`,
  )

  thread.post('surroundings')

  await vi.waitFor(() => expect(messages).toHaveLength(1))
  expect(['NODE_COMPILE_CACHE']).toEqual(expect.arrayContaining(messages[0] as string[]))
})

test('a failure is reported once, with its reason', async () => {
  const { thread, ends } = parseThread(`parentPort.on('message', () => { throw new Error('it broke') })`)

  thread.post('anything')

  await vi.waitFor(() => expect(ends).toEqual([expect.objectContaining({ message: 'it broke' })]))
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(ends).toHaveLength(1)
})

test('exceeding the memory limit ends only the thread', async () => {
  const { thread, ends } = parseThread(
    `parentPort.on('message', () => { const all = []; for (;;) all.push({ all: [...all] }) })`,
  )

  thread.post('all of it')

  await vi.waitFor(() => expect(ends).toEqual([expect.objectContaining({ code: 'ERR_WORKER_OUT_OF_MEMORY' })]), 20_000)
})

test('it ends after an idle time, and not before', async () => {
  const { thread, messages, ends } = parseThread(`parentPort.on('message', (order) => parentPort.postMessage(order))`)
  thread.post('one')
  await vi.waitFor(() => expect(messages).toEqual(['one']))
  vi.useFakeTimers()

  thread.idle()
  vi.advanceTimersByTime(59_000)
  thread.post('two')
  vi.advanceTimersByTime(600_000)
  expect(ends).toEqual([])
  thread.idle()
  vi.advanceTimersByTime(60_000)

  expect(ends).toEqual([undefined])
})
