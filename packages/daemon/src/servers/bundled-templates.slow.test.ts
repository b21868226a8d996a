import { existsSync, globSync, mkdirSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { getContainerConfig } from '@innkeeper/contract/definitions/container'
import { Template } from '@innkeeper/contract/definitions/definition'
import { upstreams } from '@innkeeper/contract/http/upstreams'
import { getStatus, installServer, startServer, stopServer } from '@innkeeper/contract/servers/node-servers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { checkSteps } from '../operations/steps.ts'
import { TestNode } from '../testing/daemon.ts'
import { adoptium, getDigest, maven, mojang } from '../testing/outside.ts'
import { freePort } from '../testing/target-servers.ts'
import { startWebHost, type WebHost } from '../testing/web-host.ts'
import { templateVariables } from './launch/launch.ts'

const folder = fileURLToPath(new URL('../../../../templates', import.meta.url))
const getName = (file: string) => basename(file, '.json')
const read = (name: string) => Template.parse(JSON.parse(readFileSync(join(folder, name, `${name}.json`), 'utf8')))
const names = globSync('*/*.json', { cwd: folder }).map(getName).toSorted()
const wait = { wait: true }
/** Some generate keys or maps on the first start, which is slow on a busy machine. */
const patience = { timeout: 60_000, upMs: 50_000 }

test.each(names)('a node meets the requirements of the template %s', (name) => {
  const definition = read(name)
  const values = templateVariables(definition, { id: '0a0a0a0a', rootDir: '/srv/0a0a0a0a' })
  for (const variable of ['opForgeVersion', 'opNeoForgeVersion']) values.set(variable, '1')
  const { install, uninstall, run, supportedEnvironments } = definition
  const containers = (supportedEnvironments ?? []).filter(({ type }) => type === 'docker')

  for (const steps of [install, uninstall, run.pre, run.post])
    expect(() => checkSteps(steps ?? [], values)).not.toThrow()
  for (const container of containers) expect(() => getContainerConfig(container, definition.data, values)).not.toThrow()
})

/** A server made from a template, with other values, on a node. */
async function create(node: TestNode, id: string, name: string, values: Readonly<Record<string, unknown>>) {
  const definition = read(name)
  for (const [variable, value] of Object.entries(values)) Object.assign(definition.data[variable] ?? {}, { value })
  const { status, body } = await node.client.asPanel('PUT', `/daemon/server/${id}`, definition)
  expect([status, body], `${name} is refused`).toEqual([204, ''])
}

/**
 * Installs and starts the server, waits until it is ready (by its ready pattern, if it has one), sends a command, stops
 * it and waits for its exit.
 */
async function live(node: TestNode, id: string, isUp: string | RegExp, command?: string, isDone = '') {
  const listener = await node.client.watch(id)
  const { status } = await node.client.send(installServer, { params: { id }, query: wait })
  expect(status, listener.text).toBe(204)
  await run(node, id, isUp, command, isDone)
}

/** `live` without the install. */
async function run(node: TestNode, id: string, isUp: string | RegExp, command?: string, isDone = '') {
  const params = { id }
  const listener = await node.client.watch(id)
  await node.client.send(startServer, { params, query: wait })
  const isSeen = (text: string) => (isUp instanceof RegExp ? isUp.test(text) : text.includes(isUp))
  await listener.until(`that it is up: ${isUp}`, ({ text }) => isSeen(text), patience.upMs)
  await listener.untilHeard('status', { state: 'online' })
  if (command) {
    listener.send({ type: 'console', command })
    await listener.untilText(isDone)
  }
  await node.client.send(stopServer, { params, query: wait })
  const { body } = await node.client.send(getStatus, { params })
  expect(body.running).toBe(false)
}

interface Packaged {
  readonly name: string
  readonly isUp: string | RegExp
  readonly values?: Readonly<Record<string, unknown>>
  readonly command?: string
  readonly isDone?: string
  /** Files that the owner puts there before the install. */
  readonly files?: Readonly<Record<string, string>>
  /** A file that the server writes when it stops. */
  readonly saved?: string
}

const bot = "import sys\nprint('Logged in', flush=True)\nfor line in sys.stdin: print('Heard', line, flush=True)\n"

const packaged: readonly Packaged[] = [
  { name: 'armagetron', isUp: /Bound socket to 127\.0\.0\.1:\d+/, command: 'SAY hello', isDone: 'Admin: hello' },
  { name: 'bzflag', isUp: 'listening on 127.0.0.1' },
  { name: 'crossfire', isUp: 'Waiting for connections' },
  { name: 'ddnet', isUp: "server name is 'An Innkeeper server'", saved: 'ddnet-server.sqlite' },
  { name: 'discord-python', isUp: 'Logged in', command: 'hello', isDone: 'Heard hello', files: { 'bot.py': bot } },
  { name: 'freeciv', isUp: /accepting new client connections/i, command: 'list players', isDone: 'List of players' },
  { name: 'generic-command', isUp: 'Ready', command: 'hello', isDone: 'You typed: hello' },
  { name: 'hedgewars', isUp: 'Listening on port' },
  { name: 'luanti', isUp: 'Players can join', saved: 'world/env_meta.txt' },
  { name: 'mumble', isUp: 'Server listening on 127.0.0.1', values: { adminpassword: 'a long one' } },
  { name: 'nodejs-app', isUp: 'Listening on', command: 'status', isDone: 'Requests answered: 0' },
  { name: 'openarena', isUp: 'items registered', command: 'serverinfo', isDone: 'An Innkeeper server' },
  {
    name: 'openttd',
    isUp: 'players can join',
    saved: 'save/autosave/exit.sav',
    command: 'getdate',
    isDone: 'Date:',
  },
  { name: 'python-app', isUp: 'Listening on 127.0.0.1', command: 'what', isDone: 'There is no command what' },
  { name: 'teeworlds', isUp: "server name is 'An Innkeeper server'" },
  {
    name: 'warzone2100',
    isUp: 'WZEVENT: lobby',
    saved: 'config/config',
    command: 'admin add-hash 0123',
    isDone: 'hash added',
  },
  { name: 'web-static', isUp: 'Serving HTTP on 127.0.0.1' },
  { name: 'wesnoth', isUp: "opened fifo at './control'" },
]

test('every template whose program is a Debian package is tested below', () => {
  const isOfSystem = (program: string) => program.startsWith('/usr/') || ['node', 'npm', 'python3'].includes(program)
  const ofSystem = names.filter((name) => read(name).requirements?.binaries?.some(isOfSystem))

  expect(ofSystem.filter((name) => !packaged.some((one) => one.name === name))).toEqual([])
})

describe('templates of Debian packages', () => {
  let node: TestNode
  beforeAll(async () => {
    node = await TestNode.start()
  })
  afterAll(async () => {
    await node[Symbol.asyncDispose]()
  })

  test.concurrent.each(packaged)(
    '$name is installed, starts, stops, and starts again with what it saved',
    patience,
    async ({ name, isUp, values, command, isDone, saved = '.', files = {} }) => {
      const id = `0d0d0d${String(packaged.findIndex((one) => one.name === name)).padStart(2, '0')}`
      const folder = join(node.dataDir, 'servers', id)
      mkdirSync(folder, { recursive: true })
      for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text)
      await create(node, id, name, { ip: '127.0.0.1', port: await freePort(), ...values })

      await live(node, id, isUp, command, isDone)
      expect(existsSync(join(folder, saved))).toBe(true)
      await run(node, id, isUp)
    },
  )

  test('OpenTTD continues its game, keeps a copy that loads, and refuses to start over a damaged one', async () => {
    const id = '0d0d0e01'
    const folder = join(node.dataDir, 'servers', id)
    const game = join(folder, 'save/autosave/exit.sav')
    await create(node, id, 'openttd', { ip: '127.0.0.1', port: await freePort(), mapsize: '7' })
    const firstStart = await node.client.watch(id)
    await live(node, id, 'players can join')
    expect(firstStart.text).not.toMatch(/load(ing game)? failed/i)
    const saved = readFileSync(game)
    await run(node, id, 'players can join')
    const copy = readFileSync(join(folder, 'save/last-good.sav'))
    truncateSync(game, Math.floor(saved.length / 2))
    const damaged = readFileSync(game)

    const listener = await node.client.watch(id)
    const { status } = await node.client.send(startServer, { params: { id }, query: wait })

    expect(copy).toEqual(saved)
    expect(status).not.toBe(204)
    await listener.untilText('is damaged and cannot be loaded')
    expect(readFileSync(game)).toEqual(damaged)
  }, 120_000)

  test('Freeciv saves the game that is played when it is stopped', patience, async () => {
    const id = '0d0d0e02'
    await create(node, id, 'freeciv', { ip: '127.0.0.1', port: await freePort(), minplayers: 0 })

    await live(node, id, 'accepting new client connections', 'start', 'Game saved as')

    const saves = readdirSync(join(node.dataDir, 'servers', id, 'saves'))
    expect(saves.filter((name) => name.includes('-interrupted'))).toHaveLength(1)
  })
})

