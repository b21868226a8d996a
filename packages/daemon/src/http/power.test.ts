import { once } from 'node:events'
import { readFile, stat } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import {
  getConsole,
  getStats,
  getStatus,
  installServer,
  killServer,
  restartServer,
  sendCommand,
  startServer,
  stopServer,
} from '@innkeeper/contract/servers/node-servers'
import { describe, expect, vi } from 'vitest'
import { program, TestNode } from '../testing/daemon.ts'
import { testOnClearedNode as test } from '../testing/node-test.ts'

const id = '0a0a0a0a'
const params = { id }
const wait = { wait: true }

test('a server is started, receives input, is watched and stopped', async ({ node: { client } }) => {
  await client.create(id, program('echo'))
  const watcher = await client.watch(id)

  expect(await client.send(startServer, { params, query: wait })).toMatchObject({ status: 204 })
  await watcher.untilText('ready\n')
  expect(await client.send(sendCommand, { params, body: 'hällo' })).toMatchObject({ status: 204 })
  await watcher.untilText('echo: hällo\n')
  expect((await client.send(getStatus, { params })).body).toMatchObject({ running: true, state: 'online' })
  expect((await client.send(getStats, { params })).body).toMatchObject({ cpu: expect.any(Number) })
  expect(await client.send(stopServer, { params, query: wait })).toMatchObject({ status: 204 })

  expect((await client.send(getStatus, { params })).body).toMatchObject({ running: false, state: 'offline' })
  expect((await client.send(getStats, { params })).body.error.code).toBe('ErrServerOffline')
  expect((await client.send(getConsole, { params })).body.logs.split('\n')).toEqual([
    '[DAEMON] Server allocated',
    '[DAEMON] Starting server',
    expect.stringMatching(/^\[DAEMON\] Starting process: node .*echo\.mjs$/),
    'ready',
    'echo: hällo',
    '[DAEMON] Server was told to stop',
    '[DAEMON] Server exited with code 0',
    '',
  ])
})

test('without waiting the response is immediate', async ({ node: { client } }) => {
  await client.create(id, {
    command: program('echo'),
    pre: [{ type: 'command', commands: [program('crash', 0, 300)] }],
  })

  const { status } = await client.send(startServer, { params })

  expect(status).toBe(202)
  expect((await client.send(getStatus, { params })).body).toMatchObject({ state: 'starting', running: false })
  await client.send(startServer, { params, query: { wait: '' } })
  expect((await client.send(getStatus, { params })).body.state).toBe('online')
})

test('a second start while starting starts one process', async ({ node: { client } }) => {
  await client.create(id, {
    command: program('echo'),
    pre: [{ type: 'command', commands: [program('crash', 0, 100)] }],
  })

  const answers = await Promise.all([1, 2, 3].map(() => client.send(startServer, { params, query: wait })))

  expect(answers.map(({ status }) => status)).toEqual([204, 204, 204])
  const { logs } = (await client.send(getConsole, { params })).body
  expect(logs.match(/Starting process/g)).toHaveLength(1)
})

test('a restart gives a new process, and starts a stopped server', async ({ node: { client } }) => {
  await client.create(id, program('echo'))

  expect((await client.send(restartServer, { params, query: wait })).status).toBe(204)
  expect((await client.send(restartServer, { params, query: wait })).status).toBe(204)

  const { logs } = (await client.send(getConsole, { params })).body
  expect(logs.match(/Starting process/g)).toHaveLength(2)
  expect((await client.send(getStatus, { params })).body.state).toBe('online')
})

test('waiting for a stop that takes too long times out, and the stop continues', async () => {
  await using node = await TestNode.start({ http: { powerWaitMs: 300 } })
  const { client } = node
  await client.create(
    id,
    { command: program('stubborn'), stopCode: 15 },
    { install: [{ type: 'sleep', duration: '10m' }] },
  )
  const watcher = await client.watch(id)
  await client.send(startServer, { params })
  await watcher.untilText('ready ')

  const stopped = await client.send(stopServer, { params, query: wait })
  const { body: status } = await client.send(getStatus, { params })
  await client.send(killServer, { params })
  await watcher.untilHeard('status', { state: 'offline' })
  const installed = await client.send(installServer, { params, query: wait })

  const tooSlow = { status: 504, body: { error: { code: 'ErrPowerTooSlow' } } }
  expect(stopped).toMatchObject(tooSlow)
  expect(stopped.body.error.metadata).toMatchObject({ action: 'stop' })
  expect(status).toMatchObject({ state: 'stopping', running: true })
  expect(installed).toMatchObject(tooSlow)
  expect((await client.send(getStatus, { params })).body.state).toBe('installing')
})

test('stop by signal: the signal is not a crash', async ({ node: { client } }) => {
  await client.create(id, { command: program('count', 1), stopCode: 15, autorecover: true })
  await client.send(startServer, { params, query: wait })

  await client.send(stopServer, { params, query: wait })

  expect((await client.send(getStatus, { params })).body.state).toBe('offline')
  expect((await client.send(getConsole, { params })).body.logs).toContain('Server was ended by signal SIGTERM')
})

