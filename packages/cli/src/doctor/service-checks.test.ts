import { once } from 'node:events'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { connect, openDatabase } from '@innkeeper/panel/database/database'
import { MailServer } from '@innkeeper/panel/testing/mail-server'
import pino from 'pino'
import { test as base, expect } from 'vitest'
import { freePort } from '../testing/free-port.ts'
import { runChecks } from './checks.ts'
import { databaseCheck, dockerCheck, mailCheck, resticCheck } from './service-checks.ts'

const { signal } = new AbortController()
const log = pino({ level: 'silent' })

const test = base.extend<{ folder: string; databaseUrl: string }>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads what a fixture needs from its pattern
  folder: async ({}, use) => {
    const folder = await mkdtemp(join(tmpdir(), 'innkeeper-doctor-'))
    await use(folder)
    await rm(folder, { recursive: true })
  },
  databaseUrl: async ({ folder }, use) => {
    const url = `sqlite:${join(folder, 'panel.db')}`
    await (await openDatabase(url)).destroy()
    await use(url)
  },
})

test.for([
  ['echo restic 0.16.4 compiled', 'ok', 'restic 0.16.4'],
  ['echo restic 0.13.1 compiled', 'warning', '0.14 or newer is needed'],
  ['exit 1', 'warning', 'no version'],
] as const)('restic that does "%s" is %s', async ([script, state, message], { folder }) => {
  await writeFile(join(folder, 'restic'), `#!/bin/sh\n${script}\n`)
  await chmod(join(folder, 'restic'), 0o755)

  expect(await resticCheck('restic', folder).run(signal)).toMatchObject({
    state,
    message: expect.stringContaining(message),
  })
})

test('without restic servers cannot be backed up', async ({ folder }) => {
  expect(await resticCheck('restic', folder).run(signal)).toMatchObject({
    state: 'warning',
    message: expect.stringContaining('restic'),
  })
})

test('Docker responds on its socket, or there is none', async ({ folder }) => {
  const socketPath = join(folder, 'docker.sock')
  await using engine = createServer(
    (_, response) => void response.setHeader('server', 'Docker/20.10').end('OK'),
  ).listen(socketPath)
  await once(engine, 'listening')

  expect(await dockerCheck([socketPath]).run(signal)).toMatchObject({
    state: 'ok',
    message: `Docker responds at ${socketPath}.`,
  })
  expect(await dockerCheck([join(folder, 'none.sock')]).run(signal)).toMatchObject({ state: 'warning' })
})

test('the database is up to date, of an older version, missing or unreachable', async ({ databaseUrl, folder }) => {
  const old = `sqlite:${join(folder, 'old.db')}`
  await (await openDatabase(old)).destroy()
  const file = new DatabaseSync(join(folder, 'old.db'))
  file.exec("delete from kysely_migration where name like '0015%'")
  file.close()

  expect(await databaseCheck(databaseUrl).run(signal)).toMatchObject({ state: 'ok' })
  expect(await databaseCheck(old).run(signal)).toMatchObject({
    state: 'warning',
    advice: expect.stringContaining('migrates'),
  })
  expect(await databaseCheck(`sqlite:${join(folder, 'none.db')}`).run(signal)).toMatchObject({ state: 'warning' })
  expect(await databaseCheck(`postgres://x:secret@127.0.0.1:${await freePort()}/x`).run(signal)).toMatchObject({
    state: 'failed',
    message: expect.stringMatching(/^The database is not available\..*ECONNREFUSED/),
    advice: expect.stringContaining('INNKEEPER_DATABASE_URL'),
  })
})

test('a database on a name with several addresses is unreachable at each of them', async () => {
  const port = await freePort()

  const result = await databaseCheck(`postgres://x:secret@localhost:${port}/x`).run(signal)

  expect(result).toMatchObject({ state: 'failed', message: expect.stringContaining(`ECONNREFUSED 127.0.0.1:${port}`) })
})

/** Sets up mail through a server on this machine. */
async function setUpMail(databaseUrl: string, port: number, password: string): Promise<void> {
  const db = await connect(databaseUrl)
  const values = {
    'panel.email.provider': 'smtp',
    'panel.email.from': 'panel@example.org',
    'panel.email.host': `127.0.0.1:${port}`,
    'panel.email.username': 'panel',
    'panel.email.password': password,
  }
  await db.deleteFrom('settings').where('key', 'in', Object.keys(values)).execute()
  await db
    .insertInto('settings')
    .values(Object.entries(values).map(([key, value]) => ({ key, value })))
    .execute()
  await db.destroy()
}

test('the mail server accepts the login, rejects it, or does not respond', async ({ databaseUrl }) => {
  const check = mailCheck({ databaseUrl, log })
  const server = await MailServer.start()
  expect(await check.run(signal)).toMatchObject({ state: 'warning', message: expect.stringContaining('not set up') })

  await setUpMail(databaseUrl, server.port, 'right')
  expect(await check.run(signal)).toMatchObject({ state: 'ok' })
  await setUpMail(databaseUrl, server.port, 'wrong-secret')
  const rejected = await check.run(signal)
  await server.stop()
  const unreachable = await check.run(signal)

  expect(rejected).toMatchObject({ state: 'failed', message: expect.stringContaining('Invalid') })
  expect(JSON.stringify(rejected)).not.toContain('wrong-secret')
  expect(rejected).toMatchObject({ advice: expect.stringContaining('Settings page') })
  expect(unreachable).toMatchObject({ state: 'failed', message: expect.stringContaining('ECONNREFUSED') })
  expect(server.received).toEqual([])
  const missing = mailCheck({ databaseUrl: 'sqlite:/nowhere/panel.db', log })
  expect(await missing.run(signal)).toMatchObject({ state: 'warning' })
})

test('a mail server that does not greet is a failure before the check itself times out', async ({ databaseUrl }) => {
  const clients = new Set<Socket>()
  const silent = createTcpServer((socket) => clients.add(socket)).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  await using cleanup = new AsyncDisposableStack()
  cleanup.defer(async () => {
    for (const client of clients) client.destroy()
    await silent[Symbol.asyncDispose]()
  })
  await setUpMail(databaseUrl, (silent.address() as AddressInfo).port, 'right')
  const check = mailCheck({ databaseUrl, log, smtpTimeoutMs: 50 })

  const [result] = await runChecks([check], 15_000)

  expect(result).toMatchObject({
    state: 'failed',
    message: expect.stringMatching(
      /^The mail server cannot be used: (Greeting never received|.*did not respond within)/,
    ),
  })
})