const java = `#!/bin/sh
case "$*" in
  *fabric-installer.jar*) echo 'a server of Fabric' > fabric-server-launch.jar ;;
  *neoforge-installer.jar*) made=libraries/net/neoforged/neoforge/21.1.77 ;;
  *forge-installer.jar*) made=libraries/net/minecraftforge/forge/1.21.1-52.1.0 ;;
  *) echo "started with $*"; echo 'Done (0.1s)! For help, type "help"'; while read -r line; do [ "$line" = stop ] && exit 0; echo "typed: $line"; done ;;
esac
[ -z "$made" ] || { mkdir -p "$made" && echo > "$made/unix_args.txt"; }
`

/** The APIs of Mojang and other vendors, as far as the templates below call them. */
function makers(host: WebHost): void {
  for (const major of [21, 25]) {
    const programs = ['java', 'javac'].map((name) => `jdk-${major}.0.5+11/bin/${name}`)
    adoptium({ host }, major, { parts: programs.map((name) => ({ name, data: java, mode: 0o755 })) })
  }
  mojang({ host })
  const jar = { url: 'https://fill-data.papermc.io/paper.jar', checksums: { sha256: getDigest('sha256', 'Paper') } }
  host.give('/v3/projects/paper/versions', { versions: [{ version: { id: '1.21.8' }, builds: [7] }] })
  host.give('/v3/projects/paper/versions/1.21.8/builds/latest', { id: 7, downloads: { 'server:default': jar } })
  host.give('/paper.jar', 'Paper')
  host.give('/v2/versions/installer', [{ url: 'https://maven.fabricmc.net/fabric.jar', version: '1' }])
  host.give('/net/minecraftforge/forge/promotions_slim.json', { promos: { '1.21.1-latest': '52.1.0' } })
  host.give(
    '/releases/net/neoforged/neoforge/maven-metadata.xml',
    '<metadata><versioning><versions><version>21.1.77</version></versions></versioning></metadata>',
  )
  for (const path of [
    '/fabric.jar',
    '/net/minecraftforge/forge/1.21.1-52.1.0/forge-1.21.1-52.1.0-installer.jar',
    '/releases/net/neoforged/neoforge/21.1.77/neoforge-21.1.77-installer.jar',
  ])
    maven({ host }, path)
}

