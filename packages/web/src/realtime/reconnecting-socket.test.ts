import { closeCodes } from '@innkeeper/contract/servers/live'
import { limits } from '@innkeeper/contract/text/limits'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type Connection, maxRetries, retryStepMs } from './connection.ts'
import { ReconnectingSocket, stableAfterMs } from './reconnecting-socket.ts'
import { FakeWebSocket } from './testing/fake-web-socket.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

function opened() {
  const sockets: FakeWebSocket[] = []
  const states: Connection['status'][] = []
  const unsent: unknown[] = []
  const live = new ReconnectingSocket({
    open: () => {
      const socket = new FakeWebSocket()
      sockets.push(socket)
      return socket
    },
    onMessage: () => {},
    onChange: (connection) => states.push(connection.status),
    onUnsent: (message) => unsent.push(message),
  })
  const last = () => sockets.at(-1) as FakeWebSocket
  return { live, sockets, states, unsent, last }
}

test('messages sent before the socket opens are sent once when it does', () => {
  const { live, last } = opened()

  live.send({ type: 'status' })
  last().opens()

  expect(last().sent).toEqual([{ type: 'status' }])
})

test('a queue that was sent is not sent again after a reconnect', () => {
  const { live, last } = opened()
  live.send({ type: 'console', command: 'say hi' })
  last().opens()

  last().falls()
  vi.advanceTimersByTime(limits.socketRetryBaseMs)
  last().opens()

  expect(last().sent).toEqual([])
})

test('what waited for a socket that did not open goes another way', () => {
  const { live, last, unsent } = opened()

  live.send({ type: 'console', command: 'say hi' })
  last().falls()

  expect(unsent).toEqual([{ type: 'console', command: 'say hi' }])
})

test('while it is closed, sending says no', () => {
  const { live, last } = opened()
  last().opens()

  last().falls()

  expect(live.send({ type: 'status' })).toBe(false)
})

test('after five failed attempts no more sockets are opened', () => {
  const { sockets, last, live } = opened()
  for (let failures = 0; failures <= maxRetries; failures++) {
    last().falls()
    vi.advanceTimersByTime(limits.socketRetryBaseMs + failures * retryStepMs)
  }

  vi.advanceTimersByTime(60_000)

  expect(sockets).toHaveLength(1 + maxRetries)
  expect(live.connection.status).toBe('failed')
})

test('a connection that was open for thirty seconds starts counting again', () => {
  const { last, live } = opened()
  last().falls()
  vi.advanceTimersByTime(limits.socketRetryBaseMs)
  last().opens()

  vi.advanceTimersByTime(stableAfterMs)

  expect(live.connection).toEqual({ status: 'open', failures: 0 })
})

test('a revoked session is not tried again', () => {
  const { last, live, sockets } = opened()
  last().opens()

  last().falls(closeCodes.revoked)
  vi.advanceTimersByTime(60_000)

  expect(live.connection).toEqual({ status: 'ended', because: 'revoked' })
  expect(sockets).toHaveLength(1)
})

test('leaving closes the socket and leaves no timer behind', () => {
  const { live, last } = opened()
  last().opens()

  live.close()

  expect(last().isClosed).toBe(true)
  expect(vi.getTimerCount()).toBe(0)
})

test('leaving while waiting for the next try leaves no timer behind', () => {
  const { live, last } = opened()
  last().falls()

  live.close()

  expect(vi.getTimerCount()).toBe(0)
})

test('a socket that does not answer a ping is closed', () => {
  const { last, live } = opened()
  last().opens()

  vi.advanceTimersByTime(limits.socketPingEveryMs)
  const pings = last().getSent('ping').length
  vi.advanceTimersByTime(limits.socketPingEveryMs)

  expect(pings).toBe(1)
  expect(live.connection.status).toBe('closed')
})

test('a socket that answers its pings stays', () => {
  const { last, live } = opened()
  last().opens()

  for (let times = 0; times < 4; times++) {
    vi.advanceTimersByTime(limits.socketPingEveryMs)
    last().says({ type: 'pong', data: {} })
  }

  expect(live.connection.status).toBe('open')
})

test('a handshake that takes too long counts as a failed try', () => {
  const { live } = opened()

  vi.advanceTimersByTime(limits.nodeCallMs)

  expect(live.connection).toMatchObject({ status: 'closed', failures: 1 })
})

test('a detached socket does not affect the next one', () => {
  const { live, sockets } = opened()
  vi.advanceTimersByTime(limits.nodeCallMs + limits.socketRetryBaseMs)
  sockets[1]?.opens()

  sockets[0]?.falls()

  expect(live.connection.status).toBe('open')
})
