import { readFile } from 'node:fs/promises'
import {
  getConsole,
  getStats,
  getStatus,
  installServer,
  sendCommand,
  startServer,
  stopServer,
} from '@innkeeper/contract/servers/node-servers'
import { expect, test, vi } from 'vitest'
import { program, TestNode } from './testing/daemon.ts'

/** Generous for busy machines; every wait is for a state. */
const patience = { timeout: 10_000 }

const id = '0a0a0a0a'
const params = { id }
const wait = { wait: true }

test('kill -9 of the daemon, five times, while ten servers count 1,000 lines a second: no number is missing or doubled', {
  timeout: 90_000,
}, async () => {
  await using node = await TestNode.start({ apart: true })
  const { client } = node
  const ids = Array.from({ length: 10 }, (_, count) => `0000000${count}`)
  for (const one of ids) await client.create(one, program('count', 1000))
  await Promise.all(ids.map((one) => client.send(startServer, { params: { id: one }, query: wait })))
  const texts = new Map(ids.map((one) => [one, '']))
  const positions = new Map(ids.map((one) => [one, 0]))
  /** Fetches the output after the last position of each console, like a browser that reconnects. */
  const readUntil = async (until: (text: string) => boolean) => {
    await Promise.all(
      ids.map(async (one) => {
        const watcher = await client.watch(one)
        const from = positions.get(one) ?? 0
        watcher.send({ type: 'replay', from })
        await watcher.untilHeard('replay')
        const outputs = () =>
          watcher.received
            .slice(watcher.received.findIndex((message) => 'type' in message && message.type === 'replay'))
            .flatMap((message) => ('type' in message && message.type === 'console' ? [message.data] : []))
        const text = () =>
          (texts.get(one) ?? '') +
          outputs()
            .flatMap(({ logs }) => logs)
            .join('')
        await watcher.until(`more of ${one}`, () => until(text()))
        const [first] = outputs()
        if (first) expect(first.from).toBe(from)
        texts.set(one, text())
        positions.set(one, outputs().at(-1)?.to ?? from)
        watcher.socket.terminate()
      }),
    )
  }

  for (let kill = 1; kill <= 5; kill++) {
    await readUntil((text) => text.includes(`\n${kill * 700}\n`))
    await node.kill()
    const killed = performance.now()
    await node.start()
    const states = await Promise.all(
      ids.map(async (one) => (await client.send(getStatus, { params: { id: one } })).body),
    )
    expect(states.map(({ running }) => running)).toEqual(ids.map(() => true))
    expect(performance.now() - killed).toBeLessThan(10_000)
  }
  await Promise.all(ids.map((one) => client.send(sendCommand, { params: { id: one }, body: 'stop' })))
  await readUntil((text) => text.includes('Server exited with code 7'))

  for (const one of ids) {
    const lines = (texts.get(one) ?? '').split('\n')
    const numbers = lines.filter((line) => /^\d+$/.test(line)).map(Number)
    expect(numbers.length).toBeGreaterThan(3500)
    expect(numbers).toEqual(numbers.map((_, at) => at + 1))
    expect(lines.filter((line) => line.includes('Starting process'))).toHaveLength(1)
    expect(lines.filter((line) => line.includes('the server continued to run'))).toHaveLength(5)
  }
})

test('after kill -9 a server accepts input, is measured and stopped as before', async () => {
  await using node = await TestNode.start({ apart: true })
  const { client } = node
  await client.create(id, program('echo'))
  const first = await client.watch(id)
  await client.send(startServer, { params, query: wait })
  await first.untilText('ready')
  const before = (await client.send(getStatus, { params })).body

  await node.kill()
  await node.start()

  expect((await client.send(getStatus, { params })).body).toEqual(before)
  const watcher = await client.watch(id)
  await client.send(sendCommand, { params, body: 'still there' })
  await watcher.untilText('echo: still there\n')
  await vi.waitFor(
    async () => expect((await client.send(getStats, { params })).body.memory).toBeGreaterThan(1_000_000),
    { timeout: 10_000, interval: 100 },
  )
  expect((await client.send(startServer, { params, query: wait })).status).toBe(204)
  await client.send(stopServer, { params, query: wait })
  expect((await client.send(getConsole, { params })).body.logs.match(/Starting process/g)).toHaveLength(1)
})

test('a server that crashed while no daemon ran is started again', async () => {
  await using node = await TestNode.start({ apart: true })
  const { client } = node
  await client.create(id, { command: program('echo'), autorecover: true })
  const watcher = await client.watch(id)
  await client.send(startServer, { params, query: wait })
  await watcher.untilText('ready')
  const pid = await readProcess(node, id)

  await node.kill()
  process.kill(pid, 'SIGSEGV')
  await node.start()

  const again = await client.watch(id)
  again.send({ type: 'replay' })
  await again.until('a second process', ({ text }) => text.match(/Starting process/g)?.length === 2)
  await again.untilHeard('status', { state: 'online' })
  expect(again.text).toContain('Server was ended by signal SIGSEGV')
})

