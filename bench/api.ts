import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort } from '@innkeeper/cli/testing/free-port'
import { createServer } from '@innkeeper/contract/servers/new-server'
import { startServer } from '@innkeeper/contract/servers/node-servers'
import { listServers, type ServerView } from '@innkeeper/contract/servers/servers'
import { passwords } from '@innkeeper/panel/auth/passwords'
import { DatabaseServer } from '@innkeeper/panel/testing/database-server'
import autocannon from 'autocannon'
import Database from 'better-sqlite3'
import { getCpuSeconds, getMemoryMiB } from './process-usage.ts'
import { Service } from './programs.ts'
import { acceptsConnections } from './references.ts'
import { quantile } from './statistics.ts'
import { TestInstallation } from './test-installation.ts'

/** A request that is measured. */
interface ApiRequest {
  readonly path: string
  /** Requested in turn with `path`. */
  readonly otherPaths?: readonly string[]
  readonly method?: 'GET' | 'POST'
  readonly body?: string
}

/** A call of the API, with the goal for its rate relative to the reference. */
interface ApiCase extends ApiRequest {
  readonly name: string
  readonly goal?: number
  /** The highest 99th percentile, relative to the reference. */
  readonly p99Goal?: number
  /** Requests per second. */
  readonly rateGoal?: number
  readonly connections?: readonly number[]
  /** What the call is compared with: the bare server unless it is something else. */
  readonly reference?: (connections: number) => Promise<Load>
}

interface Load {
  readonly requestsPerSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** Responses other than 2xx, and failed connections. */
  readonly failures: number
}

interface Measured extends Load {
  readonly cpuMs: number
}

const rounds = 3
const seconds = 3
const connectionCounts = [1, 10, 50]
const serversOnNode = 50
const listedServers = 100
/** What a peer publishes for its lists of 100 servers with details and status, on four processors. */
const rateOfPeer = 1_127
const maxMemory = { ratio: 1.2, mib: 220 } as const
const sizes = [1_000, 10_000]
/** An installation has many more entries in its audit log than servers. */
const activityPerServer = 100

/**
 * Prints request rate and response times of frequent API calls, interleaved with those of a bare `node:http` server; logins
 * are compared with the password hash alone. Each value is the median of three rounds.
 */
export async function benchApi(): Promise<void> {
  await using installation = await TestInstallation.start()
  await createServers(installation)
  const port = await freePort()
  const script = fileURLToPath(new URL('bare-server.ts', import.meta.url))
  await using _bare = await Service.start(process.execPath, [script, String(port)], () => acceptsConnections(port))
  const bare = (connections: number) => run(`http://127.0.0.1:${port}/`, {}, connections)
  const server = `/proxy/daemon/server/${installation.server}`
  const credentials = JSON.stringify({ email: installation.email, password: installation.password })
  const serverList = { path: '/api/servers', goal: 0.18, p99Goal: 6, growthGoal: 1.5 }
  const userList = { path: '/api/users', growthGoal: 1.5 }
  // Its entries are counted for the number of pages.
  const activityList = { path: '/api/activity', growthGoal: undefined }
  addRows(installation, serversOnNode)

  await benchMemory(installation, serverList)
  const few = await measure(installation, bare, [
    { name: `servers list, 10 of ${serversOnNode}`, ...serverList },
    { name: `users list, 10 of ${serversOnNode}`, ...userList },
    { name: `activity, 10 of ${serversOnNode * activityPerServer}`, ...activityList },
    { name: 'usage of 10 servers', path: await usagePath(installation, 10) },
    { name: 'server with permissions', path: `/api/servers/${installation.server}?perms` },
    { name: 'self', path: '/api/self', goal: 0.35 },
    { name: 'config', path: '/api/config', goal: 0.35 },
    { name: 'status through the panel', path: `${server}/status`, goal: 0.22, p99Goal: 6 },
    { name: 'statistics through the panel', path: `${server}/stats`, goal: 0.22, p99Goal: 6 },
    { name: 'file list through the panel', path: `${server}/file/` },
    {
      name: 'login, beside its password hash',
      path: '/auth/login',
      method: 'POST',
      body: credentials,
      // More logins of one account at a time are refused.
      connections: [1, 10],
      reference: hashPasswords,
    },
  ])
  for (const size of sizes) {
    addRows(installation, size)
    const many = await measure(installation, bare, [
      { name: `servers list, 10 of ${size}`, ...serverList },
      { name: `users list, 10 of ${size}`, ...userList },
      { name: `activity, 10 of ${size * activityPerServer}`, ...activityList },
    ])
    for (const { path, growthGoal } of [serverList, userList, activityList]) {
      const times = (many.get(path) ?? Number.NaN) / (few.get(path) ?? Number.NaN)
      const goal = growthGoal === undefined ? '' : ` (≤ ${growthGoal})`
      const isMissed = growthGoal !== undefined && !(times <= growthGoal)
      console.log(`${isMissed ? 'MISS' : 'ok  '}  ${path} of ${size}: ${times.toFixed(2)} × the CPU of few${goal}`)
    }
  }
  await benchPostgres(bare)
}

