import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { putData, putDefinition } from '@innkeeper/contract/definitions/server-definition'
import {
  getConsole,
  getStatus,
  installServer,
  reloadServer,
  startServer,
} from '@innkeeper/contract/servers/node-servers'
import { describe, expect, onTestFinished, test as plainTest, vi } from 'vitest'
import { TestNode } from '../../testing/daemon.ts'
import { testOnClearedNode as test } from '../../testing/node-test.ts'

const id = '5c0a0a0a'
const other = '5c0b0b0b'
const params = { id }
const wait = { wait: true }
const pathVariable = { type: 'path', userEdit: true, required: true, value: 'app.sh', display: 'Program' }
const freeVariable = { type: 'string', userEdit: true, value: 'app.sh' }

/** A server that runs a program whose name is a variable, and another server with a program of its own. */
async function twoServers({ client, dataDir }: TestNode, variable: object, run: object = { command: 'sh ${file}' }) {
  for (const server of [id, other]) {
    mkdirSync(join(dataDir, 'servers', server), { recursive: true })
    writeFileSync(join(dataDir, 'servers', server, 'app.sh'), `echo program of ${server}\n`)
  }
  await client.create(other, 'true')
  await client.create(id, run, { data: { file: variable } })
}

const start = ({ client }: TestNode) => client.send(startServer, { params, query: wait })
const readText = async ({ client }: TestNode): Promise<string> => (await client.send(getConsole, { params })).body.logs
const setAs = (node: TestNode, permissions: ['editServerData'] | ['admin'], value: string) =>
  node.client.send(putData, { params, permissions, body: { data: { file: { value } } } })

/** Installs the server with a command. */
async function install({ client }: TestNode, command: string, variable: object) {
  const steps = [{ type: 'command', commands: [command], stopOnError: true }]
  const body = { type: 'test', run: { command: 'true' }, install: steps, data: { file: variable } }
  expect((await client.send(putDefinition, { params, body })).status).toBe(204)
  return await client.send(installServer, { params, query: wait })
}

test.for([
  `../${other}/app.sh`,
  '/etc/passwd',
  'a/../../b',
  '~/app.sh',
  'file:///etc/passwd',
  'C:/app.sh',
  'a\\..\\b',
  'a\0b',
])('a path of %j is refused for everybody', async (value, { node }) => {
  await twoServers(node, pathVariable)

  expect((await setAs(node, ['editServerData'], value)).body.error?.code).toMatch(/ErrFieldNotPath|ErrFieldCharacters/)
  expect((await setAs(node, ['admin'], value)).body.error?.code).toMatch(/ErrFieldNotPath|ErrFieldCharacters/)
})

test('a path below the folder of the server is a value, and used', async ({ node }) => {
  await twoServers(node, pathVariable)
  mkdirSync(join(node.dataDir, 'servers', id, 'sub'))
  writeFileSync(join(node.dataDir, 'servers', id, 'sub', 'b.sh'), 'echo below\n')

  expect((await setAs(node, ['editServerData'], 'sub/b.sh')).status).toBe(204)
  const watcher = await node.client.watch(id)
  await start(node)

  await watcher.untilText('\nbelow\n')
})

test('a path through a link out of the folder is refused at the start and in a step', async ({ node }) => {
  await twoServers(node, { ...pathVariable, value: 'way' }, { command: 'sh ${file}/app.sh' })
  symlinkSync(join(node.dataDir, 'servers', other), join(node.dataDir, 'servers', id, 'way'))

  const started = await start(node)
  const installed = await install(node, 'cat ${file}/app.sh', { ...pathVariable, value: 'way' })

  expect(started.body.error?.code).toBe('ErrIllegalFileAccess')
  expect(installed.body.error?.code).toBe('ErrStepFailed')
  const text = await readText(node)
  expect(text).toContain('A value leads out of the folder of the server: way/app.sh')
  expect(text).not.toContain(`program of ${other}`)
})

test('a stored value from before the variable was a path is refused at the start', async ({ node }) => {
  await twoServers(node, freeVariable)
  await setAs(node, ['editServerData'], '/etc/passwd')
  const stored = join(node.dataDir, 'servers', `${id}.json`)
  writeFileSync(stored, readFileSync(stored, 'utf8').replace('"string"', '"path"'))
  await node.client.send(reloadServer, { params })

  expect((await start(node)).body.error).toMatchObject({ code: 'ErrFieldNotPath', metadata: { field: 'file' } })
})

