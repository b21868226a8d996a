import { availableParallelism, loadavg } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { type Endpoint, panelUrlOf } from '@innkeeper/contract/endpoint'
import { limits } from '@innkeeper/contract/limits'
import { getConsole, getStatus, startServer } from '@innkeeper/contract/node-servers'
import { listNodes } from '@innkeeper/contract/nodes'
import { refusalFrom } from '@innkeeper/contract/refusal-envelope'
import { getUsage, listServers, type ServerUsage, type ServerView } from '@innkeeper/contract/servers'
import { quantile } from './figures.ts'
import { growthOf, linesOf, type Pages, type Round } from './fleet-lines.ts'
import { Fleet, type FleetSize } from './fleet-stage.ts'
import { cpuSecondsOf, memoryMiBOf } from './process-figures.ts'
import { keeperOf, type Observation } from './servers.ts'
import { each } from './waiting.ts'

const usual: FleetSize = { nodes: 20, dead: 5, rounds: [10, 100, 1_000], viewers: 200 }
/** All of it must have come to its end by then. */
const endMs = 15 * 60_000
const settleMs = 3_000
const idleMs = 10_000
const calls = 100
/** How much each of the servers that print says. */
const lines = 20
/** What calls to a dead node say, and by when. */
const refusal = 'ErrServiceNotAvailable'
const refusalMs = limits.nodeCallMs

/**
 * What a panel, its nodes and those who look at their servers cost, and how that grows with the servers; and the same
 * when some nodes are dead. All nodes share this machine: each of them sees the processes of all.
 */
export async function fleet(given: Partial<FleetSize> = {}): Promise<readonly Observation[]> {
  const size = { ...usual, ...given }
  const [began, loadBefore] = [performance.now(), load()]
  const found: Observation[] = []
  const over = new AbortController()
  const late = setTimeout(() => over.abort(new Error(`not within ${endMs / 60_000} minutes`)), endMs)
  const interrupt = () => over.abort(new Error('interrupted'))
  for (const signal of signals) process.once(signal, interrupt)
  try {
    await using all = await Fleet.open(size)
    await unlessAborted(play(all, size, found), over.signal)
  } catch (error) {
    // What was measured until then is told all the same.
    found.push({ name: 'fleet: comes to its end', isMet: false, figures: reasonOf(error) })
  } finally {
    clearTimeout(late)
    for (const signal of signals) process.off(signal, interrupt)
  }
  const machine = `load ${loadBefore} at the start, ${load()} at the end, on ${availableParallelism()} cores`
  return [
    {
      name: `fleet: ${size.nodes} nodes, ${size.viewers} viewers`,
      isMet: true,
      figures: `${machine}; ${secondsSince(began)} s in all`,
    },
    ...found,
  ]
}

const signals = ['SIGINT', 'SIGTERM'] as const

async function play(all: Fleet, size: FleetSize, found: Observation[]): Promise<void> {
  let since = performance.now()
  await all.join()
  found.push({ name: 'fleet: nodes join', isMet: true, figures: `all within ${secondsSince(since)} s` })
  const rounds: Round[] = []
  for (const total of size.rounds) {
    const before = all.servers.length
    since = performance.now()
    await all.grow(total)
    const grown = `${total - before} made and started within ${secondsSince(since)} s`
    const name = `fleet: ${total} servers`
    found.push({ name, isMet: true, figures: grown })
    await all.seat()
    const round = await measure(all, size.viewers)
    rounds.push(round)
    found.push(...linesOf(name, round))
  }
  found.push(growthOf(rounds))

  found.push(await kill(all))
  const left = size.viewers - all.viewers.before(new Set(all.onDeadNodes.map(({ id }) => id)))
  found.push(...linesOf(`fleet: ${size.dead} nodes dead`, await measure(all, left)))

  since = performance.now()
  await all.revive()
  await all.untilRunning(all.servers.length)
  const back = `known to run all ${all.servers.length} servers within ${secondsSince(since)} s`
  found.push({ name: `fleet: ${size.dead} nodes come back`, isMet: true, figures: back })
}

/** The fleet as it is now, with so many viewers. */
async function measure(all: Fleet, wanted: number): Promise<Round> {
  const { product, viewers } = all
  const living = all.servers.filter(({ node }) => node.isRunning)
  await pause(settleMs)
  const first = await pagesOf(all, limits.pageSize)
  const largest = await pagesOf(all, limits.pageSizeMax)
  const status = await timesOf((at) => product.ask(getStatus, { params: { id: living[at % living.length]?.id } }))
  const nodes = await timesOf(() => product.ask(listNodes))
  const heard = await viewers.hear(all.ticking, lines)
  const costs = await idle(all)
  return {
    servers: all.servers.length,
    first,
    largest,
    status,
    nodes,
    heard,
    viewers: viewers.connected,
    wanted,
    ...costs,
  }
}

