import { getStatus } from '@innkeeper/contract/servers/node-servers'
import { expect, test, vi } from 'vitest'
import { program, TestNode } from '../testing/daemon.ts'

test('servers whose start takes long do not hold up the start of others with the node', async () => {
  await using node = await TestNode.start({ servers: { autostartWaitMs: 100 } })
  const run = { command: program('echo'), stop: 'stop', autostart: true }
  const slow = ['0a0a0a01', '0a0a0a02', '0a0a0a03', '0a0a0a04', '0a0a0a05']
  for (const id of slow) await node.client.create(id, { ...run, pre: [{ type: 'sleep', duration: '1h' }] })
  await node.client.create('0b0b0b0b', run)

  await node.detach()
  await node.start()

  const readState = async (id: string) => (await node.client.send(getStatus, { params: { id } })).body.state
  await vi.waitFor(async () => expect(await readState('0b0b0b0b')).toBe('online'), 20_000)
  expect(await readState('0a0a0a01')).not.toBe('online')
})