/** Calls of a panel on PostgreSQL, whose CPU time is not counted. */
async function benchPostgres(bare: (connections: number) => Promise<Load>): Promise<void> {
  await using stack = new AsyncDisposableStack()
  const database = await DatabaseServer.create('postgres')
  stack.defer(() => database.remove())
  const settings = { INNKEEPER_DATABASE_URL: database.url('postgres') }
  const installation = stack.use(await TestInstallation.start('all', settings))
  await createServers(installation, listedServers)
  const list = `/api/servers?limit=${listedServers}&permissions`
  const usage = await usagePath(installation, listedServers)
  await measure(installation, bare, [
    { name: 'list of 10 on PostgreSQL', path: '/api/servers' },
    { name: 'status on PostgreSQL', path: `/proxy/daemon/server/${installation.server}/status` },
    { name: `list and status of ${listedServers}`, path: list, otherPaths: [usage], rateGoal: rateOfPeer },
  ])
}

/** The path of the usage of this number of servers. */
async function usagePath(installation: TestInstallation, limit: number): Promise<string> {
  const { servers } = await installation.send<{ servers: ServerView[] }>(listServers, { query: { limit } })
  return `/api/servers/usage?ids=${servers.map(({ id }) => id).join(',')}`
}

/** Adds servers up to a total, and starts one. */
async function createServers(installation: TestInstallation, total = serversOnNode): Promise<void> {
  for (let number = 1; number < total; number++) {
    const body = { name: `bench ${number}`, type: 'bench', run: { command: 'sleep 3600', stopCode: 15 }, data: {} }
    await installation.send(createServer, { body })
  }
  await installation.send(startServer, { params: { id: installation.server }, query: { wait: true } })
}

/** Prints the memory after a minute at rest, and during and after a minute of requests. */
async function benchMemory(installation: TestInstallation, call: ApiRequest): Promise<void> {
  await pause(60_000)
  const before = getMemoryMiB(installation.pid)
  let highest = before
  const sampling = setInterval(() => {
    highest = Math.max(highest, getMemoryMiB(installation.pid))
  }, 250)
  await run(`${installation.url}${call.path}`, call, 10, { token: installation.token, forSeconds: 60 })
  clearInterval(sampling)
  const after = getMemoryMiB(installation.pid)
  const verdict = after <= before * maxMemory.ratio && after <= maxMemory.mib ? 'ok  ' : 'MISS'
  const figures = `${before.toFixed(0)} MiB at rest, ${highest.toFixed(0)} MiB at most, ${after.toFixed(0)} MiB after`
  console.log(
    `${verdict}  memory, a minute of requests: ${figures}, ${(after / before).toFixed(2)} × (≤ ${maxMemory.ratio}, ${maxMemory.mib} MiB)`,
  )
}

/** Prints a line for each case and number of connections. Returns the median CPU time of a request by path. */
async function measure(
  installation: TestInstallation,
  bare: (connections: number) => Promise<Load>,
  cases: readonly ApiCase[],
): Promise<ReadonlyMap<string, number>> {
  const cpuMs = new Map<string, number[]>()
  for (const connections of connectionCounts) {
    const current = cases.filter((one) => one.connections?.includes(connections) ?? true)
    const references = new Map<ApiCase, Load[]>()
    const loads = new Map<ApiCase, Measured[]>()
    for (let round = 0; round < rounds; round++) {
      const beside = await bare(connections)
      for (const one of current) {
        append(references, one, (await one.reference?.(connections)) ?? beside)
        const measured = await runMeasured(installation, one, connections)
        append(loads, one, measured)
        append(cpuMs, one.path, measured.cpuMs)
      }
    }
    for (const [one, results] of loads) console.log(line(one, connections, results, references.get(one) ?? []))
  }
  return new Map([...cpuMs].map(([path, all]) => [path, median(all)]))
}

async function runMeasured(installation: TestInstallation, call: ApiCase, connections: number): Promise<Measured> {
  const cpuBefore = getCpuSeconds(installation.pid)
  const load = await run(`${installation.url}${call.path}`, call, connections, { token: installation.token })
  const cpuMs = ((getCpuSeconds(installation.pid) - cpuBefore) * 1000) / (load.requestsPerSecond * seconds)
  return { ...load, cpuMs }
}