/** The first page of the list as the browser asks for it, again and again: servers, then what they are doing. */
async function pagesOf({ product, onDeadNodes }: Fleet, limit: number): Promise<Pages> {
  let servers: ServerView[] = []
  let told: ServerUsage[] = []
  const [list, usage]: [number[], number[]] = [[], []]
  for (let call = 0; call < calls; call++) {
    const began = performance.now()
    ;({ servers } = await product.ask<{ servers: ServerView[] }>(listServers, { query: { limit } }))
    const between = performance.now()
    told = await product.ask<ServerUsage[]>(getUsage, { query: { ids: servers.map(({ id }) => id).join(',') } })
    list.push(between - began)
    usage.push(performance.now() - between)
  }
  const dead = new Set(onDeadNodes.map(({ id }) => id))
  const known = new Map(told.map((one) => [one.id, one]))
  const isTrue = ({ id }: ServerView) =>
    known.get(id)?.status?.running === true && (known.get(id)?.isOld ?? false) === dead.has(id)
  const old = told.filter(({ isOld }) => isOld).length
  return { list, usage, servers: servers.length, old, isTrue: servers.length > 0 && servers.every(isTrue) }
}

/** How long something takes, again and again. */
async function timesOf(act: (at: number) => Promise<unknown>): Promise<readonly number[]> {
  const took: number[] = []
  for (let at = 0; at < calls; at++) {
    const began = performance.now()
    await act(at)
    took.push(performance.now() - began)
  }
  return took
}

/** What everything costs while nobody does anything. */
async function idle({ product, nodes }: Fleet): Promise<Pick<Round, 'panel' | 'node' | 'keeperMemory'>> {
  const pids = [product.pid, ...nodes.filter(({ isRunning }) => isRunning).map(({ pid }) => pid)]
  const before = pids.map(cpuSecondsOf)
  const began = performance.now()
  await pause(idleMs)
  const ms = performance.now() - began
  const cpu = pids.map((pid, at) => ((cpuSecondsOf(pid) - (before[at] ?? Number.NaN)) / ms) * 100_000)
  const memory = pids.map(memoryMiBOf)
  const keepers = await Promise.all(nodes.map(({ dataDir }) => keeperOf(dataDir)))
  const median = (of: readonly number[]) => quantile(of, 0.5)
  return {
    panel: { cpu: cpu[0] ?? Number.NaN, memory: memory[0] ?? Number.NaN },
    node: { cpu: median(cpu.slice(1)), memory: median(memory.slice(1)) },
    keeperMemory: median(keepers.map(memoryMiBOf)),
  }
}

/** Kills the nodes that are to die, and hears what calls to them say at once, and when the panel has missed them. */
async function kill(all: Fleet): Promise<Observation> {
  const watching = all.viewers.connected
  await all.kill()
  const since = performance.now()
  const atOnce = await refusalsOf(all)
  await all.untilSeen()
  const missed = secondsSince(since)
  const heard = [...atOnce, ...(await refusalsOf(all))]
  const codes = [...new Set(heard.map(({ code }) => code))]
  const longest = Math.max(...heard.map(({ ms }) => ms))
  return {
    name: 'fleet: calls to dead nodes',
    isMet: codes.join() === refusal && longest < refusalMs,
    figures: [
      `${heard.length} calls say ${codes.join(', ')}, the longest after ${longest.toFixed(0)} ms (< ${refusalMs})`,
      `the nodes are missed after ${missed} s`,
      `${watching - all.viewers.connected} of ${watching} viewers lost their console`,
    ].join('; '),
  }
}

/** What calls to some servers on dead nodes say, and how long they take for it. */
async function refusalsOf({ product, onDeadNodes }: Fleet): Promise<{ code: string; ms: number }[]> {
  const heard: { code: string; ms: number }[] = []
  const ask = async (call: Endpoint, id: string, query = {}) => {
    const began = performance.now()
    const answer = await fetch(`${product.url}${panelUrlOf(call, { params: { id }, query })}`, {
      method: call.method,
      headers: { authorization: `Bearer ${product.token}` },
      signal: AbortSignal.timeout(3 * refusalMs),
    })
    const code = answer.ok ? undefined : refusalFrom(await answer.json())?.code
    heard.push({ code: code ?? String(answer.status), ms: performance.now() - began })
  }
  const some = onDeadNodes.slice(0, 10)
  await each(some, some.length, async ({ id }) => {
    await ask(getStatus, id)
    await ask(getConsole, id)
    await ask(startServer, id, { wait: true })
  })
  return heard
}

const load = (): string => (loadavg()[0] ?? Number.NaN).toFixed(1)
const secondsSince = (began: number): string => ((performance.now() - began) / 1000).toFixed(0)

function reasonOf(error: unknown): string {
  if (error instanceof SuppressedError) return `${reasonOf(error.suppressed)}, and then ${reasonOf(error.error)}`
  return error instanceof Error ? error.message : String(error)
}

/** Does not wait for what would go on although nobody wants it any more. */
async function unlessAborted<T>(doing: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted()
  const aborted = Promise.withResolvers<never>()
  signal.addEventListener('abort', () => aborted.reject(signal.reason), { once: true })
  return await Promise.race([doing, aborted.promise])
}
