import { setTimeout as pause } from 'node:timers/promises'
import { createServer } from '@innkeeper/contract/servers/new-server'
import { getStatus, startServer, stopServer } from '@innkeeper/contract/servers/node-servers'
import { getUsage, listServers, type ServerUsage } from '@innkeeper/contract/servers/servers'
import { limits } from '@innkeeper/contract/text/limits'
import { getRunFolder, RunFolder } from '@innkeeper/daemon/keeper/protocol'
import { readStates } from '@innkeeper/daemon/keeper/state-file'
import { maxAutostartDelayMs } from '@innkeeper/daemon/servers/start-throttle'
import { TestNode } from '@innkeeper/daemon/testing/daemon'
import { countZombies, getCpuSeconds, getMemoryMiB, getOpenFiles } from './process-usage.ts'
import { quantile } from './statistics.ts'
import { TestInstallation } from './test-installation.ts'

/** A measurement without a reference program, and whether it meets its goal. */
export interface Observation {
  readonly name: string
  readonly isGoalMet: boolean
  readonly details: string
}

const wait = { wait: true }
const idle = 'sh -c "read stop"'
const serverId = (at: number) => at.toString(16).padStart(8, '0')

/** Starts a daemon in a separate process and creates servers on it. */
async function startNode(count: number): Promise<TestNode> {
  const node = await TestNode.start({ apart: true })
  for (let at = 0; at < count; at++) {
    const environment = { type: at % 2 === 0 ? 'standard' : 'tty' }
    await node.client.create(serverId(at), { command: idle, stop: 'stop' }, { environment })
  }
  return node
}

/** 1,000 real starts and stops, ten servers at a time: must not leak files, memory or zombies. */
export async function startStopCycles(): Promise<Observation> {
  const [servers, rounds] = [10, 100]
  await using node = await startNode(servers)
  const cycle = async (times: number) => {
    await Promise.all(
      Array.from({ length: servers }, async (_, at) => {
        const params = { id: serverId(at) }
        for (let count = 0; count < times; count++)
          for (const call of [startServer, stopServer]) {
            const { status } = await node.client.send(call, { params, query: wait })
            if (status !== 204) throw new Error(`${call.path} returned ${status}`)
          }
      }),
    )
    await pause(settleMs)
  }
  await cycle(10)
  const processes = { daemon: node.pid, keeper: await keeperPid(node.dataDir) }
  const sample = () =>
    Object.entries(processes).map(([name, pid]) => ({ name, files: getOpenFiles(pid), memory: getMemoryMiB(pid) }))
  const samples = [sample()]
  const startedAt = performance.now()

  for (let quarter = 0; quarter < 4; quarter++) {
    await cycle(rounds / 4)
    samples.push(sample())
  }

  const seconds = (performance.now() - startedAt - 4 * settleMs) / 1000
  const zombies = Object.values(processes).reduce((sum, pid) => sum + countZombies(pid), 0)
  const growth = Object.keys(processes).map((name, index) => {
    const files = samples.map((sample) => sample[index]?.files ?? Number.NaN)
    const memory = samples.map((sample) => sample[index]?.memory ?? Number.NaN)
    // The heap grows at first; a leak would grow in every quarter.
    const isSteady = (files.at(-1) ?? 0) <= (files[0] ?? 0) + servers && (memory[4] ?? 0) - (memory[2] ?? 0) < 8
    const [filesText, memoryText] = [files, memory].map((of) => of.map((value) => value.toFixed(0)).join(' → '))
    return { isSteady, text: `${name}: files ${filesText}, memory ${memoryText} MiB` }
  })
  return {
    name: `servers: ${servers * rounds} starts and stops`,
    isGoalMet: zombies === 0 && growth.every(({ isSteady }) => isSteady),
    details: [`${seconds.toFixed(0)} s`, `${zombies} zombies`, ...growth.map(({ text }) => text)].join('; '),
  }
}

const settleMs = 5_000

/** CPU and memory usage with 200 idle servers, including their statistics. */
export async function idleServers(): Promise<Observation> {
  const [servers, seconds] = [200, 60]
  await using node = await startNode(servers)
  for (let at = 0; at < servers; at++)
    await node.client.send(startServer, { params: { id: serverId(at) }, query: wait })
  await pause(settleMs)
  const keeper = await keeperPid(node.dataDir)
  const before = [node.pid, keeper].map(getCpuSeconds)

  await pause(seconds * 1000)

  const [daemonCpu = 0, keeperCpu = 0] = [node.pid, keeper].map(
    (pid, at) => ((getCpuSeconds(pid) - (before[at] ?? 0)) / seconds) * 100,
  )
  const memory = getMemoryMiB(node.pid)
  return {
    name: `servers: ${servers} idle`,
    isGoalMet: daemonCpu < 2 && memory < 150,
    details: [
      `daemon ${daemonCpu.toFixed(2)} % of a core (< 2), ${memory.toFixed(0)} MiB (< 150)`,
      `keeper ${keeperCpu.toFixed(2)} %, ${getMemoryMiB(keeper).toFixed(0)} MiB`,
    ].join('; '),
  }
}

/** Response times of the panel while 50 servers start with their node, each with CPU work for about one second. */
export async function startStorm(): Promise<Observation> {
  const servers = 50
  await using installation = await TestInstallation.start()
  const command = 'sh -c "i=0; while [ $i -lt 600000 ]; do i=$((i+1)); done; echo up; read stop"'
  const ids: string[] = []
  for (let at = 0; at < servers; at++) {
    const body = { name: `storm ${at}`, type: 'bench', run: { command, stop: 'stop', autostart: true }, data: {} }
    ids.push((await installation.send<{ id: string }>(createServer, { body })).id)
  }
  await installation.restart()

  const startedAt = performance.now()
  const times: number[] = []
  const measure = async <T>(request: Promise<T>): Promise<T> => {
    const from = performance.now()
    const response = await request
    times.push(performance.now() - from)
    return response
  }
  for (let online = 0; online < servers && performance.now() - startedAt < maxStormMs; ) {
    const [, , usage] = await Promise.all([
      measure(installation.send(listServers, { query: { limit: limits.pageSizeMax } })),
      measure(installation.send(getStatus, { params: { id: ids[0] } })),
      measure(installation.send<ServerUsage[]>(getUsage, { query: { ids: ids.join(',') } })),
    ])
    online = usage.filter(({ status }) => status?.running).length
    await pause(50)
  }
  const seconds = (performance.now() - startedAt) / 1000
  const percentile = (q: number) => quantile(times, q)
  return {
    name: `servers: ${servers} start with their node`,
    isGoalMet: percentile(0.95) < 300 && seconds * 1000 < maxStormMs,
    details: `all running after ${seconds.toFixed(0)} s; ${times.length} requests meanwhile: p50 ${percentile(0.5).toFixed(0)} ms, p95 ${percentile(0.95).toFixed(0)} ms (< 300), maximum ${percentile(1).toFixed(0)} ms`,
  }
}

/** The maximum delay of all autostarts, and a reserve. */
const maxStormMs = 50 * maxAutostartDelayMs + 60_000

/** The pid of the keeper of a node. */
export async function keeperPid(dataDir: string): Promise<number> {
  using folder = new RunFolder(getRunFolder(dataDir))
  const [state] = await readStates(folder, () => {})
  if (!state) throw new Error('The node has no keeper')
  return state.keeper.pid
}

export function observationLine({ name, isGoalMet, details }: Observation): string {
  return [isGoalMet ? 'ok  ' : 'MISS', name.padEnd(44), details].join('  ')
}
