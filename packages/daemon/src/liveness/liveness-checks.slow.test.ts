import { getStatus, sendCommand, startServer, stopServer } from '@innkeeper/contract/servers/node-servers'
import { test as base, expect, vi } from 'vitest'
import { program, TestNode, type Watcher } from '../testing/daemon.ts'

/** Seconds of definitions are short. */
const test = base.extend<{ node: TestNode }>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads what a fixture needs from its pattern
  node: async ({}, use) => {
    await using node = await TestNode.start({ liveness: { secondMs: 20 } })
    await use(node)
  },
})

const id = '0a0a0a0a'
const params = { id }
const command = { type: 'command', command: 'ping', pattern: '^alive$' }
/** The first may be late, because the thread that matches patterns starts. */
const untilChecked = (viewer: Watcher) => viewer.until('several checks', ({ text }) => text.split('alive').length > 3)

async function start(node: TestNode, liveness: object) {
  await node.client.create(id, program('hang'), { liveness: { interval: 5, timeout: 40, failures: 2, ...liveness } })
  const viewer = await node.client.watch(id)
  await node.client.send(startServer, { params, query: { wait: true } })
  await viewer.untilText('ready')
  const pid = await node.findProcess(`${id}/main`)
  if (pid === undefined) throw new Error('the server does not run')
  return { viewer, pid }
}

const readNotResponding = async (node: TestNode) => (await node.client.send(getStatus, { params })).body.notResponding

test('a server that was stopped by a signal does not respond, until it goes on', async ({ node }) => {
  const { viewer, pid } = await start(node, { checks: [command] })
  await untilChecked(viewer)
  const whenAlive = await readNotResponding(node)

  process.kill(pid, 'SIGSTOP')
  await viewer.untilText('Server does not respond. No line matched after the command “ping”')
  const whenStopped = await readNotResponding(node)
  process.kill(pid, 'SIGCONT')
  await viewer.untilText('Server responds again')

  expect(whenAlive).toBeUndefined()
  expect(whenStopped).toEqual({ reason: 'command', since: expect.any(String) })
  expect(await readNotResponding(node)).toBeUndefined()
})

test('a server in an endless loop does not respond, and the next process is a new one', async ({ node }) => {
  const { viewer, pid } = await start(node, { checks: [command] })
  await untilChecked(viewer)

  await node.client.send(sendCommand, { params, body: 'hang' })
  await viewer.untilText('Server does not respond')
  process.kill(pid, 'SIGKILL')
  await vi.waitFor(async () => expect((await node.client.send(getStatus, { params })).body.state).toBe('offline'))

  expect(await readNotResponding(node)).toBeUndefined()
})

test('a server that prints nothing for too long does not respond', async ({ node }) => {
  const { viewer } = await start(node, { checks: [{ type: 'output', within: 10 }] })

  await viewer.untilText('Server does not respond. It printed nothing for ')
  await node.client.send(sendCommand, { params, body: 'anything' })

  await viewer.untilText('Server responds again')
})

test('while a server saves, it need not respond', async ({ node }) => {
  const saving = { command: 'hang', seconds: 3_600 }
  const { viewer } = await start(node, { checks: [command], saving })
  await untilChecked(viewer)

  await node.client.send(sendCommand, { params, body: 'hang' })
  await node.client.create('0b0b0b0b', program('hang'), {
    liveness: { interval: 5, timeout: 40, failures: 2, checks: [command] },
  })
  const other = await node.client.watch('0b0b0b0b')
  await node.client.send(startServer, { params: { id: '0b0b0b0b' } })
  await untilChecked(other)
  await node.client.send(sendCommand, { params: { id: '0b0b0b0b' }, body: 'hang' })
  await other.untilText('Server does not respond')

  expect(await readNotResponding(node)).toBeUndefined()
})

test('a check that never succeeded, for example of a wrong pattern, reports nothing', async ({ node }) => {
  const never = { ...command, pattern: '^never$' }
  const { viewer } = await start(node, { checks: [never] })

  await untilChecked(viewer)

  expect(await readNotResponding(node)).toBeUndefined()
  await node.client.send(stopServer, { params, query: { wait: true } })
})
