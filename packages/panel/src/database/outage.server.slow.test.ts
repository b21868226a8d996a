import { login } from '@innkeeper/contract/accounts/auth'
import { panelEndpoints } from '@innkeeper/contract/node-link/panel-to-node'
import { createServer } from '@innkeeper/contract/servers/new-server'
import { listServers } from '@innkeeper/contract/servers/servers'
import { getHealth, getReadiness } from '@innkeeper/contract/settings/panel'
import { sql } from 'kysely'
import pino from 'pino'
import { test as base, expect, inject, vi } from 'vitest'
import { DatabaseServer } from '../testing/database-server.ts'
import { createAt } from '../testing/databases.ts'
import { TestPanel } from '../testing/test-panel.ts'
import { maxConnections, statementTimeoutMs } from './connection-limits.ts'
import { connect } from './database.ts'

const { kind } = inject('databaseServer') ?? {}
if (!kind) throw new Error('These tests need a database server.')

/** A panel on a separate database server, which the test may stop. */
const test = base.extend<{ server: DatabaseServer; testPanel: TestPanel }>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads what a fixture needs from its pattern
  server: async ({}, use) => {
    const server = await DatabaseServer.create(kind, { lasting: true })
    await use(server)
    await server.remove()
  },
  testPanel: async ({ server }, use) => {
    const testPanel = await TestPanel.start({
      databaseUrl: await createAt(server.url()),
      log: pino({ level: 'silent' }),
    })
    await use(testPanel)
    await testPanel.stop()
  },
})

test.for(['SIGKILL', 'in order'] as const)(
  'an outage of the database (%s) is reported immediately, and the panel works again within five seconds',
  async (how, { server, testPanel }) => {
    const admin = await testPanel.admin()
    const list = () => testPanel.send(listServers, { query: {} }, admin)
    expect((await list()).status).toBe(200)

    await server.stop(how === 'in order' ? undefined : how)
    const from = performance.now()
    const many = await Promise.all(Array.from({ length: 30 }, list))
    const durationMs = performance.now() - from
    expect(many.map(({ status, refusal }) => [status, refusal])).toEqual(
      many.map(() => [503, 'ErrDatabaseNotAvailable']),
    )
    expect(durationMs).toBeLessThan(1_000)
    const attempt = { body: { email: 'nobody@example.org', password: 'whatever it is' } }
    expect((await testPanel.send(login, attempt)).refusal).toBe('ErrDatabaseNotAvailable')
    expect((await testPanel.send(getReadiness, {})).status).toBe(503)
    expect((await testPanel.send(getHealth, {})).status).toBe(200)

    await server.start()
    await vi.waitFor(async () => expect((await list()).status).toBe(200), { timeout: 5_000, interval: 100 })
    expect((await Promise.all(Array.from({ length: 30 }, list))).every(({ status }) => status === 200)).toBe(true)
  },
)

test('a server created on its node during an outage is deleted there when the database is back', async ({
  server,
  testPanel,
}) => {
  const admin = await testPanel.admin()
  testPanel.node.answer(panelEndpoints.createServer, async (_request, response) => {
    await server.stop('SIGKILL')
    response.writeHead(204).end()
  })
  const body = { type: 'test', data: {}, run: { command: 'cat' }, environment: { type: 'standard' } }

  expect((await testPanel.send(createServer, { body }, admin)).refusal).toBe('ErrDatabaseNotAvailable')
  await server.start()

  const known = () => testPanel.db.selectFrom('servers').select('id').execute()
  await vi.waitFor(async () => expect(await known()).toEqual([]), { timeout: 10_000, interval: 100 })
})

test.concurrent('a statement without a response times out, and its connection is not reused', async ({
  server,
  expect,
}) => {
  const db = await connect(server.url())
  const sleep = kind === 'postgres' ? sql`select pg_sleep(60)` : sql`select sleep(60)`
  const from = performance.now()

  const queries = Array.from({ length: maxConnections }, () => sleep.execute(db))

  const failures = await Promise.allSettled(queries)
  expect(failures.map((failure) => failure.status === 'rejected' && String(failure.reason))).toEqual(
    queries.map(() => 'DatabaseNotAvailable: The database is not available.'),
  )
  expect(performance.now() - from).toBeLessThan(statementTimeoutMs + 3_000)
  expect((await sql`select 1 as one`.execute(db)).rows).toEqual([{ one: 1 }])
  await db.destroy()
})

test.concurrent('waiting for a free connection times out', async ({ server, expect }) => {
  const db = await connect(server.url())
  const free = Promise.withResolvers<void>()
  const inUse = Promise.withResolvers<void>()
  let count = 0
  const holding = Array.from({ length: maxConnections }, () =>
    db.connection().execute(async () => {
      if (++count === maxConnections) inUse.resolve()
      await free.promise
    }),
  )
  await inUse.promise

  await expect(sql`select 1`.execute(db)).rejects.toThrow('The database is not available.')

  free.resolve()
  await Promise.all(holding)
  expect((await sql`select 1 as one`.execute(db)).rows).toEqual([{ one: 1 }])
  await db.destroy()
})
