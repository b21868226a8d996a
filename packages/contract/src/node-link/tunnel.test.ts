import { connect, createServer } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { expect, test, vi } from 'vitest'
import { keepTunnelAlive } from './tunnel.ts'

test('a session that is destroyed, and has not closed yet, is not pinged', async () => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const session = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  await new Promise((resolve) => session.once('connect', resolve))
  const pings = vi.spyOn(session, 'ping')
  vi.useFakeTimers()
  try {
    keepTunnelAlive(session, { everyMs: 10, timeoutMs: 1_000 })
    vi.advanceTimersByTime(10)
    session.destroy()
    vi.advanceTimersByTime(50)
  } finally {
    vi.useRealTimers()
  }

  expect(pings).toHaveBeenCalledOnce()
  server.close()
})
