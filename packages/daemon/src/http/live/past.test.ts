import { utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { downloadConsole, getConsoleHistory, searchConsole } from '@innkeeper/contract/servers/console-history'
import { getFile } from '@innkeeper/contract/servers/files'
import { getConsole, killServer, sendCommand, startServer, stopServer } from '@innkeeper/contract/servers/node-servers'
import { getStatsHistory } from '@innkeeper/contract/servers/stats-history'
import { expect, vi } from 'vitest'
import { program } from '../../testing/daemon.ts'
import { test } from '../../testing/node-test.ts'

const id = '0a0a0a0a'
const params = { id }
const wait = { wait: true }

test('console output is found after a restart of server and node', async ({ node }) => {
  await node.client.create(id, program('echo'))
  const watcher = await node.client.watch(id)
  await node.client.send(startServer, { params, query: wait })
  await watcher.untilText('ready\n')
  await node.client.send(stopServer, { params, query: wait })
  await node.kill()
  await node.start()
  await node.client.send(startServer, { params, query: wait })

  const { body } = await node.client.send(searchConsole, { params, query: { text: 'READY' } })
  const { body: page } = await node.client.send(getConsoleHistory, { params })
  const whole = await node.client.send(downloadConsole, { params })
  await node.client.send(killServer, { params, query: wait })

  expect(body.found.map(({ line }: { line: string }) => line)).toContain('ready')
  expect(page.from).toBe(0)
  expect(page.isOldest).toBe(true)
  expect(page.logs.map(({ text }: { text: string }) => text).join('')).toContain(
    'ready\n[DAEMON] Server was told to stop\n',
  )
  expect(whole.headers['content-disposition']).toContain(`filename="${id}.log"`)
  expect(whole.body).toContain('ready\n[DAEMON] Server was told to stop\n')
})

test('times of the console and of files are whole epoch seconds', async ({ node }) => {
  const { client, dataDir } = node
  await client.create(id, program('echo'))
  writeFileSync(join(dataDir, 'servers', id, 'old.txt'), '')
  utimesSync(join(dataDir, 'servers', id, 'old.txt'), 1_500_000_000.9, 1_500_000_000.9)
  const watcher = await client.watch(id)
  const before = Math.floor(Date.now() / 1000)

  await client.send(startServer, { params, query: wait })
  await watcher.untilText('ready\n')
  const [listing, page, past, found] = [
    await client.send(getFile, { params: { id, path: '' } }),
    await client.send(getConsole, { params, query: { from: 0 } }),
    await client.send(getConsoleHistory, { params }),
    await client.send(searchConsole, { params, query: { text: 'ready' } }),
  ]
  await client.send(killServer, { params, query: wait })

  const after = Math.ceil(Date.now() / 1000)
  const pushed = watcher.received.flatMap((message) =>
    'type' in message && message.type === 'console' ? [message.data.epoch] : [],
  )
  expect(listing.body).toContainEqual(expect.objectContaining({ name: 'old.txt', modifyTime: 1_500_000_000 }))
  expect(page.body.logs).toContain('ready\n')
  const epochs: number[] = [...pushed, page.body.epoch, past.body.logs[0].epoch, found.body.found[0].epoch]
  expect(epochs.length).toBeGreaterThan(3)
  expect(epochs.filter((epoch) => !Number.isInteger(epoch) || epoch < before || epoch > after)).toEqual([])
})

test('the console records each command with its author, without secrets', async ({ node: { client } }) => {
  await client.create(id, program('echo'), { data: { rcon_password: { value: 'open-sesame' } } })
  await client.send(startServer, { params, query: wait })
  const watcher = await client.watch(id, ['admin'], { username: 'finn' })
  watcher.send({ type: 'replay' })
  await watcher.untilText('ready\n')

  watcher.send({ type: 'console', command: 'list' })
  await watcher.untilText('echo: list\n')
  await client.send(sendCommand, { params, body: 'say open-sesame', ticket: { username: 'mara' } })
  await watcher.untilText('mara> say ***\n')
  await client.send(sendCommand, { params, body: 'from the panel itself' })
  await watcher.untilText('from the panel itself\n')

  const { body } = await client.send(getConsoleHistory, { params })
  const kept = body.logs.map(({ text }: { text: string }) => text).join('')
  expect(kept).toContain('[DAEMON] finn> list\necho: list\n[DAEMON] mara> say ***\n')
  expect(kept).not.toContain('> from the panel')
  await client.send(killServer, { params, query: wait })
})

test('the history needs the console permission, and a search needs a text', async ({ node: { client } }) => {
  await client.create(id, program('echo'))
  const query = { text: 'x' }

  const denied = await client.send(searchConsole, { params, query, permissions: ['viewServerStats'] })
  const empty = await client.send(searchConsole, { params, query: { text: '' } })
  const deniedWhole = await client.send(downloadConsole, { params, permissions: ['viewServerStats'] })
  const odd = await client.send(getConsoleHistory, { params, query: { before: '-1' } })

  expect([denied, deniedWhole].map(({ body }) => body.error.code)).toEqual(['ErrMissingScope', 'ErrMissingScope'])
  expect(empty.body.error.code).toBe('ErrFieldRequired')
  expect(odd.status).toBe(400)
})

test('the usage of a running server is in its history from the first interval on', async ({ node: { client } }) => {
  await client.create(id, program('echo'))
  await client.send(startServer, { params, query: wait })

  const { body } = await vi.waitFor(
    async () => {
      const answer = await client.send(getStatsHistory, { params, query: { range: 'year' } })
      expect(answer.body.memory.at(-1)).toBeGreaterThan(1_000_000)
      return answer
    },
    { timeout: 10_000 },
  )

  expect(body.memoryPeak.at(-1)).toBeGreaterThanOrEqual(body.memory.at(-1))
  expect(body.memory.slice(0, -1).every((value: unknown) => value === null)).toBe(true)
  expect((await client.send(getStatsHistory, { params, query: { range: 'century' } })).status).toBe(400)
  await client.send(killServer, { params, query: wait })
})
