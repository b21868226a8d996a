import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stepTypes, taskStepTypes } from '@innkeeper/contract/definitions/operations'
import { getDefinition } from '@innkeeper/contract/definitions/server-definition'
import { upstreams } from '@innkeeper/contract/http/upstreams'
import { installServer, killServer, startServer } from '@innkeeper/contract/servers/node-servers'
import { expect, test } from 'vitest'
import { TestNode } from '../testing/daemon.ts'
import { adoptium, curseforge, getDigest, maven, mojang, nodejs, steam } from '../testing/outside.ts'
import { startWebHost, type WebHost } from '../testing/web-host.ts'

const id = '0a0a0a0a'
const params = { id }
const wait = { wait: true }
const isRoot = process.getuid?.() === 0

async function startNode(host: WebHost): Promise<TestNode> {
  const mirrors = Object.fromEntries(Object.keys(upstreams).map((name) => [name, host.url('/').href]))
  return await TestNode.start({ downloads: { mirrors, curseforgeKey: 'a key', allow: [host.address] } })
}

/** The responses to every request of the steps below. */
function outside(host: WebHost): void {
  const forge = (version: string) => `/net/minecraftforge/forge/${version}/forge-${version}-installer.jar`
  adoptium({ host }, 21)
  nodejs({ host }, '22.11.0')
  host.give('/dist/index.json', [{ version: 'v22.11.0' }])
  mojang({ host })
  steam({ host })
  curseforge({ host }, [{ name: 'Pack/mods/b.jar', data: 'a mod' }])
  for (const version of ['1.20.1-47.2.0', '1.12.2-14.23.5']) maven({ host }, forge(version))
  maven({ host }, '/releases/net/neoforged/neoforge/21.1.90/neoforge-21.1.90-installer.jar')
  host.give('/v2/versions/installer', [{ url: 'https://maven.fabricmc.net/fabric.jar', version: '1' }])
  maven({ host }, '/fabric.jar')
  const mod = { url: 'https://repo.spongepowered.org/mod.jar', sha1: getDigest('sha1', 'mod') }
  host.give('/v1/org.spongepowered/spongeforge/downloads/recommended', {
    dependencies: { forge: '14.23.5', minecraft: '1.12.2' },
    artifacts: { '': mod },
  })
  host.give('/mod.jar', 'mod')
  const sponge = '/v2/groups/org.spongepowered/artifacts/spongevanilla/versions/1.16.5-8.2.0'
  host.give(sponge, { assets: [{ classifier: 'universal', extension: 'jar', downloadUrl: mod.url, sha1: mod.sha1 }] })
  host.give('/v3/projects/paper/versions/1.21.4/builds/7', {
    id: 7,
    downloads: { 'server:default': { url: mod.url, checksums: { sha256: getDigest('sha256', 'mod') } } },
  })
  host.give('/files/a.txt', 'a=1')
}

const install = (host: Pick<WebHost, 'url'>) => [
  { type: 'javadl', version: '${javaversion}', if: "javaversion != '' && env == 'host'" },
  { type: 'nodejsdl', version: 22 },
  { type: 'dockerpull', if: "env == 'docker'" },
  { type: 'dockerrun', image: 'debian', script: 'true', if: "env == 'docker'" },
  { type: 'console', message: 'beginning' },
  { type: 'sleep', duration: '1ms' },
  { type: 'mojangdl', version: 'release', target: 'vanilla.jar' },
  { type: 'forgedl', version: '1.20.1-47.2.0', filename: 'forge.jar' },
  { type: 'neoforgedl', version: '21.1.90' },
  { type: 'spongeforgedl' },
  { type: 'spongedl', spongeVersion: '1.16.5-8.2.0' },
  { type: 'fabricdl' },
  { type: 'paperdl', minecraftVersion: '1.21.4', build: 7, target: 'paper.jar' },
  { type: 'curseforge', projectId: 925200 },
  { type: 'steamgamedl', appId: 740 },
  { type: 'download', files: [host.url('/files/a.txt').href] },
  { type: 'alterfile', file: 'a.txt', search: '^a=.*$', replace: 'a=2' },
  { type: 'mkdir', target: 'libraries/net/minecraftforge/forge/1.20.1-47.2.0' },
  { type: 'writefile', target: 'libraries/net/minecraftforge/forge/1.20.1-47.2.0/unix_args.txt', text: '' },
  { type: 'writefile', target: 'libraries/net/neoforged/neoforge/21.1.90/unix_args.txt', text: '' },
  { type: 'archive', source: ['a.txt'], destination: 'a.tar.gz' },
  { type: 'editconfig', file: 'settings.json', format: 'json', changes: [{ path: 'a.b', value: 1 }] },
  { type: 'mkdir', target: 'copy' },
  { type: 'extract', source: 'a.tar.gz', destination: 'copy' },
  { type: 'move', source: '*.tar.gz', target: 'copy/' },
  { type: 'command', commands: ['java21', 'node22 x'], stopOnError: true },
  { type: 'writefile', target: 'never', text: '', if: "env == 'docker'" },
]

