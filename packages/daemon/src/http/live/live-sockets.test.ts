import { once } from 'node:events'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type RequiredPermission, scopeOfPermission, serverPermissionNames } from '@innkeeper/contract/api/permissions'
import { toEnvelope } from '@innkeeper/contract/errors/refusal-envelope'
import { Refusal, type RefusalCode, type RefusalMetadata } from '@innkeeper/contract/errors/refusals'
import { permissionOfMessage, type ServerMessage } from '@innkeeper/contract/servers/live'
import { getStatus, startServer } from '@innkeeper/contract/servers/node-servers'
import { limits } from '@innkeeper/contract/text/limits'
import { expect, vi } from 'vitest'
import { program, type Watcher } from '../../testing/daemon.ts'
import { testOnClearedNode as test } from '../../testing/node-test.ts'

const id = '0a0a0a0a'
const params = { id }
const wait = { wait: true }

const errorMessage = (code: RefusalCode, metadata: RefusalMetadata = {}) => ({
  type: 'error',
  data: toEnvelope(new Refusal(code, metadata)).error,
})

test('everything over the socket: start, watch, type, measure, stop', async ({ node: { client } }) => {
  await client.create(id, program('echo'))
  const watcher = await client.watch(id)

  watcher.send({ type: 'START' })
  await watcher.untilHeard('status', { state: 'online', running: true })
  await watcher.untilText('ready\n')
  watcher.send({ type: 'Console', command: 'hello' })
  await watcher.untilText('echo: hello\n')
  watcher.send({ type: 'stat' })
  await watcher.untilHeard('stat')
  watcher.send({ type: 'ping' })
  await watcher.untilHeard('pong')
  watcher.send({ type: 'restart' })
  await watcher.until('a second process', ({ text }) => (text.match(/ready\n/g)?.length ?? 0) === 2)
  watcher.send({ type: 'stop' })
  await watcher.untilHeard('status', { state: 'offline', running: false })

  watcher.received.length = 0
  watcher.send({ type: 'stat' })
  await watcher.untilHeard('stat', { cpu: 0, memory: 0 })
})

test('a viewer resumes at its position and misses and doubles nothing', async ({ node: { client } }) => {
  await client.create(id, program('count', 2000))
  const first = await client.watch(id)
  await client.send(startServer, { params, query: wait })
  await first.until('some numbers', ({ text }) => text.includes('\n500\n'))
  const last = first.received.findLast((message) => 'type' in message && message.type === 'console')
  const position = last && 'type' in last && last.type === 'console' ? last.data.to : 0
  const seen = first.text
  first.socket.terminate()

  const second = await client.watch(id)
  await second.until('some output', ({ text }) => text.length > 0)
  second.text = ''
  second.received.length = 0
  second.send({ type: 'replay', from: position })
  await second.untilHeard('replay', { from: position })
  const replay = second.received.findIndex((message) => 'type' in message && message.type === 'replay')
  second.text = ''
  await second.until('more numbers', ({ text }) => text.includes('\n1500\n') || text.startsWith('1500\n'))

  const after = second.received
    .slice(replay)
    .flatMap((message) => ('type' in message && message.type === 'console' ? message.data.logs : []))
    .join('')
  const numbers = (seen + after)
    .split('\n')
    .slice(0, -1)
    .filter((line) => /^\d+$/.test(line))
    .map(Number)
  expect(numbers.length).toBeGreaterThan(1400)
  expect(numbers).toEqual(numbers.map((_, at) => at + 1))
})

