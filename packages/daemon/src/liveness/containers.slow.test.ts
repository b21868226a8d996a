import { basename } from 'node:path'
import {
  getLivenessReport,
  type LivenessReport,
  listLivenessReports,
} from '@innkeeper/contract/servers/liveness-reports'
import { getStats, getStatus, sendCommand, startServer } from '@innkeeper/contract/servers/node-servers'
import { expect, vi } from 'vitest'
import { readProcessStat } from '../proc/process-stat.ts'
import { getTree, readProcessTable } from '../proc/process-table.ts'
import { findExecutable } from '../proc/process-threads.ts'
import { id, params, readContainers, slowWait, started, wait } from '../testing/containers.ts'
import { program, type TestNode, type Watcher } from '../testing/daemon.ts'
import { TestEngine } from '../testing/engine.ts'
import { testWithEngine } from '../testing/engine-test.ts'

/** Answers each line, and ends only when it is killed. */
const game = 'trap "" TERM; echo ready; while read line; do echo "alive"; done'
const liveness = {
  interval: 5,
  timeout: 40,
  failures: 2,
  checks: [{ type: 'command', command: 'ping', pattern: '^alive' }],
}
/** Seconds of definitions are short. */
const options = { liveness: { secondMs: 20 } }

const answers = ({ text }: Watcher) => (text.split('ready').at(-1) ?? '').split('alive').length - 1
const untilChecked = (watcher: Watcher) => watcher.until('several checks', () => answers(watcher) > 3)
const readStatus = async (node: TestNode) => (await node.client.send(getStatus, { params })).body

const readMemory = async (node: TestNode) => (await node.client.send(getStats, { params })).body.memory

async function readReports(node: TestNode): Promise<LivenessReport[]> {
  const { body } = await node.client.send(listLivenessReports, { params })
  const read = async ({ id: report }: { id: string }) =>
    (await node.client.send(getLivenessReport, { params: { id, report } })).body
  return await Promise.all(body.map(read))
}

/** The processes of the only container of a node, without the init process. */
async function findGame(node: TestNode, engine: TestEngine) {
  const [found] = await readContainers(node, engine)
  const container = engine.docker.getContainer(found?.Id ?? '')
  const first = readProcessStat((await container.inspect()).State.Pid)
  const pids = first ? [...getTree(first, readProcessTable()).keys()] : []
  return { container, pids: pids.filter((pid) => basename(findExecutable(pid) ?? '') === 'busybox') }
}

for (const [name, create] of [
  ['Docker', () => TestEngine.create()],
  ['Podman', () => TestEngine.createPodman()],
] as const) {
  const test = testWithEngine(create)

  test(`${name}: a game that hangs in a container is reported with its processes, and restarted`, async ({
    engine,
    startNode,
  }) => {
    await using node = await startNode(options)
    const watcher = await started(node, game, { run: { restartWhenNotResponding: true, stopTimeout: 1 }, liveness })
    await untilChecked(watcher)
    const { pids } = await findGame(node, engine)
    expect(pids).toHaveLength(1)
    await vi.waitFor(async () => expect(await readMemory(node)).toBeGreaterThan(0), slowWait)

    for (const pid of pids) process.kill(pid, 'SIGSTOP')
    await watcher.until('the restart', ({ text }) => text.split('ready').length === 3, 60_000)
    await untilChecked(watcher)

    const [report, ...others] = await readReports(node)
    expect(others).toEqual([])
    expect(report).toMatchObject({
      reason: 'command',
      action: 'restart',
      checks: [{ type: 'command', detail: 'No line matched after the command “ping”' }],
      lines: expect.stringMatching(/ready\n(?:.*\n)*alive/),
    })
    expect(report?.processes).toContainEqual({ pid: pids[0], name: 'busybox', threads: { T: 1 } })
    expect(report?.usage.memory).toBeGreaterThan(0)
    expect(watcher.text).toContain('it is killed, and started again')
    expect((await findGame(node, engine)).pids).not.toEqual(pids)
    expect(await readStatus(node)).not.toHaveProperty('notResponding')
  }, 120_000)

  test(`${name}: a container that somebody has paused need not respond until it goes on`, async ({
    engine,
    startNode,
  }) => {
    await using node = await startNode(options)
    const watcher = await started(node, game, { liveness })
    await untilChecked(watcher)
    const { container } = await findGame(node, engine)
    const before = answers(watcher)

    await container.pause()
    await untilOtherHangs(node)
    const reports = await readReports(node)
    await container.unpause()
    await watcher.until('further checks', () => answers(watcher) > before + 3)

    expect(reports).toEqual([])
    expect(await readReports(node)).toEqual([])
    expect(watcher.text).not.toContain('does not respond')
  }, 120_000)
}

/** Starts a process that hangs, and waits until it is reported: several times as long as for a container. */
async function untilOtherHangs({ client }: TestNode): Promise<void> {
  const other = '0b0b0b0b'
  await client.create(other, program('hang'), { liveness: { ...liveness, failures: 5 } })
  const watcher = await client.watch(other)
  await client.send(startServer, { params: { id: other }, query: wait })
  await untilChecked(watcher)
  await client.send(sendCommand, { params: { id: other }, body: 'hang' })
  await watcher.untilText('Server does not respond', 60_000)
}