test('a server that ignores a stop: kill ends it and all its descendants', async ({ node: { client } }) => {
  await client.create(id, { command: program('stubborn'), stopCode: 15 })
  const watcher = await client.watch(id)
  await client.send(startServer, { params, query: wait })
  await watcher.untilText('ready ')
  await client.send(stopServer, { params })
  await watcher.untilText('ignores SIGTERM')
  expect((await client.send(getStatus, { params })).body).toMatchObject({ state: 'stopping', running: true })

  await client.send(killServer, { params, query: wait })

  const pids = /ready (\d+) (\d+) (\d+)/.exec(watcher.text)?.slice(1) ?? []
  expect(pids).toHaveLength(3)
  await vi.waitFor(async () => {
    const states = await Promise.all(pids.map((pid) => processState(pid)))
    expect(states).toEqual(['gone', 'gone', 'gone'])
  })
  expect((await client.send(getStatus, { params })).body.state).toBe('offline')
})

test('post steps know the exit of the server', async ({ node: { client, dataDir } }) => {
  await client.create(id, {
    command: program('echo'),
    stop: 'exit 3',
    post: [{ type: 'mkdir', target: 'ended-${success}-${exitCode}' }],
  })
  await client.send(startServer, { params, query: wait })

  await client.send(stopServer, { params, query: wait })

  expect((await stat(join(dataDir, 'servers', id, 'ended-false-3'))).isDirectory()).toBe(true)
})

test('a variable stays one argument, and a secret is not shown', async ({ node: { client } }) => {
  await client.create(
    id,
    { command: `${program('surroundings')} "\${name}" \${password}`, environmentVars: { GREETING: '${name} & co' } },
    { data: { name: { value: 'two words; $HOME', userEdit: true }, password: { value: 'hunter2' } } },
  )
  const watcher = await client.watch(id)

  await client.send(startServer, { params })
  await watcher.untilText('Server exited')

  const told = JSON.parse(watcher.text.split('\n').find((line) => line.startsWith('{')) ?? '')
  expect(told.args).toEqual(['two words; $HOME', 'hunter2'])
  expect(told.env.GREETING).toBe('two words; $HOME & co')
  expect(told.cwd).toBe(told.env.HOME)
  expect(
    Object.keys(told.env)
      .filter((name) => !name.startsWith('INNKEEPER_'))
      .sort(),
  ).toEqual(['GREETING', 'HOME', 'LANG', 'LOGNAME', 'PATH', 'USER'].sort())
  expect(watcher.text).toMatch(/Starting process: .* two words; \$HOME \*\*\*\n/)
})

describe('invalid input is reported and leaves the server usable', () => {
  test.for<[string, object, number, string, string]>([
    ['a command that does not exist', { command: 'no-such-program' }, 400, 'ErrMissingBinary', 'no-such-program'],
    ['no command', { command: '' }, 400, 'ErrFieldRequired', 'run.command is required'],
    ['a disabled server', { command: 'true', disabled: true }, 409, 'ErrServerDisabled', ''],
    [
      'a step that fails',
      { command: 'true', pre: [{ type: 'alterfile', file: 'missing', search: 'a' }] },
      409,
      'ErrStepFailed',
      'Step 1 (alterfile) failed: ',
    ],
    [
      'a folder that leads out',
      { command: 'true', workingDirectory: '../..' },
      400,
      'ErrIllegalFileAccess',
      'Working directory is invalid',
    ],
    [
      'a folder that is not there',
      { command: 'true', workingDirectory: 'below' },
      404,
      'ErrFileNotFound',
      'Working directory is invalid',
    ],
  ])('%s', async ([, run, status, code, text], { node: { client } }) => {
    await client.create(id, run)

    const answer = await client.send(startServer, { params, query: wait })

    expect(answer).toMatchObject({ status, body: { error: { code } } })
    expect((await client.send(getConsole, { params })).body.logs).toContain(text)
    expect((await client.send(getStatus, { params })).body.state).toBe('offline')
    expect((await client.send(installServer, { params, query: wait })).status).toBe(
      code === 'ErrServerDisabled' ? 409 : 204,
    )
  })
})

async function processState(pid: string | undefined): Promise<string> {
  try {
    const text = await readFile(`/proc/${pid}/stat`, 'latin1')
    // Zombies are gone too.
    return text.split(') ').at(-1)?.startsWith('Z') ? 'gone' : 'alive'
  } catch {
    return 'gone'
  }
}

test('a port in use is reported on the console, and the server starts once it is free', async ({
  node: { client },
}) => {
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  const { port } = taken.address() as AddressInfo
  await client.create(id, program('listen', port))
  const watcher = await client.watch(id)

  await client.send(startServer, { params, query: wait })
  await watcher.untilText('EADDRINUSE')
  await watcher.untilText('Server exited with code 1')
  taken.close()
  await once(taken, 'close')
  await client.send(startServer, { params, query: wait })

  await watcher.untilText(`listening on ${port}`)
  expect((await client.send(getStatus, { params })).body.state).toBe('online')
})
