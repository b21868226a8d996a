import { EventEmitter } from 'node:events'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { endSlowBody } from './slow-body.ts'

class FakeRequest extends EventEmitter {
  readonly headers: Record<string, string>
  readonly socket = { bytesRead: 500 }
  readableLength = 0
  isDestroyed = false

  constructor(headers: Record<string, string>) {
    super()
    this.headers = headers
  }

  destroy(): void {
    this.isDestroyed = true
    this.emit('close')
  }
}

const rate = { bytes: 1_000, everyMs: 100 }
const known = { 'content-length': '1000000' }
const chunked = { 'transfer-encoding': 'chunked' }

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** Whether a request ends when this many bytes arrive in each interval. */
function isEnded(headers: Record<string, string>, arriving: readonly number[], unread = 0): boolean {
  const request = new FakeRequest(headers)
  request.readableLength = unread
  endSlowBody(request, rate)
  for (const bytes of arriving) {
    request.socket.bytesRead += bytes
    vi.advanceTimersByTime(rate.everyMs)
  }
  return request.isDestroyed
}

test.each([
  ['nothing arrives', known, [0], 0, true],
  ['nothing arrives in chunks', chunked, [0], 0, true],
  ['too little arrives', known, [999], 0, true],
  ['too little arrives later', known, [5_000, 5_000, 999], 0, true],
  ['enough arrives', known, [1_000, 1_000, 1_000], 0, false],
  ['its reader holds it up', known, [10, 10, 10], 100, false],
  ['its reader stopped', known, [0], 100, true],
  ['there is no body', {}, [0, 0], 0, false],
  ['its body is empty', { 'content-length': '0' }, [0, 0], 0, false],
])('a request of which %s', (_, headers, arriving, unread, ended) => {
  expect(isEnded(headers, arriving, unread)).toBe(ended)
})

test.each(['end', 'close'])('a request is not ended after %s', (event) => {
  const request = new FakeRequest(known)
  endSlowBody(request, rate)

  request.emit(event)
  vi.advanceTimersByTime(10 * rate.everyMs)

  expect([request.isDestroyed, vi.getTimerCount()]).toEqual([false, 0])
})
