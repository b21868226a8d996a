import { once } from 'node:events'
import { setInterval } from 'node:timers/promises'
import { createServer } from '@innkeeper/contract/servers/new-server'
import { killServer, startServer } from '@innkeeper/contract/servers/node-servers'
import { getConfig } from '@innkeeper/contract/settings/panel'
import { expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { TestInstallation } from './testing/test-installation.ts'

/** A small request of another client is sent this often. */
const [measuredMs, everyMs] = [4_000, 20]
const flood = { type: 'test', data: {}, run: { command: 'yes this line is printed without end' } }

/** Opens live sockets that read everything; those over a limit are refused. */
async function openSockets(installation: TestInstallation, id: string, count: number): Promise<WebSocket[]> {
  const url = `${installation.url.replace('http', 'ws')}/proxy/daemon/socket/${id}`
  const sockets = Array.from(
    { length: count },
    () => new WebSocket(url, { headers: { authorization: `Bearer ${installation.token}` } }),
  )
  await Promise.all(
    sockets.map((socket) => {
      socket.on('message', () => {})
      return once(socket, 'open').catch(() => socket.terminate())
    }),
  )
  return sockets
}

/** The 95th percentile of the response times of small requests, in milliseconds. */
async function responseTime(installation: TestInstallation): Promise<number> {
  const pending: Promise<number>[] = []
  // Each at its time, however long earlier ones take: a panel that is busy for a second delays fifty.
  for await (const _ of setInterval(everyMs)) {
    const begin = performance.now()
    pending.push(installation.send(getConfig, {}).then(() => performance.now() - begin))
    if (pending.length === measuredMs / everyMs) break
  }
  const times = await Promise.all(pending)
  return times.toSorted((one, other) => one - other)[Math.floor(times.length * 0.95)] ?? Number.POSITIVE_INFINITY
}

test('200 sockets of one user on a server at full speed cost others hardly more than one', {
  timeout: 120_000,
}, async () => {
  await using installation = await TestInstallation.start()
  const { id } = await installation.send(createServer, { body: { ...flood, name: 'flood', node: 0 } })
  const times: number[] = []
  for (const count of [1, 200]) {
    const sockets = await openSockets(installation, id, count)
    await installation.send(startServer, { params: { id }, query: { wait: 'true' } })
    times.push(await responseTime(installation))
    for (const socket of sockets) socket.terminate()
    await installation.send(killServer, { params: { id }, query: { wait: 'true' } })
  }

  const [one = 0, many = 0] = times
  // On a quiet machine one is a few milliseconds; then another process that is scheduled for once is more than that.
  expect(many).toBeLessThan(2 * one + 50)
})