test('a requested stop is not a crash, although no daemon ran when the server exited', async () => {
  await using node = await TestNode.start({ apart: true })
  const { client } = node
  await client.create(id, { command: program('echo'), stop: 'later', autorecover: true, autorestart: true })
  const watcher = await client.watch(id)
  await client.send(startServer, { params, query: wait })
  await watcher.untilText('ready')
  await client.send(stopServer, { params })
  await watcher.untilText('echo: later')
  const pid = await readProcess(node, id)

  await node.kill()
  process.kill(pid, 'SIGKILL')
  await node.start()

  const again = await client.watch(id)
  again.send({ type: 'replay' })
  await again.untilText('Server was ended by signal SIGKILL')
  await vi.waitFor(async () => expect((await client.send(getStatus, { params })).body.state).toBe('offline'), patience)
})

test('an install that was interrupted by a restart of the daemon has ended, with its processes', async () => {
  await using node = await TestNode.start({ apart: true })
  const { client } = node
  await client.create(id, program('echo'), { install: [{ type: 'command', commands: [program('stubborn')] }] })
  const watcher = await client.watch(id)
  await client.send(installServer, { params })
  await watcher.untilText('ready')
  const pid = Number(/ready (\d+)/.exec(watcher.text)?.[1])

  await node.kill()
  await node.start()

  expect((await client.send(getStatus, { params })).body).toMatchObject({ state: 'offline', installing: false })
  expect((await client.send(getConsole, { params })).body.logs).toContain('The install was interrupted')
  await vi.waitFor(async () => expect(await isAlive(pid)).toBe(false), patience)
  expect((await client.send(startServer, { params, query: wait })).status).toBe(204)
})

test('a daemon that exits normally leaves servers running; autostart starts stopped ones', async () => {
  await using node = await TestNode.start()
  const { client } = node
  await client.create(id, program('echo'))
  await client.create('0b0b0b0b', { command: program('echo'), autostart: true })
  const watcher = await client.watch(id)
  await client.send(startServer, { params, query: wait })
  await watcher.untilText('ready')
  const closed = new Promise((resolve) => watcher.socket.on('close', resolve))

  await node.detach()
  expect(await closed).toBe(1001)
  await node.start()

  expect((await client.send(getStatus, { params })).body.running).toBe(true)
  await vi.waitFor(
    async () => expect((await client.send(getStatus, { params: { id: '0b0b0b0b' } })).body.state).toBe('online'),
    patience,
  )
  expect((await client.send(getConsole, { params })).body.logs.match(/Starting process/g)).toHaveLength(1)
})

test('a daemon that exits does not wait for waiting requests, and answers them', async () => {
  await using node = await TestNode.start()
  const { client } = node
  await client.create(id, { command: program('echo'), stop: 'later' })
  await client.send(startServer, { params, query: wait })
  const stop = client.send(stopServer, { params, query: wait })
  await vi.waitFor(async () => expect((await client.send(getStatus, { params })).body.state).toBe('stopping'), patience)

  await node.detach()

  expect((await stop).body.error.code).toBe('ErrServiceNotAvailable')
  await node.start()
  expect((await client.send(getStatus, { params })).body).toMatchObject({ state: 'stopping', running: true })
})

test('all servers are stopped when the node receives the request to stop them', async () => {
  await using node = await TestNode.start()
  const { client, daemon } = node
  const ids = ['0a0a0a0a', '0b0b0b0b', '0c0c0c0c']
  for (const one of ids) await client.create(one, { command: program('echo'), stop: 'stop', autorestart: true })
  await Promise.all(ids.map((one) => client.send(startServer, { params: { id: one }, query: wait })))

  await daemon.stopServers()

  for (const one of ids) {
    expect((await client.send(getStatus, { params: { id: one } })).body.state).toBe('offline')
    expect((await client.send(getConsole, { params: { id: one } })).body.logs).toContain('Server exited with code 0')
  }
})

test('a server that does not stop in its time is left running when the node receives the request to stop all', async () => {
  await using node = await TestNode.start()
  const { client, daemon } = node
  const [stubborn, other] = ['0a0a0a0a', '0b0b0b0b']
  await client.create(stubborn, { command: program('stubborn'), stopCode: 15, stopTimeout: 1 })
  await client.create(other, program('echo'))
  const watcher = await client.watch(stubborn)
  for (const one of [stubborn, other]) await client.send(startServer, { params: { id: one }, query: wait })
  await watcher.untilText('ready ')
  const waiting: (readonly string[])[] = []
  const left: string[] = []

  await daemon.stopServers({ onWaiting: (ids) => waiting.push(ids), onLeft: (one) => left.push(one) })

  expect(waiting[0]?.toSorted()).toEqual([stubborn, other])
  expect(left).toEqual([stubborn])
  const { body } = await client.send(getStatus, { params: { id: stubborn } })
  expect(body).toMatchObject({ state: 'stopping', running: true, isStopOverdue: true })
})

async function readProcess(node: TestNode, server: string): Promise<number> {
  const pid = await node.findProcess(`${server}/main`)
  if (pid === undefined) throw new Error('the server does not run')
  return pid
}

async function isAlive(pid: number): Promise<boolean> {
  try {
    const text = await readFile(`/proc/${pid}/stat`, 'latin1')
    return !text.split(') ').at(-1)?.startsWith('Z')
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw cause
  }
}
