import { access, chown, mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { putData, putDefinition } from '@innkeeper/contract/definitions/server-definition'
import { panelEndpoints } from '@innkeeper/contract/node-link/panel-to-node'
import {
  getStats,
  installServer,
  killServer,
  sendCommand,
  startServer,
  stopServer,
} from '@innkeeper/contract/servers/node-servers'
import { expect, vi } from 'vitest'
import { tarBytes } from '../../testing/archive-bytes.ts'
import {
  contained,
  id,
  params,
  readContainers,
  readState,
  slowWait,
  started,
  talker,
  wait,
} from '../../testing/containers.ts'
import { TestEngine, testImage } from '../../testing/engine.ts'
import { testWithEngine } from '../../testing/engine-test.ts'
import { freePort } from '../../testing/target-servers.ts'
import { startWebHost } from '../../testing/web-host.ts'

const test = testWithEngine(() => TestEngine.create())

test('a server in a container prints, reads, is measured and keeps its files in its directory', async ({
  engine,
  startNode,
}) => {
  await using node = await startNode()
  const { client } = node
  const maps = join(engine.folder, 'maps')
  await mkdir(maps, { recursive: true })
  await writeFile(join(maps, 'castle'), 'a drawbridge\n')
  const more = {
    run: { environmentVars: { GREETING: 'hello ${who}', ROOT: '${rootDir}' }, workingDirectory: 'world' },
    data: { who: { value: 'you' } },
    environment: { bindings: { [maps]: '/srv/maps' } },
  }
  const script = `pwd; echo "$HOME $ROOT $GREETING"; cat /srv/maps/castle; echo made > made; printf "name? "; ${talker}`
  await client.create(id, ...contained(script, more))
  const world = join(node.dataDir, 'servers', id, 'world')
  await mkdir(world)
  const { uid, gid } = await stat(join(world, '..'))
  await chown(world, uid, gid)
  const watcher = await client.watch(id)

  await client.send(startServer, { params, query: wait })
  await watcher.untilText('name? ready')
  await client.send(sendCommand, { params, body: 'there' })
  await watcher.untilText('heard: there')

  expect(watcher.text).toContain('/pufferpanel/world\r\n/pufferpanel /pufferpanel hello you\r\na drawbridge\r\n')
  expect(await readFile(join(node.dataDir, 'servers', id, 'world/made'), 'utf8')).toBe('made\n')
  await vi.waitFor(async () => {
    const { body } = await client.send(getStats, { params })
    expect(body.memory).toBeGreaterThan(10_000)
  }, slowWait)
  expect(await readState(node)).toBe('online')
  await client.send(stopServer, { params, query: wait })
  await watcher.untilText('Server exited with code 3')
  await vi.waitFor(async () => expect(await readContainers(node, engine)).toEqual([]), slowWait)
})

test('a container has minimal privileges, is limited, and named after its server', async ({ engine, startNode }) => {
  await using node = await startNode()
  const limits = { memory: 64, cpu: 150, processes: 20, disk: 100 }
  const watcher = await started(node, `grep -E "^(Uid|Cap|NoNewPrivs)" /proc/1/status; ${talker}`, {
    environment: { limits },
  })

  const [found] = await readContainers(node, engine)
  const { Name, Config, HostConfig } = await engine.docker.getContainer(found?.Id ?? '').inspect()

  expect([Name, Config.Labels['innkeeper.server']]).toEqual([`/innkeeper-${id}`, id])
  expect(HostConfig).toMatchObject({
    Memory: 64 * 1024 ** 2,
    MemorySwap: 64 * 1024 ** 2,
    NanoCpus: 1_500_000_000,
    PidsLimit: 20,
    CapDrop: ['ALL'],
    SecurityOpt: ['no-new-privileges'],
    Privileged: false,
    AutoRemove: false,
    NetworkMode: 'host',
  })
  await watcher.untilText('ready')
  expect(watcher.text).toMatch(/CapEff:\s+0000000000000000/)
  expect(watcher.text).toMatch(/CapBnd:\s+0000000000000000/)
  expect(watcher.text).toMatch(/NoNewPrivs:\s+1/)
  const { uid } = await stat(join(node.dataDir, 'servers', id))
  expect([uid > 0, watcher.text.match(/Uid:\s+(\d+)/)?.[1]]).toEqual([true, String(uid)])
  expect(watcher.text).toContain("This node does not enforce the server's limit of disk")
})

test("a port binding publishes the container's port on the node", async ({ engine, startNode }) => {
  await using node = await startNode()
  await using network = await readNetwork(engine, 'innkeeper-ports')
  const port = await freePort()
  const watcher = await started(node, 'echo ready; while true; do nc -l -p 7777 -e echo "from inside"; done', {
    environment: {
      networkMode: 'bridge',
      networkName: network.name,
      portBindings: ['127.0.0.1:${port}:7777/tcp'],
    },
    data: { port: { value: String(port), userEdit: true } },
  })
  await watcher.untilText('ready')

  await vi.waitFor(async () => expect(await readAnswer(port)).toBe('from inside\n'), slowWait)
  await node.client.send(killServer, { params, query: wait })
  await vi.waitFor(async () => expect(await readContainers(node, engine)).toEqual([]), slowWait)
})

test('the address of a server can be an IPv6 address, and a value that is none is refused with its variable', async ({
  engine,
  startNode,
}) => {
  await using node = await startNode()
  await using network = await readNetwork(engine, 'innkeeper-ipv6')
  const port = await freePort()
  const environment = {
    networkMode: 'bridge',
    networkName: network.name,
    portBindings: ['${ip}:${port}:7777/tcp'],
  }
  const script = 'echo ready; while true; do nc -l -p 7777 -e echo "from inside"; done'
  const data = { ip: { value: '::1' }, port: { value: port } }
  const watcher = await started(node, script, { environment, data })
  await watcher.untilText('ready')

  await vi.waitFor(async () => expect(await readAnswer(port, '::1')).toBe('from inside\n'), slowWait)
  const { body } = await node.client.send(putData, { params, body: { data: { ip: { value: '[::1]' } } } })

  expect(body.error).toMatchObject({ code: 'ErrFieldInvalid', metadata: { field: 'ip' } })
  await node.client.send(killServer, { params, query: wait })
  await vi.waitFor(async () => expect(await readContainers(node, engine)).toEqual([]), slowWait)
})

test('a stop can be a signal, and an exit is reported with its code', async ({ startNode }) => {
  await using node = await startNode()
  const watcher = await started(node, talker, { run: { stopCode: 15 } })
  await watcher.untilText('ready')

  await node.client.send(stopServer, { params, query: wait })

  await watcher.untilText('Server exited with code 5')
})

test('kill ends everything in a container, also what ignores signals', async ({ engine, startNode }) => {
  await using node = await startNode()
  const script =
    'trap "" TERM; (trap "" TERM; sleep 1000) & setsid sleep 1000 & echo ready; while :; do sleep 1000; done'
  const watcher = await started(node, script)
  await watcher.untilText('ready')
  const [found] = await readContainers(node, engine)
  const inside = await engine.docker.getContainer(found?.Id ?? '').top()
  const pids: string[] = inside.Processes.map(([, pid]: string[]) => pid)
  expect(pids.length).toBeGreaterThan(3)

  await node.client.send(killServer, { params, query: wait })

  await watcher.untilText('Server was ended by signal SIGKILL')
  for (const pid of pids) await expect(access(`/proc/${pid}/cmdline`)).rejects.toThrow('ENOENT')
})

test('a server that exceeds its memory limit is killed, and the console says so', async ({ startNode }) => {
  await using node = await startNode()
  const hog = 'echo begin; a=$(head -c 200000000 /dev/zero | tr "\\0" a); echo survived'
  const watcher = await started(node, hog, { environment: { limits: { memory: 24 } } })

  await watcher.untilText('more memory than it may')

  expect(watcher.text).toContain('begin')
  expect(watcher.text).not.toContain('survived')
})

test('install steps run in the container, in the directory of the server', async ({ engine, startNode }) => {
  await using node = await startNode()
  const commands = ['sh -c "pwd; echo $HOME; busybox | head -n 1; echo here > file"']
  await node.client.create(id, ...contained(talker, { install: [{ type: 'command', commands }] }))
  const watcher = await node.client.watch(id)

  await node.client.send(installServer, { params, query: wait })

  await watcher.untilText('Server installed')
  expect(watcher.text).toMatch(/\/pufferpanel\r\n\/pufferpanel\r\nBusyBox/)
  expect(await readFile(join(node.dataDir, 'servers', id, 'file'), 'utf8')).toBe('here\n')
  await vi.waitFor(async () => expect(await readContainers(node, engine)).toEqual([]), slowWait)
})

test('two servers with the same image run side by side', async ({ startNode }) => {
  await using node = await startNode()
  const ids = ['0b0b0b0b', '0c0c0c0c']
  for (const one of ids)
    await node.client.create(
      one,
      ...contained(`echo "I am $SELF"; ${talker}`, { run: { environmentVars: { SELF: one } } }),
    )
  const watchers = await Promise.all(ids.map((one) => node.client.watch(one)))

  await Promise.all(ids.map((one) => node.client.send(startServer, { params: { id: one }, query: wait })))

  await Promise.all(watchers.map((watcher, at) => watcher.untilText(`I am ${ids[at]}\r\nready`)))
  await Promise.all(ids.map((one) => node.client.send(stopServer, { params: { id: one }, query: wait })))
})

test('an image that is not available is reported, and nothing is started', async ({ startNode }) => {
  await using node = await startNode()
  await node.client.create(id, ...contained(talker, { environment: { image: 'nowhere.invalid/none' } }))
  const watcher = await node.client.watch(id)

  const { body } = await node.client.send(startServer, { params, query: wait })

  expect(body.error).toMatchObject({ code: 'ErrImageUnavailable', metadata: { image: 'nowhere.invalid/none:latest' } })
  await watcher.untilText('Downloading image for container, please wait: nowhere.invalid/none:latest')
  await watcher.until('the reason', ({ text }) => /cannot be pulled: .*(no such host|lookup|dial)/.test(text))
  expect(await readState(node)).toBe('offline')
})

test('a program that the image does not have is reported on the console, and leaves no container', async ({
  engine,
  startNode,
}) => {
  await using node = await startNode()
  await node.client.create(id, { command: 'no-such-program' }, { environment: { type: 'docker', image: testImage } })

  const watcher = await node.client.watch(id)
  await node.client.send(startServer, { params, query: wait })

  await watcher.untilText('exec no-such-program failed: No such file or directory')
  await watcher.untilText('Server exited with code 127')
  await vi.waitFor(async () => expect(await readContainers(node, engine)).toEqual([]), slowWait)
})

test('a leftover container of that name is removed; one of another program stays and is named', async ({
  engine,
  startNode,
}) => {
  await using node = await startNode()
  const name = `innkeeper-${id}`
  const left = (labels: Record<string, string>) =>
    engine.docker.createContainer({ name, Image: testImage, Cmd: ['true'], Labels: labels })
  await left({ 'innkeeper.data': node.dataDir })
  const watcher = await started(node, talker)
  await watcher.untilText('ready')
  await node.client.send(stopServer, { params, query: wait })
  await vi.waitFor(async () => expect(await readContainers(node, engine)).toEqual([]), slowWait)

  const theirs = await left({})
  const { body } = await node.client.send(startServer, { params, query: wait })

  expect(body.error).toMatchObject({ code: 'ErrContainerFailed', metadata: { reason: expect.stringContaining(name) } })
  expect((await theirs.inspect()).Name).toBe(`/${name}`)
  await theirs.remove()
})

test('a node without an engine reports no feature, refuses new servers, and nothing hangs', async ({
  engine,
  startNode,
}) => {
  await using node = await startNode({ dockerSocket: join(engine.folder, 'nobody.sock') })

  const { body: features } = await node.client.asPanel('GET', panelEndpoints.getFeatures.path)
  const [run, more] = contained(talker)
  const { body } = await node.client.asPanel('PUT', `/daemon/server/${id}`, { type: 'x', run, ...more })

  expect(features).toMatchObject({ features: [], environments: ['standard', 'tty'] })
  expect(body.error.code).toBe('ErrDockerNotSupported')
})

test('a server without engine does not start, and its console shows what to do', async ({ engine, startNode }) => {
  const nobody = join(engine.folder, 'nobody.sock')
  await using node = await startNode({ dockerSocket: nobody })
  const { client } = node
  await client.create(id, 'cat')
  const [run, more] = contained(talker)
  await client.send(putDefinition, { params, body: { type: 'x', run, ...more } })
  const watcher = await client.watch(id)

  const { body } = await client.send(startServer, { params, query: wait })

  expect(body.error.code).toBe('ErrDockerNotSupported')
  await watcher.untilText(`Docker Engine does not respond at ${nobody}. Install or start it on this node`)
  expect(await readState(node)).toBe('offline')
})

test('a node with an engine has the feature', async ({ startNode }) => {
  await using node = await startNode()

  const { body } = await node.client.asPanel('GET', panelEndpoints.getFeatures.path)

  expect(body).toMatchObject({ features: ['docker'], environments: ['standard', 'tty', 'docker'] })
})

async function readNetwork(engine: TestEngine, name: string) {
  const network = await engine.docker.createNetwork({ Name: name, Driver: 'bridge' })
  return { name, [Symbol.asyncDispose]: async () => void (await network.remove({ force: true })) }
}

async function readAnswer(port: number, host = '127.0.0.1'): Promise<string> {
  const socket = connect(port, host)
  let text = ''
  for await (const chunk of socket) text += String(chunk)
  return text
}

test('a server in a container can use the installed runtimes, and cannot write to them', async ({ startNode }) => {
  await using host = await startWebHost()
  await using node = await startNode({ downloads: { mirrors: { adoptium: host.url('/').href } } })
  const java = { name: 'jdk/bin/java', mode: 0o755, data: '#!/bin/sh\necho "java says $1"\n' }
  const link = host.url('/jdk.tar.gz').href
  host.give('/jdk.tar.gz', gzipSync(tarBytes([java, { ...java, name: 'jdk/bin/javac' }])))
  host.give('/v3/assets/feature_releases/21/ga', [{ release_name: 'jdk-21', binaries: [{ package: { link } }] }])
  const script = `java21 hello; echo x >> "$(command -v java21)" || echo "not written"; ${talker}`
  await node.client.create(id, ...contained(script, { install: [{ type: 'javadl', version: 21 }] }))
  const watcher = await node.client.watch(id)

  await node.client.send(installServer, { params, query: wait })
  await node.client.send(startServer, { params, query: wait })

  await watcher.untilText('java says hello')
  await watcher.untilText('not written')
})