test('fifty viewers of a busy console miss and double nothing, also after a replay; one without permission gets nothing', async ({
  node: { client },
}) => {
  await client.create(id, program('count', 2_000, 3_000))
  const watch = (at: number) => client.watch(id, ['viewServerConsole'], { sub: `user:${1 + (at % 2)}` })
  const viewers = await Promise.all(Array.from({ length: 50 }, (_, at) => watch(at)))
  const stranger = await client.watch(id, ['viewServer'], { sub: 'user:3' })
  await client.send(startServer, { params, query: wait })
  await viewers[0]?.untilText('\n500\n')
  const late = await watch(0)
  late.send({ type: 'replay' })

  await Promise.all([...viewers, late].map((viewer) => viewer.untilText('Server exited with code 7')))

  const getOutputs = ({ received }: Watcher) => {
    const begin = received.findIndex((message) => 'type' in message && message.type === 'replay')
    return received
      .slice(begin + 1)
      .flatMap((message) => ('type' in message && message.type === 'console' ? [message.data] : []))
  }
  const numbers = Array.from({ length: 3_000 }, (_, at) => String(at + 1))
  for (const outputs of [...viewers, late].map(getOutputs)) {
    expect(outputs.slice(1).map(({ from }) => from)).toEqual(outputs.slice(0, -1).map(({ to }) => to))
    const text = outputs.flatMap(({ logs }) => logs).join('')
    expect(text.split('\n').filter((line) => /^\d+$/.test(line))).toEqual(numbers)
  }
  expect(stranger.text).toBe('')
})

test('viewers of one user that get more than its rate skip output, in order and with positions, and see the end', async ({
  node: { client },
}) => {
  await client.create(id, program('flood', 64 * 1024 * 1024))
  const viewers = await Promise.all(Array.from({ length: 8 }, () => client.watch(id)))
  const seen = viewers.map(({ socket }) => {
    const state = { position: 0, isInOrder: true, skipped: 0, end: '' }
    socket.removeAllListeners('message')
    socket.on('message', (data) => {
      const message = JSON.parse(String(data)) as ServerMessage
      if (message.type !== 'console') return
      const { from, to, logs } = message.data
      state.isInOrder &&= from >= state.position
      state.skipped += from - state.position
      state.position = to
      state.end = (state.end + logs.join('')).slice(-200)
    })
    return state
  })

  await client.send(startServer, { params })

  const hasEnded = () => seen.every(({ end }) => end.includes('Server exited with code 0'))
  await vi.waitUntil(hasEnded, { timeout: 60_000 })
  expect(seen.every(({ isInOrder }) => isInOrder)).toBe(true)
  expect(seen.some(({ skipped }) => skipped > 0)).toBe(true)
})

test('each message needs its permission; events without permission are not sent', async ({ node: { client } }) => {
  await client.create(id, program('echo'))
  const watcher = await client.watch(id, ['viewServerStats'])

  for (const type of ['replay', 'start', 'stop', 'kill', 'restart', 'install', 'reload']) watcher.send({ type })
  watcher.send({ type: 'console', command: 'x' })
  await watcher.until('eight refusals', ({ received }) => received.length >= 8)
  expect(
    watcher.received.map((message) => ('type' in message && message.type === 'error' ? message.data.code : message)),
  ).toEqual(Array.from({ length: 8 }, () => 'ErrMissingScope'))
  await client.send(startServer, { params, query: wait })
  await watcher.untilHeard('status', { state: 'online' })
  watcher.send({ type: 'stat' })
  await watcher.untilHeard('stat')

  expect(watcher.text).toBe('')
})

/** The permissions of section 6 of the specification, independent of the code. */
const needed: readonly (readonly [message: object, right: RequiredPermission])[] = [
  [{ type: 'replay' }, 'viewServerConsole'],
  [{ type: 'stat' }, 'viewServerStats'],
  [{ type: 'console', command: 'x' }, 'sendServerConsole'],
  [{ type: 'terminal', open: true }, 'viewServerConsole'],
  [{ type: 'resize', cols: 80, rows: 24 }, 'sendServerConsole'],
  [{ type: 'input', data: 'x' }, 'sendServerConsole'],
  [{ type: 'start' }, 'startServer'],
  [{ type: 'restart' }, 'startServer'],
  [{ type: 'stop' }, 'stopServer'],
  [{ type: 'kill' }, 'stopServer'],
  [{ type: 'install' }, 'installServer'],
  [{ type: 'reload' }, 'admin'],
  [{ type: 'file', action: 'get', path: '/' }, 'viewServerFiles'],
  [{ type: 'file', action: 'create', path: '/new' }, 'putServerFiles'],
  [{ type: 'file', action: 'delete', path: '/kept' }, 'putServerFiles'],
]

