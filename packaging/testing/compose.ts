import { deepEqual, equal, match, notEqual } from 'node:assert/strict'
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Node } from '@innkeeper/contract/nodes/nodes'
import { Api, firstAdmin } from '../../e2e/testing/api.ts'
import { root } from '../../tools/commands.ts'
import { currentRelease } from '../build/release.ts'
import { run } from '../build/run.ts'
import type { DockerEngine } from './docker-engine.ts'
import type { Documentation } from './documentation.ts'
import { GameServer } from './game-server.ts'
import { newVersion } from './packages.ts'
import { buildPostgresImage } from './postgres-image.ts'
import type { Steps } from './steps.ts'
import { setupCodeIn } from './tarball.ts'
import { waitUntil } from './wait-until.ts'

const composeFile = join(root, 'packaging/container/compose.yaml')
/** The ports that the compose file publishes. */
const url = 'http://127.0.0.1:8080'
const nodePorts = { publicPort: 5656, privatePort: 5656, sftpPort: 5657 }

interface Images {
  /** A minimal Debian. */
  readonly baseImage: string
  /** Builds the image of the new version with the documented command. */
  readonly buildNew: () => void
}

/** Runs panel, PostgreSQL and node with the compose file as it is, and upgrades them. Needs the image of the current version. */
export async function testCompose(
  steps: Steps,
  folder: string,
  engine: DockerEngine,
  docs: Documentation,
  { baseImage, buildNew }: Images,
): Promise<void> {
  const { shell, compose, getContainer } = project(join(folder, 'compose'), engine)
  const replaced = { 'docker compose': 'docker-compose' }
  const waitForNode = async (api: Api, id: number, version = currentRelease().version) =>
    await waitUntil(`the node is online in version ${version}`, async () => {
      const nodes = (await api.get('/api/nodes')) as Node[]
      const health = nodes.find((node) => node.id === id)?.health
      const problems = health?.problems.filter((problem) => problem !== 'otherVersion')
      if (!['online', 'degraded'].includes(health?.state ?? '') || problems?.length !== 0) return false
      return ((await api.get(`/api/nodes/${id}/features`)) as { version: string }).version === version
    })
  // Waiting for a health check takes its interval.
  const isReady = async () => (await fetch(`${url}/readyz`)).ok
  const printedBy = (sql: string) =>
    compose('exec', '-T', 'database', 'psql', '--username=innkeeper', '--tuples-only', '--no-align', '-c', sql).trim()

  await steps.step('compose: an image of PostgreSQL is built from the package of Debian', async () => {
    const image = /image: (postgres:\S+)/.exec(readFileSync(composeFile, 'utf8'))?.[1] ?? ''
    mkdirSync(join(folder, 'postgres'))
    await buildPostgresImage(engine, join(folder, 'postgres'), image, baseImage)
  })

  const admin = await steps.step('compose: the documented commands start a panel on PostgreSQL', async () => {
    docs.install.run('In containers', replaced, shell)
    await engine.waitUntilHealthy(getContainer('panel'))
    const code = () => setupCodeIn(compose('logs', '--no-color', 'panel'))
    const api = await Api.setUp(url, await waitUntil('the log shows the setup code', code))
    equal(printedBy('SELECT username FROM users'), firstAdmin.username)
    equal(compose('exec', '-T', 'panel', 'find', '/var/lib/innkeeper', '-name', '*.db'), '')
    return api
  })

  const node = await steps.step('compose: a node joins', async () => {
    const place = { name: 'In a container', publicHost: '127.0.0.1', privateHost: 'node', ...nodePorts }
    const created = (await admin.post('/api/nodes', place)) as Node
    const { config } = (await admin.get(`/api/nodes/${created.id}/deployment`)) as { config: string }
    docs.install.run('In containers', {}, shell)
    writeFileSync(join(folder, 'compose/node.json'), config)
    docs.install.run('In containers', replaced, shell)
    await waitForNode(admin, created.id)
    return created.id
  })

  const server = await steps.step('compose: create a server from a template, install, start and use it', async () => {
    const installed = await GameServer.install(admin, 'In a container', 'standard', node)
    await installed.start()
    await installed.sendAndExpectEcho('hello')
    await engine.waitUntilHealthy(getContainer('node'))
    return installed
  })

  await steps.step('compose: a new version of the panel lets the server run, one of the node stops it', async () => {
    const [before, database] = [server.processes(), getContainer('database')]
    notEqual(before, '')

    buildNew()
    docs.upgrade.run('Containers', { ...replaced, '0.1.0': newVersion }, shell)
    await waitUntil('the panel is ready', isReady)
    match(compose('exec', '-T', 'panel', 'innkeeper', 'version'), RegExp(`^${newVersion}`, 'm'))
    await waitForNode(admin, node)
    await server.sendAndExpectEcho('still there?')
    equal(server.processes(), before)

    docs.upgrade.run('Containers', replaced, shell)
    await waitForNode(admin, node, newVersion)
    equal(server.processes(), '')
    equal(getContainer('database'), database)
  })

  await steps.step('compose: down and up again keep users, servers and files', async () => {
    await server.start()
    await server.sendAndExpectEcho('before')
    const containers = ['database', 'panel', 'node'].map(getContainer)
    docs.install.run('In containers', replaced, shell)
    const started = ['database', 'panel', 'node'].map(getContainer)
    deepEqual(
      started.filter((id) => containers.includes(id)),
      [],
    )
    await waitUntil('the panel is ready', isReady)

    const again = await Api.signIn(url, firstAdmin)
    await waitForNode(again, node, newVersion)
    await server.start()
    await server.sendAndExpectEcho('after')
    await server.stop()
    compose('--profile', 'node', 'down', '--volumes')
  })
}

/** Copies the compose file into a folder of its own, in which commands run. */
function project(folder: string, engine: DockerEngine) {
  mkdirSync(folder)
  copyFileSync(composeFile, join(folder, 'compose.yaml'))
  const options = { cwd: folder, env: engine.environment }
  const compose = (...args: readonly string[]) => run(['docker-compose', ...args], options)
  return {
    compose,
    shell: { run: (code: string) => run(['bash', '--norc', '-euo', 'pipefail', '-c', code], options) },
    getContainer: (service: string) => compose('--profile', 'node', 'ps', '--quiet', service).trim(),
  }
}
