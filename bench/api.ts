import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from '@innkeeper/cli/testing/free-port'
import { startServer } from '@innkeeper/contract/node-servers'
import { createServer } from '@innkeeper/contract/servers'
import autocannon from 'autocannon'
import Database from 'better-sqlite3'
import { cpuSecondsOf, memoryMiBOf } from './process-usage.ts'
import { Service } from './programs.ts'
import { acceptsConnections } from './references.ts'
import { quantile } from './statistics.ts'
import { TestInstallation } from './test-installation.ts'

/** An API call to measure, with the goal for its rate relative to the bare server. */
interface ApiCase {
  readonly name: string
  readonly path: string
  readonly goal?: number
}

interface Load {
  readonly requestsPerSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** Responses other than 2xx, and failed connections. */
  readonly failures: number
}

const rounds = 3
const seconds = 3
const connectionCounts = [1, 10, 50]
const serversOnNode = 50
const serversInDatabase = [1_000, 10_000]

/**
 * Prints request rate and response times of frequent API calls, interleaved with those of a bare `node:http` server. Each value
 * is the median of three rounds.
 */
export async function benchApi(): Promise<void> {
  await using installation = await TestInstallation.start()
  for (let number = 1; number < serversOnNode; number++) {
    const body = { name: `bench ${number}`, type: 'bench', run: { command: 'sleep 3600', stopCode: 15 }, data: {} }
    await installation.send(createServer, { body })
  }
  await installation.send(startServer, { params: { id: installation.server }, query: { wait: true } })
  const port = await freePort()
  const self = fileURLToPath(import.meta.url)
  await using _bare = await Service.start(process.execPath, [self, String(port)], () => acceptsConnections(port))
  const server = `/proxy/daemon/server/${installation.server}`
  const memoryBefore = memoryMiBOf(installation.pid)

  await measure(installation, `http://127.0.0.1:${port}/`, [
    { name: `servers list, 10 of ${serversOnNode}`, path: '/api/servers', goal: 0.18 },
    { name: 'server with permissions', path: `/api/servers/${installation.server}?perms` },
    { name: 'self', path: '/api/self', goal: 0.35 },
    { name: 'config', path: '/api/config', goal: 0.35 },
    { name: 'status through the panel', path: `${server}/status`, goal: 0.12 },
    { name: 'statistics through the panel', path: `${server}/stats` },
    { name: 'file list through the panel', path: `${server}/file/` },
  ])
  console.log(`memory: ${memoryBefore.toFixed(0)} MiB before, ${memoryMiBOf(installation.pid).toFixed(0)} MiB after`)
  for (const count of serversInDatabase) {
    addServers(installation, count)
    await measure(installation, `http://127.0.0.1:${port}/`, [
      { name: `servers list, 10 of ${count}`, path: '/api/servers', goal: 0.18 },
    ])
  }
}

async function measure(installation: TestInstallation, bareUrl: string, cases: readonly ApiCase[]): Promise<void> {
  for (const connections of connectionCounts) {
    const bare: Load[] = []
    const loads = new Map<ApiCase, { load: Load; cpuMs: number }[]>()
    for (let round = 0; round < rounds; round++) {
      bare.push(await run(bareUrl, connections))
      for (const apiCase of cases) {
        const cpuBefore = cpuSecondsOf(installation.pid)
        const load = await run(`${installation.url}${apiCase.path}`, connections, installation.token)
        const cpuMs = ((cpuSecondsOf(installation.pid) - cpuBefore) * 1000) / (load.requestsPerSecond * seconds)
        loads.set(apiCase, [...(loads.get(apiCase) ?? []), { load, cpuMs }])
      }
    }
    for (const [apiCase, results] of loads) console.log(line(apiCase, connections, results, bare))
  }
}

function line(
  { name, goal }: ApiCase,
  connections: number,
  results: readonly { load: Load; cpuMs: number }[],
  bare: readonly Load[],
): string {
  const ours = (pick: (load: Load) => number) => median(results.map(({ load }) => pick(load)))
  const reference = (pick: (load: Load) => number) => median(bare.map(pick))
  const rate = ({ requestsPerSecond }: Load) => requestsPerSecond
  const p99 = ({ p99Ms }: Load) => p99Ms
  const ratio = ours(rate) / reference(rate)
  const failures = results.reduce((sum, { load }) => sum + load.failures, 0)
  return [
    failures > 0 || (goal !== undefined && ratio < goal) ? 'MISS' : 'ok  ',
    name.padEnd(32),
    `${connections} connections`.padStart(14),
    `${ours(rate).toFixed(0)}/s`.padStart(9),
    `bare ${reference(rate).toFixed(0)}/s`.padStart(13),
    `${ratio.toFixed(3)} ×${goal === undefined ? '' : ` (≥ ${goal})`}`.padEnd(17),
    `p50 ${ours(({ p50Ms }) => p50Ms).toFixed(1)} ms`.padStart(12),
    `p99 ${ours(p99).toFixed(1)} ms, bare ${reference(p99).toFixed(1)} ms`,
    `${median(results.map(({ cpuMs }) => cpuMs)).toFixed(2)} ms CPU per request`,
    `${failures} failures`,
  ].join('  ')
}

async function run(url: string, connections: number, token?: string): Promise<Load> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const times: number[] = []
  const instance = autocannon({ url, connections, duration: seconds, headers }, () => {})
  // The histogram of the result knows whole milliseconds only.
  instance.on('response', (_client, _status, _bytes, responseMs) => times.push(responseMs))
  const [{ requests, errors, non2xx, duration }] = (await once(instance, 'done')) as [autocannon.Result]
  return {
    requestsPerSecond: requests.total / duration,
    p50Ms: quantile(times, 0.5),
    p99Ms: quantile(times, 0.99),
    failures: errors + non2xx,
  }
}

/** Adds rows of servers that do not exist on the node, up to a total. */
function addServers({ dataDir }: TestInstallation, total: number): void {
  const db = new Database(join(dataDir, 'panel.db'))
  try {
    const { count } = db.prepare('select count(*) as count from servers').get() as { count: number }
    const insert = db.prepare(
      `insert into servers (id, name, node_id, ip, port, type, created_at)
       select ?, ?, node_id, ip, port, type, created_at from servers limit 1`,
    )
    db.transaction(() => {
      for (let number = count; number < total; number++)
        insert.run((0xa000_0000 + number).toString(16), `bench ${number}`)
    })()
  } finally {
    db.close()
  }
}

function median(values: readonly number[]): number {
  return quantile(values, 0.5)
}

/** The bare server, in a separate process. */
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const body = JSON.stringify({ id: '0a1b2c3d', name: 'bench', running: false })
  createHttpServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(body)
  }).listen(Number(process.argv[2]), '127.0.0.1')
}
