import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { availableParallelism, loadavg } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { getStats, killServer, startServer } from '@innkeeper/contract/node-servers'
import { getNodeFeatures, localNodeId, type NodeFeatures, type NodeIsolation } from '@innkeeper/contract/nodes'
import { createServer, deleteServer } from '@innkeeper/contract/servers'
import type { ServerStats } from '@innkeeper/contract/status'
import { type Control, controllers } from '@innkeeper/daemon/isolation/control-groups'
import { Deadline } from './deadline.ts'
import { quantile } from './figures.ts'
import { Neighbour, type Waits } from './neighbour.ts'
import { cpuSecondsOf } from './process-figures.ts'
import { Product } from './product.ts'
import { keeperOf, type Observation } from './servers.ts'

/** What a server that means no good may use: MiB, percent of a core, processes. */
const allowed = { memory: 200, cpu: 50, processes: 60 } as const

/** Should nothing hold it: limits of its user, far above those that are measured, and an end by force. */
const net = 'ulimit -u 400 -v 1000000'
const endMs = 25_000

const settleMs = 1_000
const watchMs = 8_000
const lookMs = 250
const leftMs = 5_000
/** What is promised of any server: an answer by then, and an end of all of it by then. */
const answerMs = 300
const killMs = 2_000

interface Kind {
  readonly name: string
  /** What keeps it from taking the machine; without that it is not let loose. */
  readonly heldBy: Control
  readonly script: string
}

const kinds: readonly Kind[] = [
  { name: 'fork bomb', heldBy: 'processes', script: "exec perl -e 'fork while 1'" },
  {
    name: 'memory hog',
    heldBy: 'memory',
    script: "while :; do perl -e 'push @x, q(x) x 5e6 while 1'; done",
  },
  { name: 'spinner', heldBy: 'cpu', script: 'for i in 1 2 3 4; do (while :; do :; done) & done; wait' },
  { name: 'flood', heldBy: 'cpu', script: 'exec yes this line is printed without end' },
]

/** What a server does to the one beside it when it takes all that it can get: one kind of it after the other. */
export async function hurt(): Promise<readonly Observation[]> {
  await using product = await Product.start()
  const { isolation } = await product.ask<NodeFeatures>(getNodeFeatures, { params: { id: localNodeId } })
  const machine = whatHolds(isolation)
  if (!isolation?.user.enforced) return [machine]
  await using neighbour = await Neighbour.start(product)
  const alone = await neighbour.watch(watchMs)
  const found: Observation[] = [
    machine,
    { name: 'hurt: nobody beside it', isMet: isWell(alone), figures: waitsOf(alone) },
  ]
  for (const kind of kinds) {
    const { enforced, reason } = isolation.limits[kind.heldBy]
    found.push(
      enforced
        ? await beside(neighbour, kind, product)
        : { name: `hurt: ${kind.name}`, isMet: false, figures: `not let loose: ${reason}` },
    )
  }
  return found
}

function whatHolds(isolation: NodeIsolation | undefined): Observation {
  const abilities = { user: isolation?.user, ...isolation?.limits }
  const said = Object.entries(abilities).map(([name, ability]) =>
    ability?.enforced ? `${name}: held` : `${name}: not held (${ability?.reason ?? 'the node does not say'})`,
  )
  const load = `load ${loadavg()[0]?.toFixed(1)} on ${availableParallelism()} cores`
  return {
    name: 'hurt: what this machine holds servers to',
    isMet: isolation?.user.enforced === true && controllers.every((control) => isolation.limits[control].enforced),
    figures: [...said, load].join('; '),
  }
}

