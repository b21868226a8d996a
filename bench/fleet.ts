import { availableParallelism, loadavg } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { type Endpoint, getPanelUrl } from '@innkeeper/contract/api/endpoint'
import { refusalFrom } from '@innkeeper/contract/errors/refusal-envelope'
import { listNodes } from '@innkeeper/contract/nodes/nodes'
import { getConsole, getStatus, startServer } from '@innkeeper/contract/servers/node-servers'
import { getUsage, listServers, type ServerUsage, type ServerView } from '@innkeeper/contract/servers/servers'
import { limits } from '@innkeeper/contract/text/limits'
import { maxLargeResponsesPerUser } from '@innkeeper/panel/http/requests-in-flight'
import { forEachConcurrent } from './async.ts'
import { formatGrowth, formatRound, type ListTimes, type Round } from './fleet-report.ts'
import { Fleet, type FleetSize } from './fleet-setup.ts'
import { getCpuSeconds, getMemoryMiB } from './process-usage.ts'
import { keeperPid, type Observation } from './servers.ts'
import { quantile } from './statistics.ts'

const defaultSize: FleetSize = { nodes: 20, killedNodes: 5, rounds: [10, 100, 1_000], viewers: 200 }
/** Nodes and viewers: more nodes with the same viewers, then more viewers with the same nodes. */
const growthSizes = [
  [10, 100],
  [20, 100],
  [40, 100],
  [20, 50],
  [20, 200],
] as const
const growthServers = 100
/** Timeout of the whole benchmark. */
const timeoutMs = 15 * 60_000
const settleMs = 3_000
const idleMs = 10_000
const calls = 100
/** Lines that each printing server prints per round. */
const lines = 20
/** The expected error of calls to a killed node, and its deadline. */
const expectedRefusal = 'ErrServiceNotAvailable'
const maxRefusalMs = limits.nodeCallMs

/**
 * Measures resource usage and response times of a panel with many nodes, servers and viewers, as the number of servers
 * grows, and after some nodes were killed. All nodes share this machine, so each sees the processes of all.
 */
export async function fleet(overrides: Partial<FleetSize> = {}): Promise<readonly Observation[]> {
  const size = { ...defaultSize, ...overrides }
  const [startedAt, loadBefore] = [performance.now(), loadAverage()]
  const observations: Observation[] = []
  const abortController = new AbortController()
  const timer = setTimeout(
    () => abortController.abort(new Error(`timed out after ${timeoutMs / 60_000} minutes`)),
    timeoutMs,
  )
  const interrupt = () => abortController.abort(new Error('interrupted'))
  for (const signal of signals) process.once(signal, interrupt)
  try {
    await using all = await Fleet.start(size)
    await orAborted(runRounds(all, size, observations), abortController.signal)
  } catch (error) {
    // The measurements so far are reported too.
    observations.push({ name: 'fleet: completes', isGoalMet: false, details: getReason(error) })
  } finally {
    clearTimeout(timer)
    for (const signal of signals) process.off(signal, interrupt)
  }
  const machine = `load ${loadBefore} at the start, ${loadAverage()} at the end, on ${availableParallelism()} cores`
  return [
    {
      name: `fleet: ${size.nodes} nodes, ${size.viewers} viewers`,
      isGoalMet: true,
      details: `${machine}; ${secondsSince(startedAt)} s in total`,
    },
    ...observations,
  ]
}

/** The fleet at three sizes: how usage and response times grow with the number of nodes and viewers. */
export async function fleetGrowth(): Promise<readonly Observation[]> {
  const observations: Observation[] = []
  for (const [nodes, viewers] of growthSizes) {
    observations.push(...(await fleet({ nodes, viewers, killedNodes: 1, rounds: [growthServers] })))
  }
  return observations
}

const signals = ['SIGINT', 'SIGTERM'] as const