test('no single permission allows a message that needs another one', async ({ node }) => {
  const { client, dataDir } = node
  await client.create(id, program('echo'))
  const inside = join(dataDir, 'servers', id)
  writeFileSync(join(inside, 'kept'), '')
  const types = new Set(needed.map(([message]) => (message as { type: string }).type))
  const free = Object.entries(permissionOfMessage).flatMap(([type, permission]) =>
    permission === 'viewServer' ? [type] : [],
  )
  expect([...types, ...free].sort()).toEqual(Object.keys(permissionOfMessage).sort())

  for (const held of [...serverPermissionNames, 'viewServer'] as const) {
    const watcher = await client.watch(id, [held])
    const others = needed.filter(([, permission]) => permission !== held)
    for (const [message] of others) watcher.send(message)
    const refused = () =>
      watcher.received.flatMap((told) => ('type' in told && told.type === 'error' ? [told.data] : []))
    await watcher.until('every refusal', () => refused().length >= others.length)
    expect(refused(), held).toEqual(
      others.map(([, permission]) => errorMessage('ErrMissingScope', { scope: scopeOfPermission[permission] }).data),
    )
    watcher.socket.terminate()
  }

  expect(readdirSync(inside)).toEqual(['kept'])
  expect((await client.send(getStatus, { params })).body).toMatchObject({ state: 'offline' })
})

test('invalid messages are reported and harmless', async ({ node: { client } }) => {
  await client.create(id, program('echo'))
  const watcher = await client.watch(id)

  watcher.send('not json')
  watcher.send('[]')
  watcher.send('null')
  watcher.send({ type: 7 })
  watcher.send({ type: 'dance' })
  watcher.send({ type: 'console' })
  watcher.send({ type: 'console', command: 'x' })
  watcher.send({ type: 'resize', cols: 1, rows: 1 })
  watcher.send({ type: 'resize', cols: limits.terminalColsMax + 1, rows: 24 })
  watcher.send({ type: 'input', data: 'x'.repeat(limits.terminalInputLength + 1) })
  watcher.socket.send(Buffer.from('{"type":"ping"}'))
  watcher.send({ type: 'ping' })
  await watcher.untilHeard('pong')

  const responses = watcher.received.filter((message) => !('type' in message) || message.type !== 'console')
  expect(responses).toEqual([
    errorMessage('ErrInvalidJson'),
    errorMessage('ErrFieldRequired', { field: 'type' }),
    errorMessage('ErrInvalidJson'),
    errorMessage('ErrFieldRequired', { field: 'type' }),
    { error: 'unknown command' },
    errorMessage('ErrFieldRequired', { field: 'command' }),
    errorMessage('ErrServerOffline'),
    errorMessage('ErrFieldTooSmall', { field: 'cols', min: 20 }),
    errorMessage('ErrFieldTooLarge', { field: 'cols', max: 500 }),
    errorMessage('ErrFieldTooLarge', { field: 'data', max: 8_192 }),
    { type: 'pong', data: {} },
  ])
})

test('a frame that is too large closes only that socket', async ({ node: { client } }) => {
  await client.create(id, program('echo'))
  const [rude, polite] = [await client.watch(id), await client.watch(id)]

  rude.send('x'.repeat(limits.socketFrameBytes + 1))
  const [code] = await once(rude.socket, 'close')
  polite.send({ type: 'ping' })
  await polite.untilHeard('pong')

  expect(code).toBe(1009)
})