/** Lets one loose beside the neighbour, and ends it. */
async function beside(neighbour: Neighbour, { name, heldBy, script }: Kind, product: Product): Promise<Observation> {
  const body = {
    name,
    type: 'bench',
    run: { command: `bash -c "${net}; ${script}"` },
    environment: { type: 'standard', limits: allowed },
    data: {},
  }
  const before = groupsOf(product.dataDir)
  const { id } = await product.ask<{ id: string }>(createServer, { body })
  const user = statSync(join(product.dataDir, 'servers', id)).uid
  using _ = Deadline.over(user, endMs)
  await product.ask(startServer, { params: { id }, query: { wait: true } })
  await pause(settleMs)

  const ours = [product.pid, await keeperOf(product.dataDir)]
  const usedBefore = ours.map(cpuSecondsOf)
  const [waits, used] = await Promise.all([neighbour.watch(watchMs), usageOf(product, id, user)])
  const usedByUs = ours.map((pid, at) => ((cpuSecondsOf(pid) - (usedBefore[at] ?? 0)) / watchMs) * 100_000)

  const killing = performance.now()
  await product.ask(killServer, { params: { id }, query: { wait: true } })
  const killed = performance.now() - killing
  const left = await leftOf(() => processesOf(user).length + groupsOf(product.dataDir) - before)
  const isNeighbourUp = await neighbour.isRunning()
  await product.ask(deleteServer, { params: { id } })
  const isHeld = used[heldBy] <= allowed[heldBy] * 1.1
  return {
    name: `hurt: ${name}`,
    isMet: isWell(waits) && isHeld && killed < killMs && left === 0 && isNeighbourUp,
    figures: [
      `beside it ${waitsOf(waits)}`,
      `it used CPU ${used.cpu.toFixed(0)} % (≤ ${allowed.cpu}), memory up to ${used.memory.toFixed(0)} MiB (≤ ${allowed.memory}), up to ${used.processes} processes (≤ ${allowed.processes})`,
      `Innkeeper used ${usedByUs[0]?.toFixed(0)} %, its keeper ${usedByUs[1]?.toFixed(0)} %`,
      `Kill took ${killed.toFixed(0)} ms (< ${killMs}), ${left === 0 ? 'nothing was left' : `${left} processes or groups were left`}`,
      isNeighbourUp ? 'the other one runs on' : 'THE OTHER ONE IS DOWN',
    ].join('; '),
  }
}

/** What a server used while it was watched: CPU on average as its node tells, the most memory and processes as we count. */
async function usageOf(product: Product, id: string, user: number): Promise<Record<Control, number>> {
  const until = performance.now() + watchMs
  const cpu: number[] = []
  let [memory, processes] = [0, 0]
  while (performance.now() < until) {
    const found = processesOf(user)
    processes = Math.max(processes, found.length)
    memory = Math.max(
      memory,
      found.reduce((sum, { residentMiB }) => sum + residentMiB, 0),
    )
    // One that was ended for its memory has no statistics any more.
    const stats = await product.ask<ServerStats>(getStats, { params: { id } }).catch(() => undefined)
    if (stats) cpu.push(stats.cpu)
    await pause(lookMs)
  }
  return { memory, processes, cpu: cpu.reduce((sum, value) => sum + value, 0) / Math.max(1, cpu.length) }
}

/** Every process of a user, the dead that nobody asked for too. */
function processesOf(user: number): { readonly residentMiB: number }[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return []
    const text = statusOf(name)
    if (Number(/^Uid:\s+(\d+)/m.exec(text)?.[1]) !== user) return []
    return [{ residentMiB: Number(/^VmRSS:\s+(\d+)/m.exec(text)?.[1] ?? 0) / 1024 }]
  })
}

/** Nothing when the process ended meanwhile. */
function statusOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/status`, 'latin1')
  } catch {
    return ''
  }
}

/** How many control groups a node has for its runs, in all trees together. */
function groupsOf(dataDir: string): number {
  const [root, name] = ['/sys/fs/cgroup', createHash('sha256').update(dataDir).digest('hex').slice(0, 12)]
  if (!existsSync(root)) return 0
  return [root, ...readdirSync(root).map((tree) => join(root, tree))]
    .map((tree) => join(tree, 'innkeeper', name))
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory())).length
}

/** What is still there when there was time enough for it to go. */
async function leftOf(count: () => number): Promise<number> {
  const until = performance.now() + leftMs
  while (count() > 0 && performance.now() < until) await pause(lookMs)
  return count()
}

function isWell({ status, echo }: Waits): boolean {
  return [status, echo].every((took) => took.length > 0 && quantile(took, 0.95) < answerMs)
}

function waitsOf({ status, echo }: Waits): string {
  const text = (took: readonly number[]) => [0.5, 0.95, 1].map((part) => quantile(took, part).toFixed(1)).join(' / ')
  return `status ${text(status)} ms, echo ${text(echo)} ms (p50 / p95 / longest, p95 < ${answerMs})`
}
