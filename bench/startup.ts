import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort } from '@innkeeper/cli/testing/free-port'
import { createServer } from '@innkeeper/contract/servers/new-server'
import { startServer } from '@innkeeper/contract/servers/node-servers'
import { getCpuSeconds, getMemoryMiB } from './process-usage.ts'
import { Service } from './programs.ts'
import { keeperPid, type Observation } from './servers.ts'
import { quantile } from './statistics.ts'
import { TestInstallation } from './test-installation.ts'

const startRounds = 5
const servers = 50
const restMs = 60_000
const idleMs = 20_000
const settleMs = 5_000
const goals = { startMs: 1_000, startRatio: 4, startRatioWithServers: 3.5, memoryMiB: 130, keeperMiB: 55 } as const
/** Of one core, and in MiB, for all silent servers together. */
const silentGoals = { cpuPercent: 0.4, growthMiB: 10 } as const

/** Start, memory and CPU of panel and node in one process, while idle. */
export async function startup(): Promise<readonly Observation[]> {
  await using installation = await TestInstallation.start()
  const start = await measureStarts(installation)
  const memory = await measureMemory(installation)

  const ids = [installation.server]
  while (ids.length < servers) {
    const body = { name: `silent ${ids.length}`, type: 'bench', run: { command: 'sleep 3600', stopCode: 15 }, data: {} }
    ids.push((await installation.send<{ id: string }>(createServer, { body })).id)
  }
  const startWithServers = await measureStarts(installation)
  return [
    {
      name: 'startup: start until ready',
      isGoalMet: start.ms <= goals.startMs && start.ratio <= goals.startRatio,
      details: `${formatStart(start)} (≤ ${goals.startMs} ms and ${goals.startRatio} ×)`,
    },
    memory,
    {
      name: `startup: start with ${servers} servers`,
      isGoalMet: startWithServers.ratio <= goals.startRatioWithServers,
      details: `${formatStart(startWithServers)} (≤ ${goals.startRatioWithServers} ×)`,
    },
    await measureSilentServers(installation, ids),
  ]
}

interface StartTimes {
  readonly ms: number
  readonly bareMs: number
  readonly ratio: number
}

/** Restarts in turns with the bare server. */
async function measureStarts(installation: TestInstallation): Promise<StartTimes> {
  const [ours, bare]: [number[], number[]] = [[], []]
  for (let round = 0; round < startRounds; round++) {
    ours.push(await installation.restart())
    bare.push(await startBareServer())
  }
  const [ms, bareMs] = [quantile(ours, 0.5), quantile(bare, 0.5)]
  return { ms, bareMs, ratio: ms / bareMs }
}

/** Milliseconds from the start of the process until its first response. */
async function startBareServer(): Promise<number> {
  const port = await freePort()
  const script = fileURLToPath(new URL('bare-server.ts', import.meta.url))
  const startedAt = performance.now()
  const responds = () =>
    fetch(`http://127.0.0.1:${port}/`).then(
      ({ ok }) => ok,
      () => false,
    )
  await using _server = await Service.start(process.execPath, [script, String(port)], responds)
  return performance.now() - startedAt
}

const formatStart = ({ ms, bareMs, ratio }: StartTimes): string =>
  `${ms.toFixed(0)} ms, bare server ${bareMs.toFixed(0)} ms, ${ratio.toFixed(1)} ×`

async function measureMemory(installation: TestInstallation): Promise<Observation> {
  await installation.restart()
  await pause(restMs)
  const memory = getMemoryMiB(installation.pid)
  const keeper = getMemoryMiB(await keeperPid(installation.dataDir))
  return {
    name: 'startup: memory after a minute',
    isGoalMet: memory <= goals.memoryMiB && keeper <= goals.keeperMiB,
    details: `panel and node ${memory.toFixed(0)} MiB (≤ ${goals.memoryMiB}), keeper ${keeper.toFixed(0)} MiB (≤ ${goals.keeperMiB})`,
  }
}

async function measureSilentServers(installation: TestInstallation, ids: readonly string[]): Promise<Observation> {
  const { pid, dataDir } = installation
  await pause(settleMs)
  const memoryBefore = getMemoryMiB(pid)
  for (const id of ids) await installation.send(startServer, { params: { id }, query: { wait: true } })
  await pause(settleMs)
  const pids = [pid, await keeperPid(dataDir)]
  const cpuBefore = pids.map(getCpuSeconds)

  await pause(idleMs)

  const [process = Number.NaN, keeper = Number.NaN] = pids.map(
    (each, index) => ((getCpuSeconds(each) - (cpuBefore[index] ?? Number.NaN)) / idleMs) * 100_000,
  )
  const growth = getMemoryMiB(pid) - memoryBefore
  return {
    name: `startup: ${ids.length} silent servers`,
    isGoalMet: process + keeper <= silentGoals.cpuPercent && growth <= silentGoals.growthMiB,
    details: [
      `panel and node ${process.toFixed(2)} %, keeper ${keeper.toFixed(2)} % of a core (together ≤ ${silentGoals.cpuPercent})`,
      `memory +${growth.toFixed(0)} MiB (≤ ${silentGoals.growthMiB})`,
    ].join('; '),
  }
}
