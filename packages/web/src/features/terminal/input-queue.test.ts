import { limits } from '@innkeeper/contract/text/limits'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { InputQueue } from './input-queue.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

function openQueue() {
  const sent: string[] = []
  const onOverflow = vi.fn()
  return { sent, onOverflow, queue: new InputQueue({ send: (data) => sent.push(data), onOverflow }) }
}

test('the first key is sent at once, and those that follow together', () => {
  const { queue, sent } = openQueue()

  queue.add('a')
  const atOnce = [...sent]
  queue.add('b')
  queue.add('\x1b[A')
  vi.runAllTimers()

  expect(atOnce).toEqual(['a'])
  expect(sent).toEqual(['a', 'b\x1b[A'])
})

test('a second of typing needs fewer messages than the node accepts', () => {
  const { queue, sent } = openQueue()

  for (let key = 0; key < 1_000; key++) {
    queue.add('x')
    vi.advanceTimersByTime(1)
  }

  expect(sent.length).toBeLessThanOrEqual(26)
})

test('a long paste is sent in parts that do not split characters', () => {
  const { queue, sent } = openQueue()
  const text = `x${'🏨'.repeat(limits.terminalInputLength)}`

  queue.add(text)
  vi.runAllTimers()

  expect(sent.join('')).toBe(text)
  expect(sent.every((part) => part.length <= limits.terminalInputLength && part.isWellFormed())).toBe(true)
})

test('a paste that is too long is refused as a whole', () => {
  const { queue, sent, onOverflow } = openQueue()

  queue.add('x'.repeat(256 * 1024 + 1))

  expect(sent).toEqual([])
  expect(onOverflow).toHaveBeenCalledOnce()
})
