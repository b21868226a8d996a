import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { availableParallelism, loadavg } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { getNodeFeatures, localNodeId, type NodeFeatures, type NodeIsolation } from '@innkeeper/contract/nodes/nodes'
import { createServer } from '@innkeeper/contract/servers/new-server'
import { getStats, killServer, startServer } from '@innkeeper/contract/servers/node-servers'
import { deleteServer } from '@innkeeper/contract/servers/servers'
import type { ServerStats } from '@innkeeper/contract/servers/status'
import { type Control, controllers } from '@innkeeper/daemon/isolation/control-groups'
import { ColocatedServer, type ResponseTimes } from './colocated-server.ts'
import { getCpuSeconds } from './process-usage.ts'
import { ProcessWatchdog } from './process-watchdog.ts'
import { keeperPid, type Observation } from './servers.ts'
import { quantile } from './statistics.ts'
import { TestInstallation } from './test-installation.ts'

/** Limits of the noisy server: MiB, percent of a core, processes. */
const serverLimits = { memory: 200, cpu: 50, processes: 60 } as const

/** A safety net in case the limits do not work: far higher ulimits, and a watchdog. */
const safetyLimits = 'ulimit -u 400 -v 1000000'
const watchdogMs = 25_000

const settleMs = 1_000
const measureMs = 8_000
const pollMs = 250
const cleanupMs = 5_000
/** Goals: response times of the other server, and the time to kill all processes of the noisy one. */
const maxResponseMs = 300
const maxKillMs = 2_000

interface NoisyProgram {
  readonly name: string
  /** The limit that contains it; it is not started without. */
  readonly limitedBy: Control
  readonly script: string
}

const programs: readonly NoisyProgram[] = [
  { name: 'fork bomb', limitedBy: 'processes', script: "exec perl -e 'fork while 1'" },
  {
    name: 'memory hog',
    limitedBy: 'memory',
    script: "while :; do perl -e 'push @x, q(x) x 5e6 while 1'; done",
  },
  { name: 'spinner', limitedBy: 'cpu', script: 'for i in 1 2 3 4; do (while :; do :; done) & done; wait' },
  { name: 'flood', limitedBy: 'cpu', script: 'exec yes this line is printed without end' },
]

/** Runs noisy servers one after the other and measures their effect on another server. */
export async function noisyServers(): Promise<readonly Observation[]> {
  await using installation = await TestInstallation.start()
  const { isolation } = await installation.send<NodeFeatures>(getNodeFeatures, { params: { id: localNodeId } })
  const machine = describeIsolation(isolation)
  if (!isolation?.user.enforced) return [machine]
  await using colocated = await ColocatedServer.start(installation)
  const baseline = await colocated.measure(measureMs)
  const observations: Observation[] = [
    machine,
    { name: 'noisy: baseline without', isGoalMet: isResponsive(baseline), details: formatTimes(baseline) },
  ]
  for (const program of programs) {
    const { enforced, reason } = isolation.limits[program.limitedBy]
    observations.push(
      enforced
        ? await runBeside(colocated, program, installation)
        : { name: `noisy: ${program.name}`, isGoalMet: false, details: `not started: ${reason}` },
    )
  }
  return observations
}

function describeIsolation(isolation: NodeIsolation | undefined): Observation {
  const capabilities = { user: isolation?.user, ...isolation?.limits }
  const texts = Object.entries(capabilities).map(([name, capability]) =>
    capability?.enforced ? `${name}: enforced` : `${name}: not enforced (${capability?.reason ?? 'unknown'})`,
  )
  const load = `load ${loadavg()[0]?.toFixed(1)} on ${availableParallelism()} cores`
  return {
    name: 'noisy: isolation on this machine',
    isGoalMet: isolation?.user.enforced === true && controllers.every((control) => isolation.limits[control].enforced),
    details: [...texts, load].join('; '),
  }
}