const settings = { ip: '127.0.0.1', port: 25599, motd: 'Hello $& there', eula: true, memory: 512 }

describe('Minecraft', () => {
  let host: WebHost
  let node: TestNode
  beforeAll(async () => {
    host = await startWebHost()
    makers(host)
    const mirrors = Object.fromEntries(Object.keys(upstreams).map((name) => [name, host.url('/').href]))
    node = await TestNode.start({ downloads: { mirrors, allow: [host.address] } })
  })
  afterAll(async () => {
    await node[Symbol.asyncDispose]()
    await host[Symbol.asyncDispose]()
  })

  test.concurrent.each([
    ['minecraft-vanilla', '0e0e0e01', '-jar server.jar nogui'],
    ['minecraft-paper', '0e0e0e02', '-jar server.jar nogui'],
    ['minecraft-fabric', '0e0e0e03', '-jar fabric-server-launch.jar nogui'],
    ['minecraft-forge', '0e0e0e04', '@libraries/net/minecraftforge/forge/1.21.1-52.1.0/unix_args.txt nogui'],
    ['minecraft-neoforge', '0e0e0e05', '@libraries/net/neoforged/neoforge/21.1.77/unix_args.txt nogui'],
  ] as const)('%s is installed and starts with its settings', patience, async (name, id, started) => {
    await create(node, id, name, settings)

    await live(node, id, started, 'hello', 'typed: hello')

    const written = join(node.dataDir, 'servers', id)
    expect(readFileSync(join(written, 'server.properties'), 'utf8')).toContain(
      'server-ip=127.0.0.1\nserver-port=25599\nmotd=Hello $& there\n',
    )
    expect(readFileSync(join(written, 'eula.txt'), 'utf8')).toBe('eula=true\n')
  })

  test('edited settings survive a second install', patience, async () => {
    const [id, name] = ['0e0e0e06', 'minecraft-vanilla']
    await create(node, id, name, settings)
    const file = join(node.dataDir, 'servers', id, 'server.properties')
    await node.client.send(installServer, { params: { id }, query: wait })
    writeFileSync(file, 'white-list=true\nmotd=old\n')

    await live(node, id, '-jar server.jar nogui')

    expect(readFileSync(file, 'utf8')).toBe('white-list=true\nmotd=Hello $& there\n')
  })
})