async function runRounds(all: Fleet, size: FleetSize, found: Observation[]): Promise<void> {
  let since = performance.now()
  await all.startNodes()
  found.push({ name: 'fleet: nodes join', isGoalMet: true, details: `all within ${secondsSince(since)} s` })
  const rounds: Round[] = []
  for (const total of size.rounds) {
    const before = all.servers.length
    since = performance.now()
    await all.addServers(total)
    const grown = `${total - before} created and started within ${secondsSince(since)} s`
    const name = `fleet: ${total} servers`
    found.push({ name, isGoalMet: true, details: grown })
    await all.connectViewers()
    const round = await measure(all, size.viewers)
    rounds.push(round)
    found.push(...formatRound(name, round))
  }
  found.push(formatGrowth(rounds))

  found.push(await killNodes(all))
  const remainingViewers = size.viewers - all.viewers.countOn(new Set(all.serversOnKilledNodes.map(({ id }) => id)))
  found.push(...formatRound(`fleet: ${size.killedNodes} nodes killed`, await measure(all, remainingViewers)))

  since = performance.now()
  await all.restartNodes()
  await all.waitUntilRunning(all.servers.length)
  const restarted = `all ${all.servers.length} servers shown as running within ${secondsSince(since)} s`
  found.push({ name: `fleet: ${size.killedNodes} nodes restarted`, isGoalMet: true, details: restarted })
}

/** Measures one round with this number of viewers. */
async function measure(all: Fleet, expectedViewers: number): Promise<Round> {
  const { installation, viewers } = all
  const online = all.servers.filter(({ node }) => node.isRunning)
  await pause(settleMs)
  const first = await measureLists(all, limits.pageSize)
  const largest = await measureLists(all, limits.pageSizeMax)
  const status = await measureTimes((index) =>
    installation.send(getStatus, { params: { id: online[index % online.length]?.id } }),
  )
  const nodes = await measureTimes(() => installation.send(listNodes))
  const output = await viewers.measureOutput(all.printingServers, lines)
  const costs = await measureUsage(all)
  return {
    servers: all.servers.length,
    first,
    largest,
    status,
    nodes,
    output,
    viewers: viewers.connected,
    expectedViewers,
    ...costs,
  }
}

/** Loads the first page of the server list repeatedly, as the web app does: servers, then their usage. */
async function measureLists({ installation, serversOnKilledNodes }: Fleet, limit: number): Promise<ListTimes> {
  let servers: ServerView[] = []
  let latestUsage: ServerUsage[] = []
  const [list, usage]: [number[], number[]] = [[], []]
  for (let call = 0; call < calls; call++) {
    const startedAt = performance.now()
    ;({ servers } = await installation.send<{ servers: ServerView[] }>(listServers, { query: { limit } }))
    const between = performance.now()
    latestUsage = await installation.send<ServerUsage[]>(getUsage, {
      query: { ids: servers.map(({ id }) => id).join(',') },
    })
    list.push(between - startedAt)
    usage.push(performance.now() - between)
  }
  const onKilledNodes = new Set(serversOnKilledNodes.map(({ id }) => id))
  const usageById = new Map(latestUsage.map((entry) => [entry.id, entry]))
  const isCorrect = ({ id }: ServerView) =>
    usageById.get(id)?.status?.running === true && (usageById.get(id)?.isOld ?? false) === onKilledNodes.has(id)
  const outdated = latestUsage.filter(({ isOld }) => isOld).length
  return { list, usage, servers: servers.length, outdated, isCorrect: servers.length > 0 && servers.every(isCorrect) }
}

/** Runs `run` repeatedly and returns the durations. */
async function measureTimes(run: (index: number) => Promise<unknown>): Promise<readonly number[]> {
  const times: number[] = []
  for (let index = 0; index < calls; index++) {
    const startedAt = performance.now()
    await run(index)
    times.push(performance.now() - startedAt)
  }
  return times
}

