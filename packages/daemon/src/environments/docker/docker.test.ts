import { access, mkdir, readFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import {
  forPanel,
  getStats,
  getStatus,
  installServer,
  killServer,
  sendCommand,
  startServer,
  stopServer,
} from '@innkeeper/contract/node-servers'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { TestNode, type Watcher } from '../../testing/daemon.ts'
import { TestEngine, testImage } from '../../testing/engine.ts'

const id = '0a0a0a0a'
const params = { id }
const wait = { wait: true }
const patience = { timeout: 15_000, interval: 50 }

let engine: TestEngine
beforeAll(async () => {
  engine = await TestEngine.create()
})
afterAll(async () => {
  await engine[Symbol.asyncDispose]()
})

afterEach(async () => {
  const containers = await engine.docker.listContainers({ all: true })
  // The node may be at it as well.
  await Promise.allSettled(containers.map(({ Id }) => engine.docker.getContainer(Id).remove({ force: true })))
})

/** A shell that answers each line; it ends with code 3 for `stop`, and for SIGTERM with code 5. */
const talker =
  'trap "exit 5" TERM; echo ready; while read line; do case $line in stop) exit 3;; *) echo "heard: $line";; esac; done'

interface More {
  readonly run?: { readonly environmentVars?: object; readonly [field: string]: unknown }
  readonly environment?: object
  readonly data?: object
  readonly install?: object
}

/** A server that runs a shell script in a container; the console does not show the script. */
function contained(script: string, { run, environment, ...rest }: More = {}) {
  const { environmentVars, ...others } = run ?? {}
  const command = 'sh -c "eval \\"$SCRIPT\\""'
  return [
    { command, stop: 'stop', environmentVars: { SCRIPT: script, ...environmentVars }, ...others },
    { environment: { type: 'docker', image: testImage, ...environment }, ...rest },
  ] as const
}

const startNode = (options: { apart?: boolean; dockerSocket?: string } = {}) =>
  TestNode.start({ dockerSocket: engine.socketPath, ...options })

async function started(node: TestNode, ...[script, more]: Parameters<typeof contained>): Promise<Watcher> {
  await node.client.create(id, ...contained(script, more))
  const watcher = await node.client.watch(id)
  const { body } = await node.client.send(startServer, { params, query: wait })
  if (body?.error) throw new Error(`${JSON.stringify(body)}: ${watcher.text}`)
  return watcher
}

async function watchAgain(node: TestNode): Promise<Watcher> {
  const watcher = await node.client.watch(id)
  watcher.send({ type: 'replay' })
  return watcher
}

async function containersOf(node: TestNode, where = engine) {
  return await where.docker.listContainers({ all: true, filters: { label: [`innkeeper.data=${node.dataDir}`] } })
}

const stateOf = async (node: TestNode) => (await node.client.send(getStatus, { params })).body.state

test('a server in a container prints, reads, is measured and leaves its files in its folder', async () => {
  await using node = await startNode()
  const { client } = node
  const more = {
    run: { environmentVars: { GREETING: 'hello ${who}', ROOT: '${rootDir}' }, workingDirectory: 'world' },
    data: { who: { value: 'you' } },
  }
  const script = `pwd; echo "$HOME $ROOT $GREETING"; echo made > made; printf "name? "; ${talker}`
  await client.create(id, ...contained(script, more))
  await mkdir(join(node.dataDir, 'servers', id, 'world'))
  const watcher = await client.watch(id)

  await client.send(startServer, { params, query: wait })
  await watcher.untilText('name? ready')
  await client.send(sendCommand, { params, body: 'there' })
  await watcher.untilText('heard: there')

  expect(watcher.text).toContain('/pufferpanel/world\r\n/pufferpanel /pufferpanel hello you\r\n')
  expect(await readFile(join(node.dataDir, 'servers', id, 'world/made'), 'utf8')).toBe('made\n')
  await vi.waitFor(async () => {
    const { body } = await client.send(getStats, { params })
    expect(body.memory).toBeGreaterThan(10_000)
  }, patience)
  expect(await stateOf(node)).toBe('online')
  await client.send(stopServer, { params, query: wait })
  await watcher.untilText('Server exited with code 3')
  await vi.waitFor(async () => expect(await containersOf(node)).toEqual([]), patience)
})

test('a container may do little beside its work, is held to its limits, and is named by its server', async () => {
  await using node = await startNode()
  const limits = { memory: 64, cpu: 150, processes: 20 }
  await started(node, `grep -E "^(Cap|NoNewPrivs|Seccomp:)" /proc/1/status; ${talker}`, { environment: { limits } })

  const [found] = await containersOf(node)
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
  const { text } = await watchAgain(node).then(async (watcher) => {
    await watcher.untilText('ready')
    return watcher
  })
  expect(text).toMatch(/CapEff:\s+0000000000000000/)
  expect(text).toMatch(/CapBnd:\s+0000000000000000/)
  expect(text).toMatch(/NoNewPrivs:\s+1/)
})

test('a port of the node leads to the port in the container that a binding names', async () => {
  await using node = await startNode()
  await using network = await networkOf('innkeeper-ports')
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

  await vi.waitFor(async () => expect(await answerOf(port)).toBe('from inside\n'), patience)
  await node.client.send(killServer, { params, query: wait })
  await vi.waitFor(async () => expect(await containersOf(node)).toEqual([]), patience)
})

test('a stop can be a signal, and an end by itself is told with its code', async () => {
  await using node = await startNode()
  const watcher = await started(node, talker, { run: { stopCode: 15 } })
  await watcher.untilText('ready')

  await node.client.send(stopServer, { params, query: wait })

  await watcher.untilText('Server exited with code 5')
})

test('kill ends everything in a container, also what does not listen', async () => {
  await using node = await startNode()
  const script =
    'trap "" TERM; (trap "" TERM; sleep 1000) & setsid sleep 1000 & echo ready; while :; do sleep 1000; done'
  const watcher = await started(node, script)
  await watcher.untilText('ready')
  const [found] = await containersOf(node)
  const inside = await engine.docker.getContainer(found?.Id ?? '').top()
  const pids: string[] = inside.Processes.map(([, pid]: string[]) => pid)
  expect(pids.length).toBeGreaterThan(3)

  await node.client.send(killServer, { params, query: wait })

  await watcher.untilText('Server was ended by signal SIGKILL')
  for (const pid of pids) await expect(access(`/proc/${pid}/cmdline`)).rejects.toThrow('ENOENT')
})

test('a server that wants more memory than it may have is ended, and that is said', async () => {
  await using node = await startNode()
  const hog = 'echo begin; a=$(head -c 200000000 /dev/zero | tr "\\0" a); echo survived'
  const watcher = await started(node, hog, { environment: { limits: { memory: 24 } } })

  await watcher.untilText('more memory than it may')

  expect(watcher.text).toContain('begin')
  expect(watcher.text).not.toContain('survived')
})

test('install steps run in the container, in the folder of the server', async () => {
  await using node = await startNode()
  const commands = ['sh -c "pwd; echo $HOME; busybox | head -n 1; echo here > file"']
  await node.client.create(id, ...contained(talker, { install: [{ type: 'command', commands }] }))
  const watcher = await node.client.watch(id)

  await node.client.send(installServer, { params, query: wait })

  await watcher.untilText('Server installed')
  expect(watcher.text).toMatch(/\/pufferpanel\r\n\/pufferpanel\r\nBusyBox/)
  expect(await readFile(join(node.dataDir, 'servers', id, 'file'), 'utf8')).toBe('here\n')
  await vi.waitFor(async () => expect(await containersOf(node)).toEqual([]), patience)
})

test('two servers of one image run beside each other', async () => {
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

test('kill -9 of the daemon, twice, while a container counts: no number is missing or doubled', {
  timeout: 60_000,
}, async () => {
  await using node = await startNode({ apart: true })
  const padding = 'padding '.repeat(10)
  const counter = `i=0; while :; do i=$((i+1)); echo $i ${padding}; [ $((i % 20)) = 0 ] && usleep 1000; done`
  const watcher = await started(node, counter)
  await watcher.until('many numbers', ({ text }) => /\n3000 /.test(text))

  for (let kill = 1; kill <= 2; kill++) {
    await node.kill()
    await node.start()
    expect(await stateOf(node)).toBe('online')
    const again = await watchAgain(node)
    const last = () => Number(again.text.trimEnd().split('\n').at(-2)?.split(' ')[0])
    await again.until('numbers', () => last() > 0)
    const seen = last()
    await again.until('more numbers', () => last() > seen + 8_000)
    again.socket.terminate()
  }
  await node.client.send(killServer, { params, query: wait })

  const text = await wholeConsole(node)
  const numbers = text
    .split('\n')
    .flatMap((line) => /^(\d+) padding/.exec(line)?.[1] ?? [])
    .map(Number)
  expect(numbers.length).toBeGreaterThan(16_000)
  expect(numbers.findIndex((number, at) => number !== at + 1)).toBe(-1)
  expect(text.match(/the server ran on/g)).toHaveLength(2)
})

test('after kill -9 an unfinished line is finished, and the container is typed into, measured and stopped', async () => {
  await using node = await startNode({ apart: true })
  const watcher = await started(node, `printf "Do you agree? "; read answer; echo "You said $answer."; ${talker}`)
  await watcher.untilText('Do you agree? ')

  await node.kill()
  await node.start()
  const again = await watchAgain(node)
  await node.client.send(sendCommand, { params, body: 'yes' })
  await again.untilText('ready')

  expect(again.text).toContain('You said yes.\r\nready')
  expect(again.text.match(/Do you agree/g)).toHaveLength(1)
  await vi.waitFor(
    async () => expect((await node.client.send(getStats, { params })).body.memory).toBeGreaterThan(0),
    patience,
  )
  await node.client.send(stopServer, { params, query: wait })
  await again.untilText('Server exited with code 3')
})

test('a server whose container ended while the daemon was away is known to have ended, and how', async () => {
  await using node = await startNode({ apart: true })
  const watcher = await started(node, talker, { run: { autorecover: true } })
  await watcher.untilText('ready')
  const [found] = await containersOf(node)

  await node.kill()
  const container = engine.docker.getContainer(found?.Id ?? '')
  await container.kill({ signal: 'TERM' })
  await container.wait()
  await node.start()

  const again = await watchAgain(node)
  await again.untilText('Server exited with code 5')
  await again.until('a second start', ({ text }) => text.match(/\nready/g)?.length === 2)
})

test('an engine that is restarted ends its servers: that is said, and they are started again', {
  timeout: 40_000,
}, async () => {
  await using node = await startNode()
  const watcher = await started(node, talker, { run: { autorecover: true } })
  await watcher.untilText('ready')

  await engine.stop()
  await watcher.untilText('The Docker Engine does not answer')
  await engine.start()

  await watcher.untilText('The Docker Engine was restarted and the server ended with it')
  await watcher.until('a second start', ({ text }) => text.match(/\nready/g)?.length === 2)
  expect(await stateOf(node)).toBe('online')
  const [found] = await containersOf(node)
  expect(found?.State).toBe('running')
})

test('an image that cannot be had is told, and nothing is started', async () => {
  await using node = await startNode()
  await node.client.create(id, ...contained(talker, { environment: { image: 'nowhere.invalid/none' } }))
  const watcher = await node.client.watch(id)

  const { body } = await node.client.send(startServer, { params, query: wait })

  expect(body.error).toMatchObject({ code: 'ErrImageUnavailable', metadata: { image: 'nowhere.invalid/none:latest' } })
  await watcher.untilText('Downloading image for container, please wait: nowhere.invalid/none:latest')
  await watcher.until('the reason', ({ text }) => /cannot be had: .*(no such host|lookup|dial)/.test(text))
  expect(await stateOf(node)).toBe('offline')
})

test('a program that the image does not have is told on the console, and leaves no container', async () => {
  await using node = await startNode()
  await node.client.create(id, { command: 'no-such-program' }, { environment: { type: 'docker', image: testImage } })

  const watcher = await node.client.watch(id)
  await node.client.send(startServer, { params, query: wait })

  await watcher.untilText('exec no-such-program failed: No such file or directory')
  await watcher.untilText('Server exited with code 127')
  await vi.waitFor(async () => expect(await containersOf(node)).toEqual([]), patience)
})

test('what an earlier run left under the name makes way; what is somebody else’s stays and is named', async () => {
  await using node = await startNode()
  const name = `innkeeper-${id}`
  const left = (labels: Record<string, string>) =>
    engine.docker.createContainer({ name, Image: testImage, Cmd: ['true'], Labels: labels })
  await left({ 'innkeeper.data': node.dataDir })
  const watcher = await started(node, talker)
  await watcher.untilText('ready')
  await node.client.send(stopServer, { params, query: wait })
  await vi.waitFor(async () => expect(await containersOf(node)).toEqual([]), patience)

  const theirs = await left({})
  const { body } = await node.client.send(startServer, { params, query: wait })

  expect(body.error).toMatchObject({ code: 'ErrContainerFailed', metadata: { reason: expect.stringContaining(name) } })
  expect((await theirs.inspect()).Name).toBe(`/${name}`)
  await theirs.remove()
})

test('a node without an engine says so: no feature, no new server, nothing hangs', async () => {
  await using node = await startNode({ dockerSocket: join(engine.folder, 'nobody.sock') })

  const { body: features } = await node.client.asPanel('GET', forPanel.features.path)
  const [run, more] = contained(talker)
  const { body } = await node.client.asPanel('PUT', `/daemon/server/${id}`, { type: 'x', run, ...more })

  expect(features).toMatchObject({ features: [], environments: ['standard', 'tty'] })
  expect(body.error.code).toBe('ErrDockerNotSupported')
})

test('a node with an engine has the feature', async () => {
  await using node = await startNode()

  const { body } = await node.client.asPanel('GET', forPanel.features.path)

  expect(body).toMatchObject({ features: ['docker'], environments: ['standard', 'tty', 'docker'] })
})

test('an engine that hangs keeps nobody: a server is killed without it, a start is given up by a kill', {
  timeout: 40_000,
}, async () => {
  await using node = await startNode()
  const watcher = await started(node, talker)
  await watcher.untilText('ready')

  engine.signal('SIGSTOP')
  try {
    await node.client.send(killServer, { params, query: wait })
    expect(await stateOf(node)).toBe('offline')
    const starting = node.client.send(startServer, { params, query: wait })
    await watcher.untilText('The Docker Engine does not answer, waiting for it')
    await node.client.send(killServer, { params, query: wait })
    expect((await starting).body.error.code).toBeDefined()
  } finally {
    engine.signal('SIGCONT')
  }
  await vi.waitFor(async () => expect(await containersOf(node)).toEqual([]), patience)
})

test('with live-restore a server outlives its engine; a daemon that came up without it takes the server up later', {
  timeout: 60_000,
}, async () => {
  await using lasting = await TestEngine.create({ liveRestore: true })
  await using node = await startNode({ apart: true, dockerSocket: lasting.socketPath })
  const watcher = await started(node, talker)
  await watcher.untilText('ready')

  await lasting.stop()
  await watcher.untilText('The Docker Engine does not answer')
  await lasting.start()
  await watcher.untilText('The Docker Engine answers again, the server ran on')
  await node.client.send(sendCommand, { params, body: 'one' })
  await watcher.untilText('heard: one')

  await lasting.stop()
  await node.kill()
  await node.start()
  const again = await watchAgain(node)
  await again.untilText('whether this server runs is not known')
  expect(await stateOf(node)).toBe('offline')
  await lasting.start()
  await vi.waitFor(async () => expect(await stateOf(node)).toBe('online'), patience)
  await node.client.send(sendCommand, { params, body: 'two' })
  await again.untilText('heard: two')
  expect(again.text.match(/heard: one/g)).toHaveLength(1)
  await node.client.send(stopServer, { params, query: wait })
})

async function wholeConsole(node: TestNode): Promise<string> {
  const pieces: string[] = []
  for (let before: number | undefined; ; ) {
    const query = before === undefined ? '' : `?before=${before}`
    const { body } = await node.client.ask('GET', `/daemon/server/${id}/console/history${query}`, {
      ticket: { server: id },
    })
    const [first] = body.logs
    if (!first) return pieces.join('')
    pieces.unshift(body.logs.map(({ text }: { text: string }) => text).join(''))
    before = first.from
  }
}

async function networkOf(name: string) {
  const network = await engine.docker.createNetwork({ Name: name, Driver: 'bridge' })
  return { name, [Symbol.asyncDispose]: async () => void (await network.remove({ force: true })) }
}

async function freePort(): Promise<number> {
  const { createServer } = await import('node:net')
  const listener = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => listener.once('listening', resolve))
  const bound = listener.address()
  await new Promise((resolve) => listener.close(resolve))
  return typeof bound === 'object' && bound !== null ? bound.port : 0
}

async function answerOf(port: number): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  let text = ''
  for await (const chunk of socket) text += String(chunk)
  return text
}
