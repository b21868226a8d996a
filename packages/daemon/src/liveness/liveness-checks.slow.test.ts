import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  getLivenessReport,
  type LivenessReport,
  listLivenessReports,
} from '@innkeeper/contract/servers/liveness-reports'
import { getStatus, sendCommand, startServer, stopServer } from '@innkeeper/contract/servers/node-servers'
import { test as base, expect, vi } from 'vitest'
import { program, TestNode, type Watcher } from '../testing/daemon.ts'

/** Seconds of definitions are short. */
const test = base.extend<{ node: TestNode }>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads what a fixture needs from its pattern
  node: async ({}, use) => {
    await using node = await TestNode.start({ liveness: { secondMs: 20 } })
    await use(node)
  },
})

const id = '0a0a0a0a'
const params = { id }
const command = { type: 'command', command: 'ping', pattern: '^alive$' }
/** The first may be late, because the thread that matches patterns starts. */
const untilChecked = (viewer: Watcher) => viewer.until('several checks', ({ text }) => text.split('alive').length > 3)

async function start(node: TestNode, liveness: object, run: object = {}) {
  await node.client.create(
    id,
    { command: program('hang'), stop: 'stop', ...run },
    { liveness: { interval: 5, timeout: 40, failures: 2, ...liveness } },
  )
  const viewer = await node.client.watch(id)
  await node.client.send(startServer, { params, query: { wait: true } })
  if (!('command' in run)) await viewer.untilText('ready')
  const pid = await node.findProcess(`${id}/main`)
  if (pid === undefined) throw new Error('the server does not run')
  return { viewer, pid }
}

const send = (node: TestNode, body: string) => node.client.send(sendCommand, { params, body })

/** The latest report. */
async function readReport(node: TestNode): Promise<LivenessReport> {
  const [latest] = (await node.client.send(listLivenessReports, { params })).body
  return (await node.client.send(getLivenessReport, { params: { id, report: latest.id } })).body
}

const readNotResponding = async (node: TestNode) => (await node.client.send(getStatus, { params })).body.notResponding

test('a server that was stopped by a signal does not respond, until it goes on', async ({ node }) => {
  const { viewer, pid } = await start(node, { checks: [command] })
  await untilChecked(viewer)
  const whenAlive = await readNotResponding(node)

  process.kill(pid, 'SIGSTOP')
  await viewer.untilText('Server does not respond. No line matched after the command “ping”')
  const whenStopped = await readNotResponding(node)
  const report = await readReport(node)
  process.kill(pid, 'SIGCONT')
  await viewer.untilText('Server responds again')

  expect(whenAlive).toBeUndefined()
  expect(whenStopped).toEqual({ reason: 'command', since: expect.any(String) })
  expect(report).toMatchObject({
    since: whenStopped.since,
    reason: 'command',
    action: 'none',
    checks: [{ type: 'command', detail: 'No line matched after the command “ping”' }],
    processes: [{ pid, name: 'node', threads: { T: expect.any(Number) } }],
    lines: expect.stringMatching(/ready\nalive\n.*alive$/s),
  })
  expect(report.usage.memory).toBeGreaterThan(10_000_000)
  expect(report).not.toHaveProperty('threadDump')
  expect(await readNotResponding(node)).toBeUndefined()
  await node.client.asPanel('DELETE', `/daemon/server/${id}`)
  expect(readdirSync(join(node.dataDir, 'liveness'))).toEqual([])
})

test('a hang that begins before the daemon is killed is reported by the next one', async () => {
  await using node = await TestNode.start({ apart: true, liveness: { secondMs: 20 } })
  const before = await start(node, { checks: [command], failures: 5 })
  await untilChecked(before.viewer)

  process.kill(before.pid, 'SIGSTOP')
  await node.kill()
  await node.start()
  const viewer = await node.client.watch(id)
  await viewer.untilText('Server does not respond. No line matched after the command “ping”', 60_000)

  expect(before.viewer.text).not.toContain('does not respond')
  expect(await readNotResponding(node)).toMatchObject({ reason: 'command' })
  expect(await readReport(node)).toMatchObject({
    processes: [{ pid: before.pid }],
    lines: expect.stringContaining('alive'),
  })
}, 90_000)

test('a server in an endless loop does not respond, and the next process is a new one', async ({ node }) => {
  const { viewer, pid } = await start(node, { checks: [command] })
  await untilChecked(viewer)

  await send(node, 'hang')
  await viewer.untilText('Server does not respond')
  expect(await readReport(node)).toMatchObject({ processes: [{ pid, threads: { R: 1 } }] })
  process.kill(pid, 'SIGKILL')
  await vi.waitFor(async () => expect((await node.client.send(getStatus, { params })).body.state).toBe('offline'))

  expect(await readNotResponding(node)).toBeUndefined()
})

