import { localNodeId, nodeStates } from '@innkeeper/contract/nodes/nodes'
import type { Logger } from 'pino'
import { Gauge, Histogram, type OpenMetricsContentType, type Registry } from 'prom-client'
import { countRows } from '../database/rows.ts'
import type { Database } from '../database/schema.ts'
import type { NodeRepository } from '../nodes/node-repository.ts'
import type { LocalNode } from '../nodes/node-views.ts'
import type { NodeReports } from '../nodes/reports.ts'
import type { WebSocketConnections } from '../proxy/websocket-connections.ts'
import { lastBackupAt } from '../settings/last-backup.ts'

interface Deps {
  readonly registry: Registry<OpenMetricsContentType>
  readonly db: Database
  readonly localNode?: Pick<LocalNode, 'name'> | undefined
  readonly repository: Pick<NodeRepository, 'all'>
  readonly reports: Pick<NodeReports, 'readHealth'>
  readonly sockets: Pick<WebSocketConnections, 'size'>
  readonly version: string
  readonly log: Logger
  readonly now: () => number
}

/** What one scrape reads from the database. */
type Counts = Awaited<ReturnType<typeof readCounts>>

/** A handled request: the pattern of its route, never its URL. */
export interface HandledRequest {
  readonly method: string
  readonly route: string
  readonly status: number
  readonly seconds: number
}

export type PanelMetrics = ReturnType<typeof panelMetrics>

const requestBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]

/** Registers the metrics of the panel. */
export function panelMetrics(deps: Deps) {
  const { registry, sockets, version } = deps
  const registers = [registry]
  const info = new Gauge({
    name: 'innkeeper_panel_info',
    help: 'Version of the panel, as a label.',
    labelNames: ['version'],
    registers,
  })
  info.set({ version }, 1)
  const duration = new Histogram({
    name: 'innkeeper_panel_http_request_duration_seconds',
    help: 'Time from the arrival of a request to the end of its response, by pattern of its route.',
    labelNames: ['method', 'route', 'status'],
    buckets: requestBuckets,
    registers,
  })
  new Gauge({
    name: 'innkeeper_panel_live_sockets',
    help: 'Open live sockets of viewers.',
    registers,
    collect() {
      this.set(sockets.size)
    },
  })
  registerDatabaseMetrics(deps)

  return {
    registry,

    observe({ method, route, status, seconds }: HandledRequest): void {
      duration.observe({ method, route, status }, seconds)
    },
  }
}

/** Registers the metrics that need the database, which is read once per scrape. */
function registerDatabaseMetrics(deps: Deps): void {
  const registers = [deps.registry]
  let reading: Promise<Counts | undefined> | undefined

  /** Concurrent calls share one read. Undefined while the database is unavailable. */
  function counts(): Promise<Counts | undefined> {
    reading ??= readCounts(deps)
      .catch((error: unknown) => {
        deps.log.warn({ err: error }, 'metrics that need the database are omitted')
        return undefined
      })
      .finally(() => {
        reading = undefined
      })
    return reading
  }

  /** A gauge with values from the database; without a database it has none. */
  function gauge<L extends string>(
    name: string,
    help: string,
    labelNames: readonly L[],
    fill: (gauge: Gauge<L>, counts: Counts) => void,
  ): void {
    const metric: Gauge<L> = new Gauge({
      name,
      help,
      labelNames,
      registers,
      async collect() {
        const found = await counts()
        metric.reset()
        // A gauge without labels would be 0.
        if (labelNames.length === 0) metric.remove()
        if (found) fill(metric, found)
      },
    })
  }

  new Gauge({
    name: 'innkeeper_panel_database_up',
    help: 'Whether the database responds.',
    registers,
    async collect() {
      this.set((await counts()) ? 1 : 0)
    },
  })
  gauge('innkeeper_panel_users', 'Number of users.', [], (metric, { users }) => metric.set(users))
  gauge('innkeeper_panel_sessions', 'Number of sessions that have not expired.', [], (metric, { sessions }) =>
    metric.set(sessions),
  )
  gauge('innkeeper_panel_servers', 'Number of servers.', [], (metric, { servers }) => metric.set(servers.length))
  gauge(
    'innkeeper_server_info',
    'Name and node of a server, as labels.',
    ['server', 'name', 'node'],
    (metric, { servers, nodes }) => {
      const names = new Map(nodes.map(({ id, name }) => [id, name]))
      for (const { id, name, node_id: node } of servers)
        metric.set({ server: id, name, node: names.get(node) ?? String(node) }, 1)
    },
  )
  gauge('innkeeper_panel_nodes', 'Number of nodes by state.', ['state'], (metric, { nodes }) => {
    for (const state of nodeStates) metric.set({ state }, nodes.filter((node) => node.state === state).length)
  })
  gauge(
    'innkeeper_panel_node_state',
    'State of a node as the panel sees it: 1 for the current state.',
    ['id', 'node', 'state'],
    (metric, { nodes }) => {
      for (const { id, name, state: current } of nodes)
        for (const state of nodeStates) metric.set({ id, node: name, state }, state === current ? 1 : 0)
    },
  )
  gauge('innkeeper_panel_mails', 'Number of mails in the queue by state.', ['state'], (metric, { mails }) => {
    for (const state of ['waiting', 'failed'] as const) metric.set({ state }, mails[state])
  })
  gauge(
    'innkeeper_panel_last_backup_timestamp_seconds',
    'When the last backup of the database was made.',
    [],
    (metric, { backedUpAt }) => {
      if (backedUpAt !== undefined) metric.set(backedUpAt / 1000)
    },
  )
}

/** One query at a time, so that a scrape needs one connection. */
async function readCounts({ db, localNode, repository, reports, now }: Deps) {
  const users = await countRows(db.selectFrom('users'))
  const sessions = await countRows(db.selectFrom('sessions').where('expires_at', '>', now()))
  const servers = await db.selectFrom('servers').select(['id', 'name', 'node_id']).execute()
  const mails = await db
    .selectFrom('mails')
    .select(({ fn }) => ['state', fn.countAll<number | bigint | string>().as('count')])
    .groupBy('state')
    .execute()
  const nodes = [...(localNode ? [{ id: localNodeId, name: localNode.name }] : []), ...(await repository.all())]
  const health = await reports.readHealth(nodes.map(({ id }) => id))
  const mailsIn = (states: readonly string[]) =>
    mails.filter(({ state }) => states.includes(state)).reduce((sum, { count }) => sum + Number(count), 0)
  return {
    users,
    sessions,
    servers,
    nodes: nodes.map(({ id, name }) => ({ id, name, state: health.get(id)?.state ?? 'waiting' })),
    mails: { waiting: mailsIn(['waiting', 'sending']), failed: mailsIn(['failed']) },
    backedUpAt: await lastBackupAt(db),
  }
}
