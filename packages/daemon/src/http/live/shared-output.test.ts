import { once } from 'node:events'
import type { RequiredPermission } from '@innkeeper/contract/api/permissions'
import { outputPurpose, socketPurpose } from '@innkeeper/contract/node-link/ticket'
import type { ConsoleOutput } from '@innkeeper/contract/servers/live'
import { sendCommand, startServer } from '@innkeeper/contract/servers/node-servers'
import { type ShareResponse, shareRequest } from '@innkeeper/contract/servers/shared-output'
import { expect } from 'vitest'
import { WebSocket } from 'ws'
import { type NodeClient, program, type Watcher } from '../../testing/daemon.ts'
import { testOnClearedNode as test } from '../../testing/node-test.ts'

const id = '0a0a0a0a'
const params = { id }
const wait = { wait: true }

const openOutput = (client: NodeClient) =>
  client.watch(id, ['viewServerConsole'], { sub: 'panel', purpose: outputPurpose })

const getConsole = ({ received }: Watcher, from = 0): ConsoleOutput[] =>
  received.slice(from).flatMap((message) => ('data' in message && message.type === 'console' ? [message.data] : []))

const isShared = (message: object): message is Extract<ShareResponse, { type: 'shared' }> =>
  'type' in message && message.type === 'shared'

async function share(viewer: Watcher): Promise<number> {
  const count = () => viewer.received.filter(isShared).length
  const before = count()
  viewer.socket.send(shareRequest)
  await viewer.until('that its output is shared', () => count() > before)
  return viewer.received.findLast(isShared)?.to ?? Number.NaN
}

test('viewers whose output is shared during it, and those of two panels, get the same bytes as others', async ({
  node: { client },
}) => {
  await client.create(id, program('count', 2_000, 3_000))
  const alone = await client.watch(id)
  const panels = await Promise.all(
    [0, 1].map(async (at) => ({
      shared: await openOutput(client),
      viewers: await Promise.all([2, 3].map((user) => client.watch(id, ['admin'], { sub: `user:${10 * at + user}` }))),
    })),
  )
  await client.send(startServer, { params, query: wait })

  for (const { viewers } of panels)
    for (const viewer of viewers) {
      await alone.until('more output', () => getConsole(alone).length > 3 * panels.length)
      await share(viewer)
    }
  const watchers = [alone, ...panels.map(({ shared }) => shared)]
  await Promise.all(watchers.map((watcher) => watcher.untilText('Server exited with code 7')))

  const begin = getConsole(alone)[0]?.from ?? Number.NaN
  const whole = getConsole(alone)
  expect(whole.slice(1).map(({ from }) => from)).toEqual(whole.slice(0, -1).map(({ to }) => to))
  for (const { shared, viewers } of panels)
    for (const viewer of viewers) {
      const at = viewer.received.findIndex(isShared)
      const { to } = viewer.received[at] as { to: number }
      expect(getConsole(viewer, at)).toEqual([])
      expect(to).toBeGreaterThan(begin)
      const own = getConsole(viewer)
      expect([...own, ...getConsole(shared).filter((output) => output.to > to)]).toEqual(
        whole.filter((output) => output.from >= (own[0]?.from ?? Number.NaN)),
      )
    }
})

test('a replay ends sharing until the next request, and both are at exact positions', async ({ node: { client } }) => {
  await client.create(id, program('echo'))
  const viewer = await client.watch(id)
  await share(viewer)
  const before = viewer.text
  await client.send(startServer, { params, query: wait })
  const shared = await openOutput(client)
  await client.send(sendCommand, { params, body: 'one' })
  await shared.untilText('echo: one\n')
  expect(viewer.text).toBe(before)

  viewer.send({ type: 'replay' })
  await viewer.untilText('echo: one\n')
  const types = viewer.received.map((message) => 'type' in message && message.type)
  expect(types.indexOf('unshared')).toBeLessThan(types.indexOf('replay'))
  await client.send(sendCommand, { params, body: 'two' })
  await viewer.untilText('echo: two\n')
  const to = await share(viewer)
  await client.send(sendCommand, { params, body: 'three' })
  await shared.untilText('echo: three\n')

  expect(to).toBe(getConsole(viewer).at(-1)?.to)
  expect(viewer.text).not.toContain('three')
  viewer.send({ type: 'replay', from: to })
  await viewer.untilText('echo: three\n')
  expect(viewer.text.match(/echo: two/g)).toHaveLength(1)
})

test('output is shared with a ticket for it only, and other binary frames have no effect', async ({
  node: { client, socketPath },
}) => {
  await client.create(id, program('echo'))
  const readStatus = async (path: string, purpose: string, permissions: readonly RequiredPermission[]) => {
    const ticket = await client.ticket({ purpose, rights: [...permissions], server: id, sub: 'panel' })
    const headers = { authorization: `Bearer ${ticket}` }
    const socket = new WebSocket(`ws+unix:${socketPath}:/daemon/${path}/${id}`, { headers })
    const [, response] = await once(socket, 'unexpected-response')
    socket.on('error', () => {}).terminate()
    return response.statusCode
  }

  expect(await readStatus('output', socketPurpose, ['admin'])).toBe(401)
  expect(await readStatus('socket', outputPurpose, ['admin'])).toBe(401)
  expect(await readStatus('output', outputPurpose, ['viewServer', 'sendServerConsole'])).toBe(403)
  const stranger = await client.watch(id, ['viewServer'])
  for (const frame of ['', 'share', '{"type":"other"}', '{"type":"share","more":1}'])
    stranger.socket.send(Buffer.from(frame))
  stranger.send({ type: 'ping' })
  await stranger.untilHeard('pong')
  expect(stranger.received).toEqual([{ type: 'pong', data: {} }])
})
