import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { putDefinition } from '@innkeeper/contract/definitions/server-definition'
import {
  getConsole,
  getStatus,
  reloadServer,
  restartServer,
  sendCommand,
  startServer,
  stopServer,
} from '@innkeeper/contract/servers/node-servers'
import { expect, vi } from 'vitest'
import { program } from '../testing/daemon.ts'
import { testOnClearedNode as test } from '../testing/node-test.ts'

/** Generous for busy machines; every wait is for a state. */
const patience = { timeout: 15_000, interval: 20 }

const id = '0a0a0a0a'
const params = { id }
const wait = { wait: true }

test('a server runs and is starting until it prints the line of its ready pattern', async ({ node: { client } }) => {
  await client.create(id, { command: program('echo'), stop: 'stop', readyPattern: '^echo: g[o]$' })
  const watcher = await client.watch(id)

  expect((await client.send(startServer, { params, query: wait })).status).toBe(204)
  await watcher.untilText('ready\n')
  const starting = (await client.send(getStatus, { params })).body
  expect(starting).toMatchObject({ state: 'starting', running: true })
  // It accepts the same actions as any running server.
  expect((await client.send(restartServer, { params, query: wait })).status).toBe(204)
  expect((await client.send(sendCommand, { params, body: 'go' })).status).toBe(204)

  await watcher.untilHeard('status', { state: 'online', running: true })
  const online = (await client.send(getStatus, { params })).body
  expect(Date.parse(online.since)).toBeGreaterThan(Date.parse(starting.since))
  await client.send(stopServer, { params, query: wait })
  expect((await client.send(getStatus, { params })).body).toMatchObject({ state: 'offline', running: false })
})

test('a line that is printed while no daemon runs counts', async ({ node }) => {
  const { client, dataDir } = node
  const script = 'while [ ! -e go ]; do sleep 0.05; done; echo now ready; : > said; exec cat'
  await client.create(id, { command: `sh -c "${script}"`, readyPattern: 'now ready' })
  await client.send(startServer, { params, query: wait })
  expect((await client.send(getStatus, { params })).body).toMatchObject({ state: 'starting', running: true })
  await node.detach()
  await writeFile(join(dataDir, 'servers', id, 'go'), '')
  await vi.waitFor(() => stat(join(dataDir, 'servers', id, 'said')), patience)

  await node.start()

  await vi.waitFor(async () => {
    expect((await client.send(getStatus, { params })).body).toMatchObject({ state: 'online', running: true })
  }, patience)
})

test.for<[string, string, string]>([
  ['is invalid', 'Done (', 'missing closing )'],
  ['refers back', '(a)\\1', 'invalid escape sequence'],
  ['is too long', 'x'.repeat(501), 'more than 500'],
])(
  'a ready pattern that %s is refused with its field and changes nothing',
  async ([, readyPattern, reason], { node }) => {
    const { client } = node
    await client.create(id, 'true')
    const body = { type: 'test', run: { command: 'true', readyPattern } }
    const refused = {
      status: 400,
      body: {
        error: {
          code: 'ErrFieldInvalid',
          metadata: { field: 'run.readyPattern', reason: expect.stringContaining(reason) },
        },
      },
    }

    expect(await client.send(putDefinition, { params, body })).toMatchObject(refused)
    expect(await client.asPanel('PUT', '/daemon/server/0b0b0b0b', body)).toMatchObject(refused)
    expect((await client.asPanel('PUT', '/daemon/server/0b0b0b0b', { type: 'test' })).status).toBe(204)
  },
)

test('an invalid one in an edited file is ignored, and the console says so', async ({ node }) => {
  const { client, dataDir } = node
  await client.create(id, program('echo'))
  const path = join(dataDir, 'servers', `${id}.json`)
  const definition = JSON.parse(await readFile(path, 'utf8'))
  await writeFile(path, JSON.stringify({ ...definition, run: { ...definition.run, readyPattern: '(' } }))
  await client.send(reloadServer, { params })

  expect((await client.send(startServer, { params, query: wait })).status).toBe(204)

  expect((await client.send(getStatus, { params })).body.state).toBe('online')
  expect((await client.send(getConsole, { params })).body.logs).toContain('The ready pattern is ignored')
})
