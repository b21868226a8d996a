import { mkdir, readdir, readFile, rename, rm, rmdir, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { getData, getDefinition, putData, putDefinition } from '@innkeeper/contract/definitions/server-definition'
import {
  getConsole,
  getStatus,
  installServer,
  reloadServer,
  startServer,
} from '@innkeeper/contract/servers/node-servers'
import { expect } from 'vitest'
import { program, TestNode } from '../testing/daemon.ts'
import { testOnSharedNode } from '../testing/node-test.ts'
import { startWebHost } from '../testing/web-host.ts'

const id = '0a0a0a0a'
const params = { id }
const wait = { wait: true }

/** A test whose server is deleted before the next one. */
const test = testOnSharedNode.extend<{ cleanUp: undefined }>({
  cleanUp: [
    async ({ node }, use) => {
      await use(undefined)
      const { status } = await node.client.asPanel('DELETE', `/daemon/server/${id}`)
      expect([204, 404]).toContain(status)
    },
    { auto: true },
  ],
})

test('a definition is returned as it was sent, with unknown fields', async ({ node: { client } }) => {
  await client.create(id, 'true', { icon: 'sword', environment: { type: 'tty', mounts: ['/a'] } })
  const { body, headers } = await client.send(getDefinition, { params })

  const put = await client.send(putDefinition, {
    params,
    body: { ...body, display: 'Mine', id: 'ffffffff' },
    headers: { 'if-match': String(headers.etag) },
  })

  expect(put.status).toBe(204)
  const now = await client.send(getDefinition, { params })
  expect(now.body).toMatchObject({ id, display: 'Mine', icon: 'sword', environment: { type: 'tty', mounts: ['/a'] } })
  expect(now.headers.etag).toBe(put.headers.etag)
  expect(now.headers.etag).not.toBe(headers.etag)
})

test("an outdated definition does not undo another user's change", async ({ node: { client } }) => {
  await client.create(id, 'true')
  const { body, headers } = await client.send(getDefinition, { params })
  await client.send(putDefinition, { params, body: { ...body, display: 'first' } })

  const second = await client.send(putDefinition, {
    params,
    body: { ...body, display: 'second' },
    headers: { 'if-match': String(headers.etag) },
  })

  expect(second).toMatchObject({ status: 412, body: { error: { code: 'ErrStaleVersion' } } })
  expect((await client.send(getDefinition, { params })).body.display).toBe('first')
})

test.for<[string, unknown, string]>([
  ['no type', { run: { command: 'true' } }, 'ErrFieldRequired'],
  ['a list where one value is wanted', { type: 'x', data: { port: { value: [1] } } }, 'ErrFieldInvalid'],
  ['no JSON', '{"type":', 'ErrInvalidJson'],
  ['a list', [], 'ErrInvalidJson'],
  ['nothing', '', 'ErrInvalidJson'],
  ['a key twice', '{"type":"x","run":{"command":"true","command":"false"}}', 'ErrFieldInvalid'],
  ['a number that is none', '{"type":"x","run":{"stopDelayMs":1e400}}', 'ErrFieldInvalid'],
  [
    'a step that objects give a meaning of their own',
    { type: 'x', install: [{ type: 'constructor' }] },
    'ErrMissingFactory',
  ],
  ['a key that objects give a meaning of their own', '{"type":"x","data":{"__proto__":{"value":1}}}', 'ErrInvalidJson'],
])('a definition with %s is refused and changes nothing', async ([, body, code], { node: { client } }) => {
  await client.create(id, 'true')
  const before = await client.send(getDefinition, { params })

  const answer = await client.send(putDefinition, { params, body })

  expect(answer).toMatchObject({ status: 400, body: { error: { code } } })
  expect(await client.send(getDefinition, { params })).toMatchObject({ body: before.body })
})

test.for<[string, object, string, string]>([
  ['an unknown environment', { environment: { type: 'vm' } }, 'ErrUnknownEnvironment', 'environment.type'],
  ['an unknown step', { install: [{ type: 'fly' }] }, 'ErrMissingFactory', 'install.0.type'],
  ['a blank in a name', { data: { 'the port': {} } }, 'ErrVariableName', 'data.the port'],
  ['an equals sign in a name', { data: { 'B=C': {} } }, 'ErrFieldInvalid', 'data.B=C'],
  [
    'an equals sign in the environment',
    { run: { environmentVars: { 'LD_PRELOAD=/a.so\0': '' } } },
    ...(['ErrFieldInvalid', 'run.environmentVars.LD_PRELOAD=/a.so'] as const),
  ],
  [
    'too many steps',
    { run: { pre: Array(301).fill({ type: 'sleep', duration: '1s' }) } },
    'ErrFieldTooLarge',
    'run.pre',
  ],
  [
    'too many variables',
    { data: Object.fromEntries(Array.from({ length: 501 }, (_, at) => [`v${at}`, {}])) },
    ...(['ErrFieldTooLarge', 'data'] as const),
  ],
  ['an invalid signal', { run: { stopCode: 65 } }, 'ErrFieldNotBetween', 'run.stopCode'],
  [
    'a container that cannot be',
    { environment: { type: 'docker', portBindings: ['x'] } },
    ...(['ErrFieldInvalid', 'environment.portBindings'] as const),
  ],
])('with %s no server is created or changed', async ([, wrong, code, field], { node: { client } }) => {
  const refused = { status: 400, body: { error: { code, metadata: { field } } } }

  expect(await client.asPanel('PUT', '/daemon/server/0b0b0b0b', { type: 'game', ...wrong })).toMatchObject(refused)
  await client.create(id, 'true')
  const { body } = await client.send(getDefinition, { params })
  expect(await client.send(putDefinition, { params, body: { ...body, ...wrong } })).toMatchObject(refused)

  expect((await client.send(getDefinition, { params })).body).toEqual(body)
  const named = await client.send(putData, { params, body: { data: { 'a b': { value: '1' } } } })
  expect(named.body.error).toMatchObject({ code: 'ErrVariableName', metadata: { field: 'data.a b' } })
  const equals = await client.send(putData, { params, body: { data: { 'a=b': { value: '1' } } } })
  expect(equals.body.error).toMatchObject({ code: 'ErrFieldInvalid', metadata: { field: 'data.a=b' } })
})

test('a definition that is too large is refused', async ({ node: { client } }) => {
  await client.create(id, 'true')

  const answer = await client.send(putDefinition, { params, body: { type: 'x', display: 'x'.repeat(5_000_000) } })

  expect(answer).toMatchObject({ status: 413, body: { error: { code: 'ErrBodyTooLarge' } } })
})

test('variables: users see and change user-editable ones, administrators all', async ({ node: { client } }) => {
  await client.create(id, 'true', {
    data: {
      port: { type: 'integer', value: '25565', userEdit: true, required: true, note: 'kept' },
      secret: { value: 'x' },
      hidden: { value: 'y', userEdit: true, internal: true },
      shown: { value: 'z', userView: true },
    },
  })
  const user = { params, permissions: ['editServerData'] as const }
  const change = (data: object, permissions?: readonly ['editServerData']) =>
    client.send(putData, { params, body: { data }, ...(permissions && { permissions: [...permissions] }) })

  expect(Object.keys((await client.send(getData, { params, permissions: [...user.permissions] })).body.data)).toEqual([
    'port',
    'shown',
  ])
  expect(Object.keys((await client.send(getData, { params })).body.data)).toEqual(['port', 'secret', 'hidden', 'shown'])
  expect((await change({ port: { value: '25566' } }, user.permissions)).status).toBe(204)
  expect((await change({ secret: { value: '!' } }, user.permissions)).body.error.code).toBe('ErrMissingScope')
  expect((await change({ fresh: { value: '!' } }, user.permissions)).body.error.code).toBe('ErrMissingScope')
  expect((await change({ shown: { value: '!' } }, user.permissions)).body.error.code).toBe('ErrMissingScope')
  expect((await change({ hidden: { value: 'set' } })).status).toBe(204)
  expect((await change({ port: { value: 'many' }, secret: { value: '!' } })).body.error).toMatchObject({
    code: 'ErrFieldNotWhole',
    metadata: { field: 'port' },
  })
  expect((await change({ port: { value: '' } })).body.error.code).toBe('ErrFieldRequired')
  expect((await change({ fresh: { value: 7 } })).status).toBe(204)

  expect((await client.send(getData, { params })).body.data).toMatchObject({
    port: { type: 'integer', value: '25566', note: 'kept' },
    secret: { value: 'x' },
    hidden: { value: 'set' },
    fresh: { value: 7 },
  })
})

test.for<[string, unknown, string | undefined, unknown]>([
  ['rate', '0.5', undefined, '0.5'],
  ['rate', '0', 'ErrFieldNotBetween', '1'],
  ['rate', 'fast', 'ErrFieldNotNumber', '1'],
  ['jar', '../../etc/passwd', 'ErrFieldPattern', 'server.jar'],
  ['jar', 'a-name-that-is-too-long.jar', 'ErrFieldTooLong', 'server.jar'],
  ['jar', 'x', 'ErrFieldLength', 'server.jar'],
  ['query', '0', undefined, '0'],
  ['query', false, undefined, '0'],
  ['query', 'banana', 'ErrFieldNotBoolean', '1'],
])('a user sets %s to %j by the API: %s', async ([name, value, code, stored], { node: { client } }) => {
  const data = {
    rate: { type: 'number', value: '1', min: 0.1, max: 64, userEdit: true },
    jar: { value: 'server.jar', pattern: '^[\\w.-]+\\.jar$', minLength: 5, maxLength: 20, userEdit: true },
    query: { type: 'boolean', value: '1', trueValue: '1', falseValue: '0', userEdit: true },
  }
  await client.create(id, 'true', { data })

  const { body } = await client.send(putData, {
    params,
    body: { data: { [name]: { value } } },
    permissions: ['editServerData'],
  })

  expect(body?.error?.code).toBe(code)
  expect((await client.send(getData, { params })).body.data[name]?.value).toBe(stored)
})

test('a boolean reaches the program in its own form, and an invalid pattern is not saved', async ({
  node: { client },
}) => {
  const query = { type: 'boolean', value: true, trueValue: '1', falseValue: '0' }
  await client.create(id, 'echo query=${query}.', { data: { query } })
  const viewer = await client.watch(id)

  await client.send(startServer, { params })
  await viewer.untilText('query=1.')
  const { body } = await client.send(getDefinition, { params })
  const refused = await client.send(putDefinition, { params, body: { ...body, data: { jar: { pattern: '(' } } } })

  expect(refused.body.error).toMatchObject({ code: 'ErrFieldInvalid', metadata: { field: 'data.jar.pattern' } })
})

test.for<[string, string, string | undefined]>([
  ['servername', 'hi"\nrcon_password "pwned', 'ErrFieldNotOneLine'],
  ['servername', 'hi"; rcon_password "pwned', 'ErrFieldCharacters'],
  ['servername', 'Fun & games', undefined],
  ['motd', 'one\ntwo', undefined],
  ['rules', 'be kind\nbe fair', undefined],
  ['map', '+rcon_password', 'ErrFieldLikeOption'],
  ['map', 'de_dust2?Admin=me', 'ErrFieldCharacters'],
  ['seed', '-5', undefined],
  ['motd', 'x'.repeat(16_385), 'ErrFieldTooLarge'],
])('a user sets %s to %j: %s', async ([name, value, code], { node: { client } }) => {
  const text = 'hostname "${servername}"\nmotd ${motd}\n'
  const pre = [{ type: 'writefile', target: 'panel.cfg', text, escape: 'quoted' }]
  const data = {
    servername: { value: 'My server', userEdit: true },
    motd: { value: '', multiline: true, userEdit: true },
    // As in published templates.
    rules: { value: 'a\nb', userEdit: true },
    map: { value: 'de_dust2', userEdit: true, forbiddenCharacters: '?' },
    seed: { type: 'integer', value: 1, userEdit: true },
  }
  const run = { command: 'game +map ${map} -seed ${seed}', pre: name === 'motd' ? [] : pre }
  await client.create(id, 'true', { run, data })

  const { status, body } = await client.send(putData, {
    params,
    body: { data: { [name]: { value } } },
    permissions: ['editServerData'],
  })

  expect([status, body?.error?.code]).toEqual(code === undefined ? [204, undefined] : [400, code])
  if (code !== undefined) expect(body.error.metadata.field).toBe(name)
  const held = (await client.send(getData, { params })).body.data[name]
  expect(held?.value).toBe(code === undefined ? value : data[name as keyof typeof data].value)
})

test('outdated variables do not overwrite another change', async ({ node: { client } }) => {
  await client.create(id, 'true', { data: { port: { value: '25565', userEdit: true } } })
  const { headers } = await client.send(getData, { params })
  const change = (port: string, etag: unknown) =>
    client.send(putData, {
      params,
      body: { data: { port: { value: port } } },
      headers: { 'if-match': String(etag) },
    })

  const first = await change('1', headers.etag)
  const second = await change('2', headers.etag)

  expect(first.status).toBe(204)
  expect(second).toMatchObject({ status: 412, body: { error: { code: 'ErrStaleVersion' } } })
  expect((await client.send(getData, { params })).headers.etag).toBe(first.headers.etag)
  expect((await change('2', first.headers.etag)).status).toBe(204)
})

test('groups are returned with the variables, each with the visible ones', async ({ node: { client } }) => {
  const [open, guarded] = [{ value: '1', userEdit: true }, { value: '2' }]
  const groups = [
    { display: 'Second', if: 'open == "1"', variables: ['guarded', 'open', 'gone'], order: 2, extra: 1 },
    { display: 'First', variables: 'guarded', order: '1' },
    { display: 'Broken' },
  ]
  await client.create(id, 'true', { data: { open, guarded }, groups })
  const seen = async (permissions?: 'editServerData'[]) =>
    (await client.send(getData, { params, ...(permissions && { permissions }) })).body.groups

  const second = { display: 'Second', if: 'open == "1"', order: 2, extra: 1 }
  expect(await seen()).toEqual([
    { display: 'First', variables: ['guarded'], order: 1 },
    { ...second, variables: ['guarded', 'open'] },
  ])
  expect(await seen(['editServerData'])).toEqual([{ ...second, variables: ['open'] }])
  expect((await client.send(getDefinition, { params })).body.groups).toEqual(groups)
})

test('damaged definitions disable only their servers, are not overwritten, and are repaired by a reload', async () => {
  await using node = await TestNode.start()
  const { client, dataDir } = node
  const broken = ['0b0b0b0b', '0c0c0c0c']
  for (const one of [id, ...broken]) await client.create(one, program('echo'))
  await node.detach()
  const path = (one: string) => join(dataDir, 'servers', `${one}.json`)
  const whole = await readFile(path('0b0b0b0b'), 'utf8')
  await writeFile(path('0b0b0b0b'), whole.slice(0, 40))
  await writeFile(path('0c0c0c0c'), '{"run":{}}')

  await node.start()

  expect((await client.send(startServer, { params, query: wait })).status).toBe(204)
  for (const one of broken) {
    const on = { params: { id: one } }
    expect((await client.send(getStatus, on)).body.state).toBe('offline')
    for (const call of [startServer, installServer, getDefinition, getData]) {
      expect(await client.send(call, on)).toMatchObject({ status: 409, body: { error: { code: 'ErrServerDamaged' } } })
    }
    expect(await client.send(putDefinition, { ...on, body: { type: 'x' } })).toMatchObject({ status: 409 })
    expect((await client.send(getConsole, on)).body.logs).toContain('The definition of this server is damaged')
  }
  expect(await readFile(path('0b0b0b0b'), 'utf8')).toBe(whole.slice(0, 40))

  await writeFile(path('0b0b0b0b'), whole)
  expect((await client.send(reloadServer, { params: { id: '0b0b0b0b' } })).status).toBe(204)
  expect((await client.send(startServer, { params: { id: '0b0b0b0b' }, query: wait })).status).toBe(204)
  expect((await client.send(reloadServer, { params: { id: '0c0c0c0c' } })).body.error.code).toBe('ErrServerDamaged')
})

test('a new server is installed and started at once when the panel asks for it', async ({ node: { client } }) => {
  const body = { type: 'test', install: [{ type: 'mkdir', target: 'world' }], run: { command: program('echo') } }

  const { status } = await client.asPanel('PUT', `/daemon/server/${id}?start=true`, body)

  expect(status).toBe(204)
  await expect
    .poll(async () => (await client.send(getStatus, { params })).body)
    .toMatchObject({
      running: true,
      lastInstall: { outcome: 'done' },
    })
})

test('an id can be used once, also for concurrent requests', async ({ node: { client } }) => {
  const create = () => client.asPanel('PUT', `/daemon/server/${id}`, { type: 'test', run: { command: 'true' } })

  const both = await Promise.all([create(), create()])
  const third = await create()

  expect(both.map(({ status }) => status).sort()).toEqual([204, 409])
  expect(third).toMatchObject({ status: 409, body: { error: { code: 'ErrServerAlreadyExists' } } })
})

test('a server that this node cannot run is not created', async ({ node: { client, dataDir } }) => {
  const answer = await client.asPanel('PUT', `/daemon/server/${id}`, {
    type: 'test',
    requirements: { binaries: ['no-such-program'] },
  })

  expect(answer).toMatchObject({ status: 400, body: { error: { code: 'ErrMissingBinary' } } })
  expect(await readdir(join(dataDir, 'servers'))).toEqual([])
})

test('a deleted server is gone with its process, files, console and viewers', async ({ node }) => {
  const { client, dataDir } = node
  await client.create(id, program('echo'), { uninstall: [{ type: 'mkdir', target: '${rootDir}/../never' }] })
  await client.send(startServer, { params, query: wait })
  const watcher = await client.watch(id)
  const closed = new Promise((resolve) => watcher.socket.on('close', resolve))

  const { status } = await client.asPanel('DELETE', `/daemon/server/${id}`)

  expect(status).toBe(204)
  expect(await closed).toBe(4404)
  expect(await client.send(getStatus, { params })).toMatchObject({
    status: 404,
    body: { error: { code: 'ErrServerNotFound' } },
  })
  for (const place of ['servers', 'console', 'state']) expect(await readdir(join(dataDir, place))).toEqual([])
})

test('a server whose deletion failed is deleted by the next attempt', async ({ node }) => {
  const { client, dataDir } = node
  await client.create(id, program('echo'))
  await client.send(startServer, { params, query: wait })
  const definition = join(dataDir, 'servers', `${id}.json`)
  await rm(definition)
  await mkdir(definition)

  const first = await client.asPanel('DELETE', `/daemon/server/${id}`)
  await rmdir(definition)
  const second = await client.asPanel('DELETE', `/daemon/server/${id}`)

  expect([first.status, second.status]).toEqual([500, 204])
  expect((await client.send(getStatus, { params })).status).toBe(404)
  for (const place of ['servers', 'console', 'state']) expect(await readdir(join(dataDir, place))).toEqual([])
})

test('a deleted server leaves no files in a directory behind a link', async ({ node }) => {
  const { client, dataDir } = node
  await client.create(id, 'true')
  const elsewhere = join(dataDir, 'elsewhere')
  await rename(join(dataDir, 'servers', id), elsewhere)
  await symlink(elsewhere, join(dataDir, 'servers', id))
  await mkdir(join(elsewhere, 'world'))
  await writeFile(join(elsewhere, 'world', 'level.dat'), 'data')

  const { status } = await client.asPanel('DELETE', `/daemon/server/${id}`)

  expect(status).toBe(204)
  expect(await readdir(elsewhere)).toEqual([])
  expect(await readdir(join(dataDir, 'servers'))).toEqual([])
})

test('a server whose directory cannot be created leaves nothing, and can be created later', async ({ node }) => {
  const { client, dataDir } = node
  const folder = join(dataDir, 'servers', id)
  await writeFile(folder, 'in the way')

  const first = await client.asPanel('PUT', `/daemon/server/${id}`, { type: 'test' })
  await rm(folder)
  const left = await readdir(join(dataDir, 'servers'))
  const second = await client.asPanel('PUT', `/daemon/server/${id}`, { type: 'test' })

  expect([first.status, second.status]).toEqual([500, 204])
  expect(left).toEqual([])
  expect((await client.send(getStatus, { params })).status).toBe(200)
})

test('a download that breaks ends the install with a reason, and the server remains usable', async () => {
  await using host = await startWebHost()
  host.answer('/game.jar', (_, response) => {
    response.writeHead(200, { 'content-length': '1000' })
    response.write('half', () => response.destroy())
  })
  await using node = await TestNode.start({ downloads: { allow: [host.address] } })
  const { client } = node
  await client.create(id, program('echo'), { install: [{ type: 'download', files: [host.url('/game.jar').href] }] })

  const answer = await client.send(installServer, { params, query: wait })

  expect(answer).toMatchObject({
    status: 409,
    body: { error: { code: 'ErrStepFailed', metadata: { step: 1, type: 'download' } } },
  })
  const { logs } = (await client.send(getConsole, { params })).body
  expect(logs).toMatch(/\[DAEMON\] Failed to install server: Step 1 \(download\) failed: /)
  expect((await client.send(startServer, { params, query: wait })).status).toBe(204)
})

test('an install leaves its files in the directory of the server', async ({ node: { client, dataDir } }) => {
  await client.create(id, 'true', {
    data: { motd: { value: 'hello' } },
    install: [
      { type: 'writefile', target: 'a.txt', text: '${motd} ${serverId}' },
      { type: 'command', commands: ['cp a.txt b.txt', 'echo done'] },
    ],
  })

  expect((await client.send(installServer, { params, query: wait })).status).toBe(204)

  expect(await readFile(join(dataDir, 'servers', id, 'b.txt'), 'utf8')).toBe(`hello ${id}`)
  expect((await stat(join(dataDir, 'servers', id))).isDirectory()).toBe(true)
  const { logs } = (await client.send(getConsole, { params })).body
  expect(logs).toMatch(/Installing server\n.*done\n.*\[DAEMON\] Server installed\n$/s)
})
