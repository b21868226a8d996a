import {
  getStats,
  getStatus,
  killServer,
  sendCommand,
  startServer,
  stopServer,
} from '@innkeeper/contract/servers/node-servers'
import { expect, vi } from 'vitest'
import {
  id,
  params,
  readContainers,
  readState,
  slowWait,
  started,
  talker,
  wait,
  watchAgain,
} from '../../testing/containers.ts'
import type { TestNode } from '../../testing/daemon.ts'
import { TestEngine } from '../../testing/engine.ts'
import { testWithEngine } from '../../testing/engine-test.ts'

const test = testWithEngine(() => TestEngine.create())

test('kill -9 of the daemon, twice, while a container counts: no number is missing or doubled', {
  timeout: 60_000,
}, async ({ startNode }) => {
  await using node = await startNode({ apart: true })
  const padding = 'padding '.repeat(10)
  const counter = `i=0; while :; do i=$((i+1)); echo $i ${padding}; [ $((i % 20)) = 0 ] && usleep 1000; done`
  const watcher = await started(node, counter)
  let seen = 3_000
  await watcher.until('many numbers', ({ text }) => text.includes(`\n${seen} `))

  for (let kill = 1; kill <= 2; kill++) {
    await node.kill()
    await node.start()
    expect(await readState(node)).toBe('online')
    const again = await watchAgain(node)
    const last = () => Number(again.text.trimEnd().split('\n').at(-2)?.split(' ')[0])
    // The first numbers are from before.
    await again.until('more numbers', () => last() > seen + 8_000)
    seen = last()
    again.socket.terminate()
  }
  await node.client.send(killServer, { params, query: wait })

  const text = await wholeConsole(node)
  const numbers = text
    .split('\n')
    .flatMap((line) => /^(\d+) padding/.exec(line)?.[1] ?? [])
    .map(Number)
  expect(numbers.length).toBeGreaterThan(16_000)
  const wrong = numbers.findIndex((number, at) => number !== at + 1)
  expect(wrong < 0 ? [] : aroundLine(text, wrong)).toEqual([])
  expect(text.match(/the server continued to run/g)).toHaveLength(2)
})

test('after kill -9 a container is found in its state: in the middle of a line, or exited', {
  timeout: 40_000,
}, async ({ engine, startNode }) => {
  await using node = await startNode({ apart: true })
  const script = `printf "Do you agree? "; read answer; echo "You said $answer."; ${talker}`
  const watcher = await started(node, script, { run: { autorecover: true } })
  await watcher.untilText('Do you agree? ')

  await node.kill()
  await node.start()
  const again = await watchAgain(node)
  await node.client.send(sendCommand, { params, body: 'yes' })
  await again.untilText('ready')

  expect(again.text).toContain('You said yes.\r\nready')
  expect(again.text.match(/Do you agree/g)).toHaveLength(1)
  await vi.waitFor(async () => {
    expect((await node.client.send(getStats, { params })).body.memory).toBeGreaterThan(0)
  }, slowWait)

  const [found] = await readContainers(node, engine)
  await node.kill()
  const container = engine.docker.getContainer(found?.Id ?? '')
  await container.kill({ signal: 'TERM' })
  await container.wait()
  await node.start()

  const last = await watchAgain(node)
  await last.untilText('Server exited with code 5')
  await last.until('a second start', ({ text }) => text.match(/Do you agree/g)?.length === 2)
})

test('an engine restart ends its servers: this is printed, and they are started again', {
  timeout: 40_000,
}, async ({ engine, startNode }) => {
  await using node = await startNode()
  const watcher = await started(node, talker, { run: { autorecover: true } })
  await watcher.untilText('ready')

  await engine.stop()
  await watcher.untilText('Docker Engine')
  await engine.start()

  await watcher.untilText('Docker Engine was stopped and the server with it')
  await watcher.until('a second start', ({ text }) => text.match(/\nready/g)?.length === 2)
  expect(await readState(node)).toBe('online')
  const [found] = await readContainers(node, engine)
  expect(found?.State).toBe('running')
})

test('a hanging engine does not block actions: a server can be killed without it, a start is aborted by a kill', {
  timeout: 40_000,
}, async ({ engine, startNode }) => {
  await using node = await startNode()
  const watcher = await started(node, talker)
  await watcher.untilText('ready')

  engine.signal('SIGSTOP')
  try {
    await node.client.send(killServer, { params, query: wait })
    expect(await readState(node)).toBe('offline')
    const starting = node.client.send(startServer, { params, query: wait })
    await watcher.untilText('Docker Engine does not respond. Waiting for it')
    await node.client.send(killServer, { params, query: wait })
    expect((await starting).body.error.code).toBeDefined()
  } finally {
    engine.signal('SIGCONT')
  }
  await vi.waitFor(async () => expect(await readContainers(node, engine)).toEqual([]), slowWait)
})

test('with live-restore a server outlives its engine; a daemon that started without it reattaches later', {
  timeout: 60_000,
}, async ({ startNode }) => {
  await using lasting = await TestEngine.create({ liveRestore: true })
  await using node = await startNode({ apart: true, dockerSocket: lasting.socketPath })
  const watcher = await started(node, talker)
  await watcher.untilText('ready')

  await lasting.stop()
  await watcher.untilText('Docker Engine does not respond')
  await watcher.untilHeard('status', { running: true, state: 'online', isInDoubt: true })
  await lasting.start()
  await watcher.untilText('Docker Engine responds again, the server continued to run')
  expect(await doubtsIn(node)).toBeUndefined()
  await node.client.send(sendCommand, { params, body: 'one' })
  await watcher.untilText('heard: one')

  await lasting.stop()
  await node.kill()
  await node.start()
  const again = await watchAgain(node)
  await again.untilText('The state of this server is unknown')
  expect(await readState(node)).toBe('offline')
  expect(await doubtsIn(node)).toBe(true)
  await lasting.start()
  await vi.waitFor(async () => expect(await readState(node)).toBe('online'), slowWait)
  await node.client.send(sendCommand, { params, body: 'two' })
  await again.untilText('heard: two')
  expect(again.text.match(/heard: one/g)).toHaveLength(1)
  await node.client.send(stopServer, { params, query: wait })
})

const doubtsIn = async (node: TestNode) => (await node.client.send(getStatus, { params })).body.isInDoubt

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

/** The context of a counted line, for diagnosis. */
function aroundLine(text: string, count: number): string[] {
  const lines = text.split('\n')
  let seen = -1
  const at = lines.findIndex((line) => /^\d+ padding/.test(line) && ++seen === count)
  return lines.slice(Math.max(0, at - 3), at + 3)
}