test('a server that prints nothing for too long does not respond', async ({ node }) => {
  const { viewer } = await start(node, { checks: [{ type: 'output', within: 10 }] })

  await viewer.untilText('Server does not respond. It printed nothing for ')
  await send(node, 'anything')

  await viewer.untilText('Server responds again')
})

test('while a server saves, it need not respond', async ({ node }) => {
  const saving = { command: 'hang', seconds: 3_600 }
  const { viewer } = await start(node, { checks: [command], saving })
  await untilChecked(viewer)

  await send(node, 'hang')
  await node.client.create('0b0b0b0b', program('hang'), {
    liveness: { interval: 5, timeout: 40, failures: 2, checks: [command] },
  })
  const other = await node.client.watch('0b0b0b0b')
  await node.client.send(startServer, { params: { id: '0b0b0b0b' } })
  await untilChecked(other)
  await node.client.send(sendCommand, { params: { id: '0b0b0b0b' }, body: 'hang' })
  await other.untilText('Server does not respond')

  expect(await readNotResponding(node)).toBeUndefined()
})

test('a check that never succeeded, for example of a wrong pattern, reports nothing', async ({ node }) => {
  const never = { ...command, pattern: '^never$' }
  const { viewer } = await start(node, { checks: [never] })

  await untilChecked(viewer)

  expect(await readNotResponding(node)).toBeUndefined()
  await node.client.send(stopServer, { params, query: { wait: true } })
})

test('a server that waits for a full disk does not respond and is not restarted, as its report cannot be saved', async ({
  node,
  skip,
}) => {
  const { viewer } = await start(node, { checks: [command] }, { restartWhenNotResponding: true })
  const folders = [join(node.dataDir, 'servers', id), join(node.dataDir, 'liveness')]
  await node.client.send(stopServer, { params, query: { wait: true } })
  const mounts = folders.map((folder) => {
    mkdirSync(folder, { recursive: true })
    return spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m,mode=0777', 'tmpfs', folder])
  })
  skip(
    mounts.some(({ status }) => status !== 0),
    'only root may mount a small disk',
  )
  try {
    for (const folder of folders) writeFileSync(join(folder, 'filler'), Buffer.alloc(1024 * 1024))
    await node.client.send(startServer, { params, query: { wait: true } })
    await untilChecked(viewer)

    await send(node, 'save')
    await viewer.untilText('Server is not restarted: the report about it could not be saved')
    const report = await readReport(node)
    spawnSync('mount', ['-o', 'remount,size=8m', folders[0] ?? ''])
    await viewer.untilText('Server responds again')

    expect(report).toMatchObject({ reason: 'command', lines: expect.stringContaining('alive') })
  } finally {
    for (const folder of folders) spawnSync('umount', ['-l', folder])
  }
})

test('a server is restarted where its owner wants it, three times in an hour', async ({ node }) => {
  const run = { restartWhenNotResponding: true, stopTimeout: 1 }
  const { viewer } = await start(node, { checks: [command] }, run)

  for (let restarts = 1; restarts <= 4; restarts++) {
    await viewer.until('several checks', ({ text }) => (text.split('ready').at(-1) ?? '').split('alive').length > 3)
    process.kill((await node.findProcess(`${id}/main`)) ?? 0, 'SIGSTOP')
    if (restarts < 4) await viewer.until('the restart', ({ text }) => text.split('ready').length === restarts + 2)
  }
  await viewer.untilText('Server is not restarted: it was restarted 3 times in the last hour')

  const { body } = await node.client.send(listLivenessReports, { params })
  expect(body.map(({ action }: LivenessReport) => action)).toEqual(['limit', 'restart', 'restart', 'restart'])
  expect(viewer.text).toContain('The server does not respond and has not stopped: it is killed, and started again')
  expect(await readNotResponding(node)).toMatchObject({ reason: 'command' })
}, 120_000)

test('the report about a JVM has the stacks of its threads', async ({ node, skip }) => {
  skip(spawnSync('java', ['-version']).status !== 0, 'there is no Java on this machine')
  const source = fileURLToPath(new URL('../testing/programs/Deadlock.java', import.meta.url))
  const { viewer } = await start(node, { checks: [command] }, { command: `java ${source}`, stopTimeout: 1 })
  await untilChecked(viewer)

  await send(node, 'hang')
  await viewer.untilText('Server does not respond')

  const { threadDump, processes } = await readReport(node)
  expect(threadDump).toMatch(/^Full thread dump/)
  expect(threadDump).toMatch(/"world-saver"[\s\S]*waiting to lock/)
  expect(threadDump).toContain('Found one Java-level deadlock')
  expect(processes).toMatchObject([{ name: 'java' }])
})
