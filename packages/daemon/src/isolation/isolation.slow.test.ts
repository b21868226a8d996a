import { readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { sendCommand, startServer } from '@innkeeper/contract/servers/node-servers'
import { expect, test } from 'vitest'
import { kernelConstants } from '../proc/cpu-ticks.ts'
import { readProcessTable } from '../proc/process-table.ts'
import { TestNode } from '../testing/daemon.ts'

const wait = { wait: true }
const isRoot = process.getuid?.() === 0

/** A node running as root whose server runs shell commands. */
async function serverRunning(node: TestNode, id: string, script: string, environment: object = { type: 'standard' }) {
  const { client } = node
  await client.create(id, { command: `sh -c "${script}"`, stopCode: 15 }, { environment })
  const watcher = await client.watch(id)
  await client.send(startServer, { params: { id }, query: wait })
  return watcher
}

test.runIf(isRoot)('a busy loop and a flood stay within their CPU share, and another server responds', async () => {
  await using node = await TestNode.start()
  const { client } = node
  const environment = { type: 'standard', limits: { cpu: 25 } }
  const spin = 'for i in 1 2 3 4; do while :; do :; done & done; wait'
  await serverRunning(node, '150a0a0a', spin, environment)
  await serverRunning(node, '150b0b0b', 'yes', environment)
  const asked = await serverRunning(node, '150c0c0c', 'while read line; do echo heard $line; done')
  const before = { at: performance.now(), used: [measureCpu(node, '150a0a0a'), measureCpu(node, '150b0b0b')] }

  for (let count = 0; count < 40; count++) {
    await client.send(sendCommand, { params: { id: '150c0c0c' }, body: String(count) })
    await asked.untilText(`heard ${count}\n`)
    await pause(50)
  }

  const seconds = (performance.now() - before.at) / 1000
  const used = [measureCpu(node, '150a0a0a'), measureCpu(node, '150b0b0b')]
  for (const [at, ticks] of used.entries()) {
    const share = (ticks - (before.used[at] ?? 0)) / seconds
    expect(share).toBeGreaterThan(0.01)
    expect(share).toBeLessThan(0.4)
  }
})

/** CPU seconds used by the processes in a server's directory. */
function measureCpu(node: TestNode, id: string): number {
  const table = readProcessTable()
  const folder = join(node.dataDir, 'servers', id)
  const own = [...table.byPid.values()].filter(({ pid }) => workingDirectory(pid) === folder)
  return own.reduce((sum, { cpuTicks }) => sum + cpuTicks, 0) / kernelConstants.ticksPerSecond
}

function workingDirectory(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`)
  } catch {
    return undefined
  }
}
