import { equal, match, ok } from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Node } from '@innkeeper/contract/nodes/nodes'
import { defaultUidRange } from '@innkeeper/daemon/isolation/uid-allocator'
import { Api } from '../../e2e/testing/api.ts'
import { root } from '../../tools/commands.ts'
import { currentRelease } from '../build/release.ts'
import { run } from '../build/run.ts'
import { testCompose } from './compose.ts'
import { DockerEngine } from './docker-engine.ts'
import type { Documentation } from './documentation.ts'
import { GameServer } from './game-server.ts'
import { built, newVersion } from './packages.ts'
import type { Steps } from './steps.ts'
import { setupCodeIn } from './tarball.ts'
import { waitUntil } from './wait-until.ts'

const baseImage = 'innkeeper-test-base'
const [panelPort, panelSftpPort, nodePort, sftpPort] = [8090, 8091, 5690, 5691]
const url = `http://127.0.0.1:${panelPort}`

/** Builds the container image with the documented command, and runs a panel and a node from it. */
export async function testContainer(steps: Steps, folder: string, docs: Documentation): Promise<void> {
  await using engine = await steps.step('container: a Docker Engine starts', () =>
    DockerEngine.start(join(folder, 'docker')),
  )
  const image = `innkeeper:${currentRelease().version}`
  const shell = { run: (code: string) => run(['sh', '-c', code], { env: engine.environment }) }
  const local = { 'docker build': `docker build --quiet --network none --build-arg BASE_IMAGE=${baseImage}` }

  await steps.step('container: the image is built from the tarball', () => {
    engine.docker(['import', built.rootFileSystem(folder), baseImage])
    docs.install.run('In containers', { ...local, ' dist': ` ${built.current(folder)}` }, shell)
    equal(engine.docker(['run', '--rm', '--network', 'none', image, 'version']).trim(), currentRelease().version)
  })

  await steps.step(
    'container: a panel without root is healthy, and not healthy any more when it does not respond',
    async () => {
      const settings = {
        INNKEEPER_ROLE: 'panel',
        INNKEEPER_PORT: String(panelPort),
        INNKEEPER_SFTP_PORT: String(panelSftpPort),
        INNKEEPER_MASTER_URL: url,
      }
      engine.docker(['run', '--detach', '--name', 'panel', '--init', ...hostNetwork, ...variables(settings), image])
      await engine.waitUntilHealthy('panel')
      match(engine.docker(['exec', 'panel', 'id', '--user', '--name']), /^innkeeper$/m)

      const wrongPort = ['exec', '--env', 'INNKEEPER_PORT=1', 'panel', 'innkeeper', 'health']
      equal(spawnSync('docker', wrongPort, { env: { ...process.env, ...engine.environment } }).status, 1)
    },
  )

  const admin = await steps.step('container: the log shows the setup code', async () => {
    const code = () => setupCodeIn(engine.docker(['logs', 'panel']))
    return await Api.setUp(url, await waitUntil('the log shows the setup code', code))
  })

  await steps.step('container: a node joins, and runs a server that is isolated', async () => {
    const address = { publicHost: '127.0.0.1', privateHost: '127.0.0.1', publicPort: nodePort, privatePort: nodePort }
    const { id } = (await admin.post('/api/nodes', { name: 'In a container', ...address, sftpPort })) as Node
    const { config } = (await admin.get(`/api/nodes/${id}/deployment`)) as { config: string }
    const file = join(folder, 'node.json')
    writeFileSync(file, config, { mode: 0o600 })
    const mount = ['--volume', `${file}:/etc/innkeeper/config.json:ro`]
    engine.docker(['run', '--detach', '--name', 'node', '--init', ...hostNetwork, ...nodeOptions(), ...mount, image])
    await engine.waitUntilHealthy('node')
    await waitUntil('the node is online', async () => {
      const nodes = (await admin.get('/api/nodes')) as Node[]
      return nodes.some((node) => node.id === id && node.health?.state === 'online')
    })

    const server = await GameServer.install(admin, 'In a container', 'tty', id)
    await server.start()
    await server.sendAndExpectEcho('hello')

    const processes = engine.docker(['top', 'node', '-eo', 'pid,uid,args']).matchAll(/^\s*\d+\s+(\d+)\s.*sh game\.sh/gm)
    ok(
      [...processes].some(([, uid]) => Number(uid) >= defaultUidRange.first),
      'the server has its own user',
    )
  })

  await steps.step('container: stopping it stops the servers in order', () => {
    engine.docker(['stop', '--time', '60', 'node'])
    equal(engine.docker(['inspect', '--format', '{{.State.ExitCode}}', 'node']).trim(), '0')
  })

  const buildNew = () => {
    docs.upgrade.run('Containers', { ...local, '0.1.0': newVersion, ' dist': ` ${built.new(folder)}` }, shell)
  }
  await testCompose(steps, folder, engine, docs, { baseImage, buildNew })
}

const hostNetwork = ['--network', 'host']

function variables(settings: Readonly<Record<string, string>>): string[] {
  return Object.entries(settings).flatMap(([name, value]) => ['--env', `${name}=${value}`])
}

/** The user and the privileges of the service `node` in the compose file. */
function nodeOptions(): string[] {
  const compose = readFileSync(join(root, 'packaging/container/compose.yaml'), 'utf8')
  const node = /^ {2}node:\n(.*?)(?=^\S)/ms.exec(compose)?.[1] ?? ''
  const user = /^ {4}user: (\S+)$/m.exec(node)?.[1] ?? ''
  const readList = (key: string) => /\[(.*)\]/.exec(RegExp(`^ {4}${key}: .*$`, 'm').exec(node)?.[0] ?? '')?.[1] ?? ''
  return ['--user', user, '--cap-add', readList('cap_add'), '--security-opt', readList('security_opt')]
}