/** Measures CPU and memory while nothing happens. */
async function measureUsage({ installation, nodes }: Fleet): Promise<Pick<Round, 'panel' | 'node' | 'keeperMemory'>> {
  const pids = [installation.pid, ...nodes.filter(({ isRunning }) => isRunning).map(({ pid }) => pid)]
  const before = pids.map(getCpuSeconds)
  const startedAt = performance.now()
  await pause(idleMs)
  const ms = performance.now() - startedAt
  const cpu = pids.map((pid, index) => ((getCpuSeconds(pid) - (before[index] ?? Number.NaN)) / ms) * 100_000)
  const memory = pids.map(getMemoryMiB)
  const keepers = await Promise.all(nodes.map(({ dataDir }) => keeperPid(dataDir)))
  const median = (values: readonly number[]) => quantile(values, 0.5)
  return {
    panel: { cpu: cpu[0] ?? Number.NaN, memory: memory[0] ?? Number.NaN },
    node: { cpu: median(cpu.slice(1)), memory: median(memory.slice(1)) },
    keeperMemory: median(keepers.map(getMemoryMiB)),
  }
}

/** Kills nodes and calls their servers, at once and after the panel shows them as offline. */
async function killNodes(all: Fleet): Promise<Observation> {
  const viewersBefore = all.viewers.connected
  await all.killNodes()
  const killedAt = performance.now()
  const immediately = await collectRefusals(all)
  await all.waitUntilNoticed()
  const detectedAfter = secondsSince(killedAt)
  const refusals = [...immediately, ...(await collectRefusals(all))]
  const codes = [...new Set(refusals.map(({ code }) => code))]
  const longest = Math.max(...refusals.map(({ ms }) => ms))
  return {
    name: 'fleet: calls to dead nodes',
    isGoalMet: codes.join() === expectedRefusal && longest < maxRefusalMs,
    details: [
      `${refusals.length} calls fail with ${codes.join(', ')}, the slowest after ${longest.toFixed(0)} ms (< ${maxRefusalMs})`,
      `the nodes are shown as offline after ${detectedAfter} s`,
      `${viewersBefore - all.viewers.connected} of ${viewersBefore} viewers lost their console`,
    ].join('; '),
  }
}

/** Calls servers on killed nodes and returns the error codes and response times. */
async function collectRefusals({ installation, serversOnKilledNodes }: Fleet): Promise<{ code: string; ms: number }[]> {
  const refusals: { code: string; ms: number }[] = []
  const send = async (call: Endpoint, id: string, query = {}) => {
    const startedAt = performance.now()
    const response = await fetch(`${installation.url}${getPanelUrl(call, { params: { id }, query })}`, {
      method: call.method,
      headers: { authorization: `Bearer ${installation.token}` },
      signal: AbortSignal.timeout(3 * maxRefusalMs),
    })
    const code = response.ok ? undefined : refusalFrom(await response.json())?.code
    refusals.push({ code: code ?? String(response.status), ms: performance.now() - startedAt })
  }
  const servers = serversOnKilledNodes.slice(0, maxLargeResponsesPerUser)
  await forEachConcurrent(servers, servers.length, async ({ id }) => {
    await send(getStatus, id)
    await send(getConsole, id)
    await send(startServer, id, { wait: true })
  })
  return refusals
}

const loadAverage = (): string => (loadavg()[0] ?? Number.NaN).toFixed(1)
const secondsSince = (startedAt: number): string => ((performance.now() - startedAt) / 1000).toFixed(0)

function getReason(error: unknown): string {
  if (error instanceof SuppressedError) return `${getReason(error.suppressed)}, and then ${getReason(error.error)}`
  return error instanceof Error ? error.message : String(error)
}

/** Rejects as soon as the signal is aborted, also while the promise is pending. */
async function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted()
  const aborted = Promise.withResolvers<never>()
  signal.addEventListener('abort', () => aborted.reject(signal.reason), { once: true })
  return await Promise.race([promise, aborted.promise])
}