const template = (host: WebHost) => ({
  data: { javaversion: { type: 'integer', value: '21' }, 'mod-launcher': { value: 'forge' } },
  install: install(host),
})

const run = {
  command: [
    { command: 'sh -c "echo no command of ours"' },
    { if: "mod-launcher == 'forge' && resolved != ''", command: 'sh -c "echo started \\"$0\\"; java" ${resolved}' },
  ],
  pre: [
    { type: 'resolveforgeversion', minecraftVersion: '1.20.1', outputVariable: 'resolved' },
    { type: 'resolveneoforgeversion', minecraftVersion: '1.21.1' },
  ],
}

test('the template below uses every step type except those for running servers', () => {
  const used = [...install({ url: (path) => new URL(path, 'http://host') }), ...run.pre].map(({ type }) => type)

  expect(stepTypes.filter((type) => !used.includes(type))).toEqual(['stdin', ...taskStepTypes])
})

test('a template with all step types installs, reinstalls and starts the matching command', {
  timeout: 60_000,
}, async () => {
  await using host = await startWebHost()
  outside(host)
  await using node = await startNode(host)
  await node.client.create(id, run, template(host))
  const listener = await node.client.watch(id)
  const folder = join(node.dataDir, 'servers', id)

  for (const _ of ['fresh', 'again']) {
    const { status, body } = await node.client.send(installServer, { params, query: wait })
    expect([status, body], listener.text).toEqual([204, ''])
  }
  await node.client.send(startServer, { params, query: wait })
  await listener.untilText('started 1.20.1-47.2.0')
  await listener.until('what Java says', ({ text }) => /\njava 21\r?\n/.test(text))

  expect(readdirSync(folder)).toEqual(expect.arrayContaining(['vanilla.jar', 'forge.jar', 'paper.jar', 'server.jar']))
  expect(readdirSync(folder)).not.toContain('never')
  expect(readFileSync(join(folder, 'copy/a.txt'), 'utf8')).toBe('a=2')
  expect(readFileSync(join(folder, 'mods/b.jar'), 'utf8')).toBe('a mod')
  const owner = statSync(folder).uid
  expect(readdirSync(folder).map((name) => statSync(join(folder, name)).uid)).toEqual(
    readdirSync(folder).map(() => owner),
  )
  const { body } = await node.client.send(getDefinition, { params })
  expect(body.data).toMatchObject({
    resolved: { value: '1.20.1-47.2.0', internal: true },
    opForgeVersion: { value: '1.20.1-47.2.0' },
    opNeoForgeVersion: { value: '21.1.90' },
    'mod-launcher': { value: 'forge' },
  })
  expect(host.paths().filter((path) => path.endsWith('/jdk.tar.gz'))).toHaveLength(1)
})

/** The downloads of the template, and the number of finished downloads at which the install is killed. */
const fetched = [
  ['Java', '/adoptium/21/jdk.tar.gz'],
  ['Node.js', '/dist/v22.11.0/node-v22.11.0-linux-x64.tar.gz'],
  ['Minecraft', '/v1/objects/5/server.jar'],
  ['an installer', '/net/minecraftforge/forge/1.20.1-47.2.0/forge-1.20.1-47.2.0-installer.jar'],
  ['a mod pack', '/files/77.zip'],
  ['the tools of Steam', '/SteamRE/DepotDownloader/releases/download/DepotDownloader_3.4.0/a.zip'],
  ['the libraries of Steam', '/client/steamcmd_bins_linux.zip.4a6b'],
  ['a file', '/files/a.txt'],
] as const

