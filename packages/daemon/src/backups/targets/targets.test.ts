import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { getServerBackupTargets, putServerBackupTargets } from '@innkeeper/contract/backups/backup-targets'
import { panelEndpoints } from '@innkeeper/contract/node-link/panel-to-node'
import { pino } from 'pino'
import { expect } from 'vitest'
import { BackupServer } from '../../testing/backup-server.ts'
import type { TestNode } from '../../testing/daemon.ts'
import { test } from '../../testing/node-test.ts'
import { TargetStore } from './target-store.ts'

const {
  createBackupTarget: create,
  editBackupTarget: edit,
  listBackupTargets: list,
  putDefaultBackupTargets: putDefaults,
  testBackupTarget: testTarget,
} = panelEndpoints
const address = { type: 's3', endpoint: 'https://s3.example.com', bucket: 'backups' } as const
const secrets = { accessKey: 'AKIA', secretKey: 'very secret' }

async function addTarget(node: TestNode, input: object = {}) {
  const body = { name: 'Offsite', address, secrets, ...input }
  return await node.client.asPanel(create.method, create.path, body)
}

const put = (node: TestNode, path: string, body: unknown, version?: string) =>
  node.client.ask('PUT', path, {
    permissions: ['node'],
    body,
    ...(version !== undefined && { headers: { 'if-match': `"${version}"` } }),
  })

const editTarget = (node: TestNode, id: string, body: object, version?: string) =>
  put(node, edit.path.replace(':target', id), body, version)

test('secrets are stored for the daemon only and never returned', async ({ node }) => {
  const { body } = await addTarget(node)

  const listed = await node.client.asPanel(list.method, list.path)

  expect(listed.body).toEqual({
    targets: [{ id: body.id, name: 'Offsite', address: expect.objectContaining(address), version: expect.any(String) }],
    defaults: ['local'],
    defaultsVersion: expect.any(String),
  })
  expect(JSON.stringify(listed.body)).not.toContain('secret')
  expect(statSync(join(node.dataDir, 'backups', 'targets.json')).mode & 0o777).toBe(0o600)
})

test('stored secrets are kept by a change, but never sent to another host', async ({ node }) => {
  const { id } = (await addTarget(node)).body
  const moved = { ...address, endpoint: 'https://elsewhere.example.com' }

  const renamed = await editTarget(node, id, { name: 'Cold', address: { ...address, path: 'node' } })
  const elsewhere = await editTarget(node, id, { name: 'Cold', address: moved })
  const tried = await node.client.asPanel(testTarget.method, testTarget.path, { id, address: moved })

  expect(renamed.status).toBe(204)
  expect([elsewhere.body, tried.body]).toMatchObject([
    { error: { code: 'ErrFieldRequired', metadata: { field: 'accessKey' } } },
    { error: { code: 'ErrFieldRequired', metadata: { field: 'accessKey' } } },
  ])
})

test('an outdated change of a target or of the default targets is refused, until it was read again', async ({
  node,
}) => {
  const { id } = (await addTarget(node)).body
  const read = async () => {
    const { targets, ...rest } = (await node.client.asPanel(list.method, list.path)).body
    return { ...rest, target: targets[0] }
  }
  const rename = (name: string, version?: string) => editTarget(node, id, { name, address }, version)
  const choose = (ids: readonly string[], version?: string) => put(node, putDefaults.path, ids, version)
  const seen = await read()

  const current = [await rename('Cold', seen.target.version), await choose([id], seen.defaultsVersion)]
  const outdated = [await rename('Warm', seen.target.version), await choose(['local'], seen.defaultsVersion)]

  const now = await read()
  expect(current.map(({ status }) => status)).toEqual([204, 204])
  expect(outdated.map(({ status, body }) => [status, body.error.code])).toEqual(Array(2).fill([412, 'ErrStaleVersion']))
  expect([now.target.name, now.defaults]).toEqual(['Cold', [id]])
  const retried = [await rename('Warm', now.target.version), await choose(['local'], now.defaultsVersion)]
  const anyVersion = [await rename('Hot'), await choose([id])]
  expect([...retried, ...anyVersion].map(({ status }) => status)).toEqual([204, 204, 204, 204])
})