describe('a value that users choose freely, and that leads to another server', () => {
  test.for([
    ['its program', { command: 'sh ${file}' }],
    ['a part of an argument', { command: 'echo -agent:${file},x' }],
    ['the program itself', { command: '${file}' }],
    ['an environment variable', { command: 'true', environmentVars: { LD_PRELOAD: 'own.so:${file}' } }],
  ] as const)('is refused as %s', async ([, run], { node }) => {
    await twoServers(node, freeVariable, run)
    const below = join(node.dataDir, 'servers', other, 'app.sh')

    for (const value of [below, `../${other}/app.sh`, `~/../${other}/app.sh`, `/proc/self/cwd/../${other}/app.sh`]) {
      expect((await setAs(node, ['editServerData'], value)).status).toBe(204)
      expect((await start(node)).body.error?.code, value).toBe('ErrIllegalFileAccess')
    }
    expect(await readText(node)).not.toContain(`program of ${other}`)
  })

  test('is refused in a step', async ({ node }) => {
    await twoServers(node, freeVariable)

    const installed = await install(node, 'sh ${file}', { ...freeVariable, value: `../${other}/app.sh` })

    expect(installed.body.error?.code).toBe('ErrStepFailed')
    expect(await readText(node)).not.toContain(`program of ${other}`)
  })

  test.for([
    { type: 'writefile', target: 'a.cfg', text: 'world=${file}' },
    { type: 'editconfig', file: 'a.ini', format: 'ini', changes: [{ path: 'world', value: '${file}' }] },
  ])('is refused in a file for the program: $type', async (step, { node }) => {
    await twoServers(node, freeVariable, { command: 'true', pre: [step] })
    const place = join(node.dataDir, 'servers', other)

    for (const value of [`../${other}/app.sh`, `../../${other}`, `${place}/app.sh`, `/proc/self/cwd/../${other}`]) {
      await setAs(node, ['editServerData'], value)
      expect((await start(node)).body.error?.code, value).toBe('ErrStepFailed')
    }
    for (const value of [`../${id}/world`, '../maps/x', 'and/or', `a ${other}`]) {
      await setAs(node, ['editServerData'], value)
      expect((await start(node)).status, value).toBe(204)
    }
  })

  test('other values work, also with blanks and paths elsewhere', async ({ node }) => {
    await twoServers(node, freeVariable, { command: 'echo got ${file}' })
    const watcher = await node.client.watch(id)

    for (const value of ['My server: 50% off, -fun', '/usr/share/games', 'a/../b', '.']) {
      await setAs(node, ['editServerData'], value)
      await start(node)
      await watcher.untilText(`\ngot ${value}\n`)
      await vi.waitFor(async () => expect((await node.client.send(getStatus, { params })).body.state).toBe('offline'))
    }
  })
})

plainTest('where all servers run as one user, values still lead to no other server', async () => {
  const parentDir = mkdtempSync(join(tmpdir(), 'innkeeper-closed-'))
  onTestFinished(() => rmSync(parentDir, { recursive: true }))
  // Users of servers could not pass through it, so there are none.
  chmodSync(parentDir, 0o700)
  await using node = await TestNode.start({ parentDir })
  const elsewhere = join(node.dataDir, 'servers', other)
  await twoServers(node, freeVariable, { command: `sh \${file} ${elsewhere}/app.sh` })
  writeFileSync(join(node.dataDir, 'servers', id, 'app.sh'), 'echo read "$(cat "$1")"\n')
  const watcher = await node.client.watch(id)

  await start(node)
  await watcher.untilText(`read echo program of ${other}`)
  await vi.waitFor(async () => expect((await node.client.send(getStatus, { params })).body.state).toBe('offline'))
  await setAs(node, ['editServerData'], `${elsewhere}/app.sh`)
  const asText = await start(node)
  symlinkSync(elsewhere, join(node.dataDir, 'servers', id, 'way'))
  const asPath = await install(node, 'sh ${file}', { ...pathVariable, value: 'way/app.sh' })

  expect(asText.body.error?.code).toBe('ErrIllegalFileAccess')
  expect(asPath.body.error?.code).toBe('ErrStepFailed')
  expect(await readText(node)).not.toMatch(new RegExp(`^program of ${other}`, 'm'))
})