test('an install that is killed during any download can be repeated', {
  timeout: 60_000,
}, async () => {
  await using host = await startWebHost()
  outside(host)
  await using node = await startNode(host)
  await node.client.create(id, run, template(host))
  const listener = await node.client.watch(id)
  const folder = join(node.dataDir, 'servers', id)

  for (const [what, path] of fetched) {
    const begun = Promise.withResolvers<void>()
    host.answer(path, (_, response) => {
      response.writeHead(200, { 'content-length': 1000, etag: '"1"' }).write('begun', () => begun.resolve())
    })
    const installing = node.client.send(installServer, { params, query: wait })
    await Promise.race([begun.promise, installing])
    const killing = await node.client.send(killServer, { params, query: wait })
    expect([what, killing.status, (await installing).body.error?.code], listener.text).toEqual([
      what,
      204,
      expect.any(String),
    ])
    outside(host)
  }
  const { status } = await node.client.send(installServer, { params, query: wait })

  expect(status, listener.text).toBe(204)
  expect(readFileSync(join(folder, 'vanilla.jar'), 'utf8')).toBe('a server')
  expect(readFileSync(join(folder, 'copy/a.txt'), 'utf8')).toBe('a=2')
  expect(readFileSync(join(folder, 'mods/b.jar'), 'utf8')).toBe('a mod')
  expect(readFileSync(join(folder, '.steam/sdk64/steamclient.so'), 'utf8')).toBe('64')
  const left = readdirSync(folder, { recursive: true }).map(String)
  expect(left.filter((name) => /\.part$|\.curseforge|\.manifest/.test(name))).toEqual([])
})

test('an install that is killed while its program runs can be repeated', async () => {
  await using host = await startWebHost()
  await using node = await startNode(host)
  const commands = ['sh -c "mkdir half; test -e go-on || { echo waiting; sleep 600; }; touch whole"']
  await node.client.create(id, 'cat whole', { install: [{ type: 'command', commands, stopOnError: true }] })
  const listener = await node.client.watch(id)
  const installing = node.client.send(installServer, { params, query: wait })
  await listener.untilText('\nwaiting')

  await node.client.send(killServer, { params, query: wait })
  const { status: cutOff } = await installing
  writeFileSync(join(node.dataDir, 'servers', id, 'go-on'), '')
  const { status } = await node.client.send(installServer, { params, query: wait })

  expect(cutOff).toBeGreaterThanOrEqual(400)
  expect(status, listener.text).toBe(204)
  expect(readdirSync(join(node.dataDir, 'servers', id))).toContain('whole')
})

test.runIf(isRoot)('a server can read and cannot change the installed runtimes', async () => {
  await using host = await startWebHost()
  outside(host)
  await using node = await startNode(host)
  const attempts =
    'command -v java21; echo x >> "$(command -v java21)" || rm "$(command -v java21)" || echo "not changed"'
  await node.client.create(
    id,
    {
      command: 'sh -c "eval \\"$TRIES\\""',
      environmentVars: { TRIES: `${attempts}; ls ../../cache || echo "not seen"` },
    },
    { install: [{ type: 'javadl', version: 21 }] },
  )
  const listener = await node.client.watch(id)

  await node.client.send(installServer, { params, query: wait })
  await node.client.send(startServer, { params, query: wait })

  await listener.untilText(`/runtimes/servers/${id}/java21`)
  await listener.untilText('not changed')
  await listener.untilText('not seen')
})

test('a start without a matching command prints the reason', async () => {
  await using host = await startWebHost()
  await using node = await startNode(host)
  await node.client.create(id, { command: [{ if: "env == 'docker'", command: 'true' }] })
  await node.client.create('0b0b0b0b', { command: [{ if: 'missing', command: 'true' }] })
  const [listener, other] = [await node.client.watch(id), await node.client.watch('0b0b0b0b')]

  await node.client.send(startServer, { params, query: wait })
  await node.client.send(startServer, { params: { id: '0b0b0b0b' }, query: wait })

  await listener.untilText('No command can be run: each of them has a condition that is not met')
  await other.untilText('Failed to choose the command: the condition "missing" cannot be evaluated')
})