test.for([
  [{ address: { ...address, endpoint: 'https://user:pass@s3.example.com' } }, 'ErrFieldInvalid'],
  [{ address: { type: 'rest', url: 'file:///etc' }, secrets: {} }, 'ErrFieldInvalid'],
  [{ address: sftp({ host: '-oProxyCommand=reboot' }), secrets: { password: 'x' } }, 'ErrFieldInvalid'],
  [{ address: sftp({ host: 'a b' }), secrets: { password: 'x' } }, 'ErrFieldInvalid'],
  [{ address: sftp({ user: 'a\nProxyCommand reboot' }), secrets: { password: 'x' } }, 'ErrFieldInvalid'],
  [{ address: sftp({}), secrets: {} }, 'ErrFieldRequired'],
  [{ address: sftp({}), secrets: { password: 'a\nb' } }, 'ErrFieldInvalid'],
] as const)('an address or secret that could mean something else is refused: %j', async ([input, code], { node }) => {
  const { body } = await addTarget(node, input)

  expect(body.error.code).toBe(code)
})

function sftp(more: object): object {
  return { type: 'sftp', host: 'nas', port: 22, user: 'u', path: '/backups', hostKey: 'ssh-ed25519 AAAA', ...more }
}

test('a server uses the targets of the node, or its own; several include the folder of the node', async ({ node }) => {
  const server = new BackupServer(node)
  await server.create()
  const [a, b] = [(await addTarget(node)).body.id, (await addTarget(node)).body.id]
  const choose = (body: unknown) => node.client.send(putServerBackupTargets, { params: server.params, body })
  const chosen = async () => (await node.client.send(getServerBackupTargets, { params: server.params })).body

  await node.client.asPanel(putDefaults.method, putDefaults.path, [a, 'local'])
  const byDefault = await chosen()
  const remoteOnly = await choose([a, b])
  const unknown = await choose(['0a0a0a0a'])
  await choose([b, 'local'])
  const own = await chosen()
  await choose(null)

  const targets = [a, b].map((id) => ({ id, name: 'Offsite' }))
  expect(byDefault).toEqual({ targets, defaults: ['local', a] })
  expect([remoteOnly.body.error.code, unknown.body.error.code]).toEqual(['ErrFieldInvalid', 'ErrNotFound'])
  expect(own).toEqual({ targets, selected: ['local', b], defaults: ['local', a] })
  expect((await chosen()).selected).toBeUndefined()
})

test('an outdated choice of targets is refused, until it was read again', async ({ node }) => {
  const server = new BackupServer(node)
  await server.create()
  const { params } = server
  const { id } = (await addTarget(node)).body
  const read = () => node.client.send(getServerBackupTargets, { params })
  const choose = (body: unknown, version?: unknown) =>
    node.client.send(putServerBackupTargets, {
      params,
      body,
      ...(version !== undefined && { headers: { 'if-match': String(version) } }),
    })
  const first = (await read()).headers.etag

  const current = await choose([id], first)
  const outdated = await choose(['local'], first)

  expect(current.status).toBe(204)
  expect([outdated.status, outdated.body.error.code]).toEqual([412, 'ErrStaleVersion'])
  expect((await read()).body.selected).toEqual([id])
  expect((await choose(null, (await read()).headers.etag)).status).toBe(204)
  expect((await choose(['local'])).status).toBe(204)
})

test('only administrators choose the targets of a server', async ({ node }) => {
  const server = new BackupServer(node)
  await server.create()

  const { status } = await node.client.send(putServerBackupTargets, {
    params: server.params,
    body: ['local'],
    permissions: ['createServerBackups', 'viewServerBackups'],
  })

  expect(status).toBe(403)
})

test('a damaged list of targets is kept aside, and the daemon starts', async ({ node }) => {
  const path = join(node.dataDir, 'other-targets.json')
  writeFileSync(path, '{"targets":')

  const store = await TargetStore.open(path, pino({ level: 'silent' }))

  expect([store.targets, store.defaults]).toEqual([[], ['local']])
  expect(readFileSync(`${path}.damaged`, 'utf8')).toBe('{"targets":')
})
