import { test as base, expect, vi } from 'vitest'
import { LivenessProbe, livenessCheckIntervalMs } from './liveness-probe.ts'

const test = base.extend<{ node: { answers: boolean[]; requests: number; watch: LivenessProbe } }>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads what a fixture needs from its pattern
  node: async ({}, use) => {
    vi.useFakeTimers()
    const answers: boolean[] = []
    const node = { answers, requests: 0, watch: new LivenessProbe(isThere) }
    async function isThere(): Promise<boolean> {
      node.requests++
      return answers.shift() ?? true
    }
    await use(node)
    vi.useRealTimers()
  },
})

const pass = (times: number) => vi.advanceTimersByTimeAsync(times * livenessCheckIntervalMs)

test('requests are aborted when the node fails two probes in a row', async ({ node }) => {
  const [one, other] = [new AbortController(), new AbortController()]
  for (const request of [one, other]) node.watch.begin(request)
  await pass(2)
  expect(one.signal.aborted).toBe(false)

  node.answers.push(false, true)
  await pass(1)
  expect(one.signal.aborted).toBe(false)

  node.answers.push(false, false)
  await pass(1)
  for (const { signal } of [one, other]) expect(signal.reason).toMatchObject({ code: 'ErrServiceNotAvailable' })
})

test('a node is probed only while requests are pending, also later ones', async ({ node }) => {
  const [first, second, third] = [new AbortController(), new AbortController(), new AbortController()]
  const endFirst = node.watch.begin(first)
  await pass(1)
  endFirst()
  await pass(5)
  expect(node.requests).toBe(1)

  node.answers.push(false, false)
  node.watch.begin(second)
  await pass(1)

  expect(second.signal.aborted).toBe(true)
  expect(first.signal.aborted).toBe(false)
  const endThird = node.watch.begin(third)
  await pass(1)
  expect(third.signal.aborted).toBe(false)
  endThird()
})
