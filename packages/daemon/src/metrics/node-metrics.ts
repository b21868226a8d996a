import { Counter, Gauge, type Registry as MetricsRegistry, type OpenMetricsContentType } from 'prom-client'
import type { FileOperations } from '../file-jobs/file-operations.ts'
import type { GameQueries } from '../players/game-queries.ts'
import type { MachineUsage } from '../proc/machine-usage.ts'
import type { Registry } from '../servers/registry.ts'

interface Deps {
  readonly registry: MetricsRegistry<OpenMetricsContentType>
  readonly servers: Pick<Registry, 'servers'>
  readonly fileOperations: Pick<FileOperations, 'measuredBytes'>
  readonly games: Pick<GameQueries, 'look'>
  readonly machine: MachineUsage
  readonly version: string
}

type Snapshot = Awaited<ReturnType<typeof readSnapshot>>
type ServerFigures = Snapshot['servers'][number]

/** Registers the metrics of a node and its servers. Everything is read once per scrape. */
export function registerNodeMetrics(deps: Deps): void {
  const factories = metricFactories(deps)
  registerMachineMetrics(factories, deps)
  registerServerMetrics(factories, deps)
}

type MetricFactories = ReturnType<typeof metricFactories>

function metricFactories(deps: Deps) {
  const registers = [deps.registry]
  let reading: Promise<Snapshot> | undefined

  /** Concurrent calls share one read. */
  function snapshot(): Promise<Snapshot> {
    reading ??= readSnapshot(deps).finally(() => {
      reading = undefined
    })
    return reading
  }

  function nodeGauge(name: string, help: string, valueIn: (snapshot: Snapshot) => number): void {
    new Gauge({
      name: `innkeeper_node_${name}`,
      help,
      registers,
      async collect() {
        this.set(valueIn(await snapshot()))
      },
    })
  }

  /** Servers without the figure are omitted. */
  function serverGauge(name: string, help: string, getFigure: (server: ServerFigures) => number | undefined): void {
    new Gauge({
      name: `innkeeper_server_${name}`,
      help,
      labelNames: ['server'],
      registers,
      async collect() {
        const { servers } = await snapshot()
        this.reset()
        for (const server of servers) {
          const value = getFigure(server)
          if (value !== undefined) this.set({ server: server.id }, value)
        }
      },
    })
  }

  function serverCounter(name: string, help: string, getCount: (server: ServerFigures) => number): void {
    new Counter({
      name: `innkeeper_server_${name}_total`,
      help,
      labelNames: ['server'],
      registers,
      async collect() {
        const { servers } = await snapshot()
        this.reset()
        for (const server of servers) this.inc({ server: server.id }, getCount(server))
      },
    })
  }

  return { snapshot, nodeGauge, serverGauge, serverCounter }
}

function registerMachineMetrics({ nodeGauge }: MetricFactories, { registry, version }: Deps): void {
  const info = new Gauge({
    name: 'innkeeper_node_info',
    help: 'Version of the node, as a label.',
    labelNames: ['version'],
    registers: [registry],
  })
  info.set({ version }, 1)
  nodeGauge('cpu_cores', 'CPU cores of the machine.', ({ machine }) => machine.cpu.cores)
  nodeGauge(
    'cpu_usage_ratio',
    'CPU usage of the machine since the last scrape, 0 to 1.',
    ({ machine }) => machine.cpu.used / 100,
  )
  nodeGauge('memory_bytes', 'Memory of the machine.', ({ machine }) => machine.memory.total)
  nodeGauge('memory_used_bytes', 'Memory in use on the machine.', ({ machine }) => machine.memory.used)
  nodeGauge('disk_bytes', 'Size of the disk of the data folder.', ({ machine }) => machine.disk.total)
  nodeGauge('disk_used_bytes', 'Space in use on the disk of the data folder.', ({ machine }) => machine.disk.used)
}

function registerServerMetrics({ snapshot, serverGauge, serverCounter }: MetricFactories, { registry }: Deps): void {
  new Gauge({
    name: 'innkeeper_server_state',
    help: 'Current state of a server, as a label; the value is 1.',
    labelNames: ['server', 'state'],
    registers: [registry],
    async collect() {
      const { servers } = await snapshot()
      this.reset()
      for (const { id, state } of servers) this.set({ server: id, state }, 1)
    },
  })
  serverGauge('cpu_usage_cores', 'CPU usage of a server in cores.', ({ stats }) => stats.cpu / 100)
  serverGauge('cpu_limit_cores', 'CPU limit of a server, or the cores of the machine.', ({ cpuMax }) => cpuMax / 100)
  serverGauge('memory_bytes', 'Memory in use by a server.', ({ stats }) => stats.memory)
  serverGauge(
    'memory_limit_bytes',
    'Memory limit of a server, or the memory of the machine.',
    ({ memoryMax }) => memoryMax,
  )
  serverGauge(
    'disk_bytes',
    'Size of the files of a server, as it was last measured for a user or for its limit.',
    ({ disk, diskBytes }) => disk?.usedBytes ?? diskBytes,
  )
  serverGauge('disk_limit_bytes', 'Limit of the disk space of a server.', ({ disk }) => disk?.limitBytes)
  serverGauge(
    'players',
    'Players on a server, as its game reports them or its console shows them.',
    ({ players }) => players?.online,
  )
  serverGauge(
    'players_max',
    'How many players fit on a server, as its game reports it.',
    ({ players }) => players?.max || undefined,
  )
  const rates = {
    disk_read: ['Bytes that a server reads from disk per second.', 'diskRead'],
    disk_write: ['Bytes that a server writes to disk per second.', 'diskWrite'],
    network_receive: ['Bytes that a server in a container receives per second.', 'networkIn'],
    network_transmit: ['Bytes that a server in a container sends per second.', 'networkOut'],
  } as const
  for (const [name, [help, figure]] of Object.entries(rates))
    serverGauge(`${name}_bytes_per_second`, help, ({ stats }) => stats[figure])
  serverCounter('starts', 'Starts of the process of a server.', ({ counts }) => counts.starts)
  serverCounter('crashes', 'Crashes of a server, also because of lack of memory.', ({ counts }) => counts.crashes)
  serverCounter(
    'out_of_memory',
    'Crashes of a server because it exceeded its memory limit.',
    ({ counts }) => counts.outOfMemory,
  )
}

async function readSnapshot({ machine, servers, fileOperations, games }: Deps) {
  games.look()
  return {
    machine: await machine.sample(),
    servers: servers.servers.map((server) => {
      const { id, status, stats, memoryMax, cpuMax, disk, players } = server.usage
      // Unknown: the container engine does not respond.
      const state = status.isInDoubt ? 'unknown' : status.state
      const known = { counts: server.counts, diskBytes: fileOperations.measuredBytes(id), players }
      return { id, state, stats, memoryMax, cpuMax, disk, ...known }
    }),
  }
}
