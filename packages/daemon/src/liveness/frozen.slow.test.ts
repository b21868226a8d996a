import { randomBytes } from 'node:crypto'
import { startServer } from '@innkeeper/contract/servers/node-servers'
import { expect, test, vi } from 'vitest'
import { BackupServer, slowWait } from '../testing/backup-server.ts'
import { TestNode } from '../testing/daemon.ts'

const isRoot = process.getuid?.() === 0
const command = { type: 'command', command: 'ping', pattern: '^echo: ping$' }

test.runIf(isRoot)('a server that a backup has frozen need not respond meanwhile', async () => {
  await using node = await TestNode.start({ liveness: { secondMs: 5 }, backups: { freezeMs: 60_000 } })
  const server = new BackupServer(node)
  await server.create('echo', { liveness: { checks: [command], interval: 5, timeout: 60, failures: 1 } })
  for (let at = 0; at < 100; at++) server.write(`world/${at}`, randomBytes(500_000).toString('hex'))
  await node.client.send(startServer, { params: server.params, query: { wait: true } })
  const viewer = await node.client.watch(server.id)
  const answers = () => viewer.text.split('echo: ping').length - 1
  await viewer.until('several checks', () => answers() > 5)

  const job = await server.start()
  let silentMs = 0
  let before = { count: answers(), at: performance.now() }
  await vi.waitFor(async () => {
    if (answers() > before.count) before = { count: answers(), at: performance.now() }
    silentMs = Math.max(silentMs, performance.now() - before.at)
    expect((await server.jobs()).find(({ id }) => id === job.id)?.state).toBe('done')
  }, slowWait)
  await viewer.until('checks after the backup', () => answers() > before.count + 5)

  // Longer than the timeout of a check.
  expect(silentMs).toBeGreaterThan(300)
  expect(viewer.text).not.toContain('does not respond')
})