function line(
  { name, goal, p99Goal, rateGoal }: ApiCase,
  connections: number,
  results: readonly Measured[],
  references: readonly Load[],
): string {
  const ours = (pick: (load: Measured) => number) => median(results.map(pick))
  const reference = (pick: (load: Load) => number) => median(references.map(pick))
  const rate = ({ requestsPerSecond }: Load) => requestsPerSecond
  const p99 = ({ p99Ms }: Load) => p99Ms
  const ratio = ours(rate) / reference(rate)
  const failures = results.reduce((sum, { failures }) => sum + failures, 0)
  // One connection waits for the network and for both programs in turn.
  const isLoaded = connections > 1
  const misses = [
    failures > 0,
    isLoaded && goal !== undefined && ratio < goal,
    isLoaded && p99Goal !== undefined && ours(p99) > p99Goal * reference(p99),
    isLoaded && rateGoal !== undefined && ours(rate) < rateGoal,
  ]
  return [
    misses.includes(true) ? 'MISS' : 'ok  ',
    name.padEnd(32),
    `${connections} connections`.padStart(14),
    `${ours(rate).toFixed(0)}/s${rateGoal === undefined ? '' : ` (≥ ${rateGoal})`}`.padStart(9),
    `reference ${reference(rate).toFixed(0)}/s`.padStart(18),
    `${ratio.toFixed(3)} ×${goal === undefined ? '' : ` (≥ ${goal})`}`.padEnd(17),
    `p50 ${ours(({ p50Ms }) => p50Ms).toFixed(1)} ms`.padStart(12),
    `p99 ${ours(p99).toFixed(1)} ms, reference ${reference(p99).toFixed(1)} ms${p99Goal === undefined ? '' : ` (≤ ${p99Goal} ×)`}`,
    `${ours(({ cpuMs }) => cpuMs).toFixed(2)} ms CPU per request`,
    `${failures} failures`,
  ].join('  ')
}

async function run(
  url: string,
  { method = 'GET', body, otherPaths }: Partial<ApiRequest>,
  connections: number,
  { token, forSeconds = seconds }: { readonly token?: string; readonly forSeconds?: number } = {},
): Promise<Load> {
  const headers = {
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  }
  const times: number[] = []
  const options = {
    ...{ url, method, connections, duration: forSeconds, headers },
    ...(body === undefined ? {} : { body }),
    ...(otherPaths && { requests: [getPath(url), ...otherPaths].map((path) => ({ path })) }),
  }
  const instance = autocannon(options, () => {})
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

function getPath(url: string): string {
  const { pathname, search } = new URL(url)
  return pathname + search
}

/** Computes password hashes as the panel does. */
async function hashPasswords(connections: number): Promise<Load> {
  const { hash } = passwords()
  const times: number[] = []
  const start = performance.now()
  const hashUntilEnd = async () => {
    for (let before = start; before < start + seconds * 1000; before = performance.now()) {
      await hash('a password')
      times.push(performance.now() - before)
    }
  }
  await Promise.all(Array.from({ length: connections }, hashUntilEnd))
  const requestsPerSecond = (times.length * 1000) / (performance.now() - start)
  return { requestsPerSecond, p50Ms: quantile(times, 0.5), p99Ms: quantile(times, 0.99), failures: 0 }
}

/** Adds rows of users, of servers that do not exist on the node, and of the audit log, up to a total of servers. */
function addRows({ dataDir }: TestInstallation, total: number): void {
  const db = new Database(join(dataDir, 'panel.db'))
  try {
    const getCount = (table: string) =>
      (db.prepare(`select count(*) as count from ${table}`).get() as { count: number }).count
    const addServer = db.prepare(
      `insert into servers (id, name, name_key, name_sort, node_id, ip, port, type, created_at)
       select ?, ?, ?, ?, node_id, ip, port, type, created_at from servers limit 1`,
    )
    const addUser = db.prepare(
      `insert into users (id, username, username_key, email, email_key, password, created_at)
       select ?, ?, ?, ?, ?, password, created_at from users limit 1`,
    )
    const addActivity = db.prepare(
      `insert into activity (id, at, user_id, username, client_id, action, target, address, result, code)
       select ?, ?, user_id, username, client_id, action, target, address, result, code from activity limit 1`,
    )
    db.transaction(() => {
      for (let number = getCount('servers'); number < total; number++) {
        const [name, sorted] = [`bench ${number}`, `bench ${String(number).padStart(9, '0')}`]
        addServer.run((0xa000_0000 + number).toString(16), name, name, sorted)
      }
      for (let number = getCount('users'); number < total; number++) {
        const [name, email] = [`bench-${number}`, `bench-${number}@example.net`]
        addUser.run(1_000_000 + number, name, name, email, email)
      }
      for (let number = getCount('activity'); number < total * activityPerServer; number++) {
        const at = Date.now() - number * 1_000
        addActivity.run(`${at.toString(16).padStart(12, '0')}${number.toString(16).padStart(20, '0')}`, at)
      }
    }).immediate()
  } finally {
    db.close()
  }
}

function append<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  lists.set(key, [...(lists.get(key) ?? []), value])
}

function median(values: readonly number[]): number {
  return quantile(values, 0.5)
}
