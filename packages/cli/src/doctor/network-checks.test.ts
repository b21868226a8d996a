import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test as base, expect } from 'vitest'
import { selfSignedCertificate } from '../testing/self-signed.ts'
import { answersWith, certificateCheck, greetsAsSftp, portCheck } from './network-checks.ts'

const { signal } = new AbortController()
const dayMs = 86_400_000

interface Fixtures {
  readonly folder: string
  /** A program that listens and sends a text to each client. */
  readonly listenWith: (greeting: string, then?: (socket: Socket) => void) => Promise<number>
}

const test = base.extend<Fixtures>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads what a fixture needs from its pattern
  folder: async ({}, use) => {
    const folder = await mkdtemp(join(tmpdir(), 'innkeeper-doctor-'))
    await use(folder)
    await rm(folder, { recursive: true })
  },
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads what a fixture needs from its pattern
  listenWith: async ({}, use) => {
    await using parts = new AsyncDisposableStack()
    await use(async (greeting, then = () => {}) => {
      const clients = new Set<Socket>()
      const server = createServer((socket) => {
        clients.add(socket)
        socket.on('error', () => {})
        if (greeting !== '') socket.write(greeting)
        then(socket)
      }).listen(0, '127.0.0.1')
      await once(server, 'listening')
      parts.defer(async () => {
        for (const client of clients) client.destroy()
        await server[Symbol.asyncDispose]()
      })
      return (server.address() as AddressInfo).port
    })
  },
})

const port = (number: number, isOurs = greetsAsSftp, host = '127.0.0.1', timeoutMs = 3_000) =>
  portCheck({
    name: 'sftp-port',
    purpose: 'SFTP',
    host,
    port: number,
    setting: 'INNKEEPER_SFTP_PORT',
    isOurs,
    timeoutMs,
  })

test('a port is free, used by Innkeeper, or used by another program', async ({ listenWith }) => {
  const [ours, other] = [await listenWith('SSH-2.0-Innkeeper\r\n'), await listenWith('SSH-2.0-OpenSSH_9.2p1\r\n')]
  const web = await listenWith('HTTP/1.1 200 OK\r\ncontent-length: 14\r\n\r\n{"alive":true}')

  expect(await port(ours).run(signal)).toMatchObject({
    state: 'ok',
    message: `Port ${ours} for SFTP is used by Innkeeper.`,
  })
  expect(await port(web, panel).run(signal)).toMatchObject({ state: 'ok' })
  expect(await port(other).run(signal)).toMatchObject({
    state: 'failed',
    message: `Port ${other} for SFTP is used by another program.`,
    advice: 'Stop that program. Choose another one with INNKEEPER_SFTP_PORT.',
  })
  expect(await port(web).run(signal)).toMatchObject({ state: 'failed' })
  expect(await port(0).run(signal)).toMatchObject({ state: 'ok', message: 'Port 0 for SFTP is free.' })
})

const panel = answersWith('"alive":true', '/healthz')

test.for<[string, (socket: Socket) => void]>([
  ['closes connections', (socket) => socket.end()],
  ['resets connections', (socket) => socket.resetAndDestroy()],
  ['does not respond', () => {}],
])('a program that %s is another program', async ([, then], { listenWith }) => {
  const used = await listenWith('', then)

  for (const isOurs of [greetsAsSftp, panel])
    expect(await port(used, isOurs, '127.0.0.1', 100).run(signal)).toMatchObject({
      state: 'failed',
      message: `Port ${used} for SFTP is used by another program.`,
    })
})

test('a program that closes connections is recognized without waiting for the timeout', async ({ listenWith }) => {
  const used = await listenWith('', (socket) => socket.end())

  const result = await port(used, greetsAsSftp, '127.0.0.1', 2 ** 30).run(signal)

  expect(result).toMatchObject({ state: 'failed' })
})

test('a panel answers over HTTPS, too', async ({ folder }) => {
  const { cert, key } = await selfSignedCertificate(folder, 'panel')
  const options = { cert: await readFile(cert), key: await readFile(key) }
  await using server = createHttpsServer(options, (_, response) => response.end('{"alive":true}')).listen(
    0,
    '127.0.0.1',
  )
  await once(server, 'listening')

  const result = await port((server.address() as AddressInfo).port, panel).run(signal)

  expect(result).toMatchObject({ state: 'ok', message: expect.stringContaining('is used by Innkeeper') })
})

test('a host that cannot be resolved is not a missing permission', async () => {
  expect(await port(5657, greetsAsSftp, 'no-such-host.invalid').run(signal)).toMatchObject({
    state: 'failed',
    message: expect.stringMatching(/^Port 5657 for SFTP cannot be used \(E\w+\)\.$/),
  })
})

test('an address that this machine does not have is a failure', async () => {
  expect(await port(5657, greetsAsSftp, '192.0.2.1').run(signal)).toMatchObject({
    state: 'failed',
    advice: 'Correct INNKEEPER_SFTP_HOST.',
  })
})

test.for([
  ['for two months', 30.5, 'panel.example.org', 'ok', 'valid for 59 days'],
  ['for 5 days', 84.5, 'panel.example.org', 'warning', 'valid for 5 days'],
  ['until yesterday', 91, 'panel.example.org', 'failed', 'expired on'],
  ['from tomorrow', -1, 'panel.example.org', 'failed', 'valid from'],
  ['for another name', 0, 'games.example.org', 'failed', 'not for games.example.org'],
  ['for an IPv6 address', 0, '[2001:db8::1]', 'ok', 'valid for 89 days'],
  ['for another IPv6 address', 0, '[2001:db8::2]', 'failed', 'not for 2001:db8::2'],
] as const)('a certificate %s', async ([, afterDays, host, state, message], { folder }) => {
  const files = await selfSignedCertificate(folder, 'panel')
  const now = Date.now() + afterDays * dayMs

  const result = await certificateCheck({ ...files, masterUrl: `https://${host}`, now }).run(signal)

  expect(result).toMatchObject({ state, message: expect.stringContaining(message) })
})

test('a certificate needs its own key and readable files', async ({ folder }) => {
  const [one, other] = [await selfSignedCertificate(folder, 'one'), await selfSignedCertificate(folder, 'other')]
  const check = (cert: string, key: string) => certificateCheck({ cert, key, masterUrl: undefined }).run(signal)

  expect(await check(one.cert, one.key)).toMatchObject({ state: 'ok' })
  expect(await check(one.cert, other.key)).toMatchObject({
    state: 'failed',
    message: expect.stringContaining('is not the key'),
  })
  expect(await check(join(folder, 'none.pem'), one.key)).toMatchObject({
    state: 'failed',
    message: expect.stringContaining('ENOENT'),
  })
  expect(await check(one.key, one.key)).toMatchObject({ state: 'failed' })
})

test.for([
  [undefined, 'ok'],
  ['https://panel.example.org', 'ok'],
  ['http://panel.example.org', 'warning'],
] as const)('without a certificate, the address %s is %s', async ([masterUrl, state]) => {
  expect(await certificateCheck({ cert: undefined, key: undefined, masterUrl }).run(signal)).toMatchObject({ state })
})