/** Runs a noisy server next to the other one, and kills it. */
async function runBeside(
  colocated: ColocatedServer,
  { name, limitedBy, script }: NoisyProgram,
  installation: TestInstallation,
): Promise<Observation> {
  const body = {
    name,
    type: 'bench',
    run: { command: `bash -c "${safetyLimits}; ${script}"` },
    environment: { type: 'standard', limits: serverLimits },
    data: {},
  }
  const before = countControlGroups(installation.dataDir)
  const { id } = await installation.send<{ id: string }>(createServer, { body })
  const user = statSync(join(installation.dataDir, 'servers', id)).uid
  using _ = ProcessWatchdog.start(user, watchdogMs)
  await installation.send(startServer, { params: { id }, query: { wait: true } })
  await pause(settleMs)

  const ours = [installation.pid, await keeperPid(installation.dataDir)]
  const usedBefore = ours.map(getCpuSeconds)
  const [times, used] = await Promise.all([colocated.measure(measureMs), readUsage(installation, id, user)])
  const ourUsage = ours.map((pid, index) => ((getCpuSeconds(pid) - (usedBefore[index] ?? 0)) / measureMs) * 100_000)

  const killedAt = performance.now()
  await installation.send(killServer, { params: { id }, query: { wait: true } })
  const killMs = performance.now() - killedAt
  const left = await remaining(() => getProcesses(user).length + countControlGroups(installation.dataDir) - before)
  const isOtherRunning = await colocated.isRunning()
  await installation.send(deleteServer, { params: { id } })
  const isContained = used[limitedBy] <= serverLimits[limitedBy] * 1.1
  return {
    name: `noisy: ${name}`,
    isGoalMet: isResponsive(times) && isContained && killMs < maxKillMs && left === 0 && isOtherRunning,
    details: [
      `other server: ${formatTimes(times)}`,
      `it used CPU ${used.cpu.toFixed(0)} % (≤ ${serverLimits.cpu}), memory up to ${used.memory.toFixed(0)} MiB (≤ ${serverLimits.memory}), up to ${used.processes} processes (≤ ${serverLimits.processes})`,
      `Innkeeper used ${ourUsage[0]?.toFixed(0)} %, its keeper ${ourUsage[1]?.toFixed(0)} %`,
      `Kill took ${killMs.toFixed(0)} ms (< ${maxKillMs}), ${left === 0 ? 'nothing remained' : `${left} processes or control groups remained`}`,
      isOtherRunning ? 'the other server still runs' : 'THE OTHER SERVER IS DOWN',
    ].join('; '),
  }
}

/** What a server used while it was watched: average CPU as its node reports, maximum memory and processes as counted here. */
async function readUsage(installation: TestInstallation, id: string, user: number): Promise<Record<Control, number>> {
  const deadline = performance.now() + measureMs
  const cpu: number[] = []
  let [memory, processes] = [0, 0]
  while (performance.now() < deadline) {
    const found = getProcesses(user)
    processes = Math.max(processes, found.length)
    memory = Math.max(
      memory,
      found.reduce((sum, { residentMiB }) => sum + residentMiB, 0),
    )
    // A server that was killed for its memory usage has no statistics.
    const stats = await installation.send<ServerStats>(getStats, { params: { id } }).catch(() => undefined)
    if (stats) cpu.push(stats.cpu)
    await pause(pollMs)
  }
  return { memory, processes, cpu: cpu.reduce((sum, value) => sum + value, 0) / Math.max(1, cpu.length) }
}

/** All processes of a user, including zombies. */
function getProcesses(user: number): { readonly residentMiB: number }[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return []
    const text = getStatus(name)
    if (Number(/^Uid:\s+(\d+)/m.exec(text)?.[1]) !== user) return []
    return [{ residentMiB: Number(/^VmRSS:\s+(\d+)/m.exec(text)?.[1] ?? 0) / 1024 }]
  })
}

/** Empty if the process has exited meanwhile. */
function getStatus(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/status`, 'latin1')
  } catch {
    return ''
  }
}

/** Counts the control groups of a node's runs in all hierarchies. */
function countControlGroups(dataDir: string): number {
  const [root, name] = ['/sys/fs/cgroup', createHash('sha256').update(dataDir).digest('hex').slice(0, 12)]
  if (!existsSync(root)) return 0
  return [root, ...readdirSync(root).map((tree) => join(root, tree))]
    .map((tree) => join(tree, 'innkeeper', name))
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory())).length
}

/** The count once it is 0, or after the cleanup timeout. */
async function remaining(count: () => number): Promise<number> {
  const deadline = performance.now() + cleanupMs
  while (count() > 0 && performance.now() < deadline) await pause(pollMs)
  return count()
}

function isResponsive({ status, echo }: ResponseTimes): boolean {
  return [status, echo].every((times) => times.length > 0 && quantile(times, 0.95) < maxResponseMs)
}

function formatTimes({ status, echo }: ResponseTimes): string {
  const text = (times: readonly number[]) => [0.5, 0.95, 1].map((q) => quantile(times, q).toFixed(1)).join(' / ')
  return `status ${text(status)} ms, echo ${text(echo)} ms (p50 / p95 / maximum, p95 < ${maxResponseMs})`
}