test('a program reads keystrokes as they are typed and sees the terminal size change', async ({ node: { client } }) => {
  await client.create(id, program('screen'), { environment: { type: 'tty' } })
  const watcher = await client.watch(id, ['admin'], { username: 'finn' })
  watcher.send({ type: 'terminal', open: true })
  await watcher.untilHeard('terminal', { cols: 120, rows: 30 })
  watcher.send({ type: 'resize', cols: 90, rows: 25 })
  await watcher.untilHeard('terminal', { cols: 90, rows: 25 })
  await client.send(startServer, { params, query: wait })
  await watcher.untilText('size 90x25')

  watcher.send({ type: 'input', data: '\x1b[A' })
  await watcher.untilText('key 1b5b41')
  watcher.send({ type: 'input', data: '\x03' })
  await watcher.untilText('key 03')
  watcher.send({ type: 'resize', cols: 132, rows: 43 })
  await watcher.untilText('size 132x43')
  watcher.send({ type: 'terminal', open: false })
  await watcher.untilText('size 120x30')

  expect(watcher.text.match(/\[DAEMON\] finn types in the terminal\n/g)).toHaveLength(1)
})

test('of several viewers the last one sets the size, and all are notified; when it leaves, the previous size applies', async ({
  node: { client },
}) => {
  await client.create(id, program('screen'), { environment: { type: 'tty' } })
  await client.send(startServer, { params, query: wait })
  const [ada, ben] = [await client.watch(id), await client.watch(id)]
  const spectator = await client.watch(id, ['viewServerConsole'])
  for (const viewer of [ada, ben, spectator]) viewer.send({ type: 'terminal', open: true })

  ada.send({ type: 'resize', cols: 80, rows: 24 })
  await spectator.untilHeard('terminal', { cols: 80, rows: 24 })
  ben.send({ type: 'resize', cols: 100, rows: 40 })
  await ada.untilHeard('terminal', { cols: 100, rows: 40 })
  await ada.untilText('size 100x40')
  spectator.received.length = 0
  ben.socket.terminate()
  await spectator.untilHeard('terminal', { cols: 80, rows: 24 })
  ada.socket.terminate()

  await spectator.untilHeard('terminal', { cols: 120, rows: 30 })
  await spectator.untilText('size 120x30')
})

test('a server on pipes has no terminal: keystrokes would be unrecorded commands', async ({ node: { client } }) => {
  await client.create(id, program('echo'))
  await client.send(startServer, { params, query: wait })
  const watcher = await client.watch(id)
  watcher.received.length = 0

  watcher.send({ type: 'terminal', open: true })
  watcher.send({ type: 'input', data: 'stop\n' })
  await watcher.until('two refusals', ({ received }) => received.length >= 2)

  const refusal = errorMessage('ErrNoTerminal')
  expect(watcher.received).toEqual([refusal, refusal])
  expect((await client.send(getStatus, { params })).body).toMatchObject({ state: 'online' })
})

test('a terminal has the size of its viewer', async ({ node: { client } }) => {
  await client.create(id, program('echo'), { environment: { type: 'tty' } })
  const watcher = await client.watch(id)
  await client.send(startServer, { params, query: wait })
  await watcher.untilText('ready')

  watcher.send({ type: 'resize', cols: 132, rows: 43 })
  await watcher.untilText('resized: 132x43')
  watcher.send({ type: 'stop' })
  await watcher.untilHeard('status', { state: 'offline' })
})

test('an install does not delay later messages', async ({ node: { client } }) => {
  await client.create(id, program('echo'), { install: [{ type: 'command', commands: [program('stubborn')] }] })
  const watcher = await client.watch(id)

  watcher.send({ type: 'install' })
  watcher.send({ type: 'status' })
  await watcher.untilHeard('status', { state: 'installing', installing: true, running: false })
  await watcher.untilText('ready')
  watcher.send({ type: 'kill' })
  await watcher.untilHeard('status', { state: 'offline' })
  await watcher.untilText('Failed to install server')
})
