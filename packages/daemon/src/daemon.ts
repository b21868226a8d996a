import { chmod, lstat, rm } from 'node:fs/promises'
import { arch, userInfo } from 'node:os'
import { connectionLimits } from '@innkeeper/contract/http/connection-limiter'
import type { HttpTimeouts } from '@innkeeper/contract/http/http-connections'
import type { Mirrors } from '@innkeeper/contract/http/upstreams'
import type { NodeFeatures, NodeIsolation } from '@innkeeper/contract/nodes/nodes'
import type { MetricsAccess } from '@innkeeper/contract/settings/metrics-format'
import type { JWK } from 'jose'
import type { Logger } from 'pino'
import type { Registry as MetricsRegistry, OpenMetricsContentType } from 'prom-client'
import { openNodeAlerts } from './alerts/open-node-alerts.ts'
import type { BackupOptions } from './backups/backup-options.ts'
import { openBackups } from './backups/open-backups.ts'
import { DiskLimits } from './disk-limits/disk-limits.ts'
import { type Docker, openDocker } from './environments/docker/docker.ts'
import { createEnvironments, type Environments } from './environments/environments.ts'
import { standardPath } from './environments/locate-program.ts'
import { FileOperations } from './file-jobs/file-operations.ts'
import { ifExists } from './fs/if-exists.ts'
import { createApp } from './http/app.ts'
import { ticketVerifier } from './http/requests/tickets.ts'
import { Isolation } from './isolation/isolation.ts'
import type { UidRange } from './isolation/uid-allocator.ts'
import { openKeeperPool } from './keeper/client/keeper-pool.ts'
import { LivenessChecks } from './liveness/liveness-checks.ts'
import { registerNodeMetrics } from './metrics/node-metrics.ts'
import { Moves } from './moves/moves.ts'
import { createFetcher } from './network/fetch.ts'
import { watchCrashes } from './panel-link/crash-events.ts'
import type { DialedPanel } from './panel-link/dial-panel.ts'
import { FileChanges } from './panel-link/file-changes.ts'
import type { Certificate } from './panel-link/node-certificate.ts'
import { NodeEvents } from './panel-link/node-events.ts'
import { PanelKeys } from './panel-link/panel-keys.ts'
import type { PanelLink } from './panel-link/panel-link.ts'
import { PanelSessions } from './panel-link/panel-sessions.ts'
import { PanelTunnels } from './panel-link/panel-tunnels.ts'
import { Reporter } from './panel-link/reporter.ts'
import { PatternMatcher } from './patterns/pattern-matcher.ts'
import { GameQueries } from './players/game-queries.ts'
import { expireSessionsJob } from './players/sessions/expire-sessions.ts'
import { MachineUsage } from './proc/machine-usage.ts'
import type { RuntimeStore } from './runtimes/runtime-store.ts'
import { openSharedStore, pruneJob } from './runtimes/shared-store.ts'
import { Registry, type StopProgress } from './servers/registry.ts'
import { Suspensions } from './servers/suspensions.ts'
import type { SftpRelay } from './sftp/session/sftp-relay.ts'
import { SftpServer } from './sftp/sftp-server.ts'
import { openHostKeys } from './sftp/ssh/host-key.ts'
import { ServerSleep, type SleepOptions } from './sleep/server-sleep.ts'
import { Sampler } from './statistics/sampler.ts'
import { Tasks } from './tasks/tasks.ts'
import { defaultTrash, Trash, type TrashOptions } from './trash/trash.ts'
import { Uploads } from './uploads/uploads.ts'

/** Downloads of steps and runtimes. */
interface DownloadOptions {
  /** Allowed non-public `host:port` targets. */
  readonly allow: readonly string[]
  /** Mirrors of outside services. */
  readonly mirrors?: Mirrors | undefined
  /** CurseForge API key for steps that need it. */
  readonly curseforgeKey?: string | undefined
  /** The backoff after the first failed attempt. */
  readonly retryMs?: number | undefined
}

/** Alerts that the node sends itself while the panel is away. */
interface AlertOptions {
  /** Allowed non-public `host:port` targets. */
  readonly allow: readonly string[]
  /** How long the panel must be away; 0 for never. */
  readonly afterMs: number
}

/** The HTTP server, to which panels connect. */
interface HttpOptions {
  /** TLS certificate for a TCP address; a Unix socket needs none. */
  readonly tls?: Certificate | undefined
  readonly timeouts?: HttpTimeouts | undefined
  /** How long a request waits for the end of a power action. */
  readonly powerWaitMs?: number | undefined
  /** Grace time of active requests when the daemon closes. */
  readonly requestsEndMs?: number | undefined
}

interface ServerOptions {
  /** How long other servers wait for the start of one with the node. */
  readonly autostartWaitMs?: number | undefined
  /** How long patterns may take for one piece of output before one is disabled. */
  readonly patternMs?: number | undefined
}

interface TaskOptions {
  /** How long a task waits for a panel that does not respond. */
  readonly permissionsMs?: number | undefined
  /** How long a run counts for the tasks of all servers. */
  readonly sharedMs?: number | undefined
  /** How long a minute of a countdown is, for tests. */
  readonly minuteMs?: number | undefined
}

export interface DaemonOptions {
  readonly dataDir: string
  readonly nodeId: number
  /** The panel's public key: initial trust, until the panel replaces it. */
  readonly publicKey: JWK
  readonly version: string
  readonly log: Logger
  /** The connection to the panel; without it there is no SFTP, which needs its logins. */
  readonly panel?: PanelLink
  /** Serves SFTP of servers on other nodes, at the port of this one. */
  readonly sftpRelay?: SftpRelay | undefined
  /** Opens a connection for a tunnel to a panel that does not reach this node; without it there are no tunnels. */
  readonly dialPanel?: ((held: readonly string[]) => Promise<DialedPanel>) | undefined
  /** The PATH of servers. */
  readonly path?: string
  /** The range of user ids for servers. */
  readonly uids?: UidRange | undefined
  /** Sockets of the Docker Engine, when not in the default places. */
  readonly dockerSockets?: readonly string[] | undefined
  readonly downloads: DownloadOptions
  /** Without it this node sends no alerts. */
  readonly alerts?: AlertOptions | undefined
  readonly servers?: ServerOptions | undefined
  readonly tasks?: TaskOptions | undefined
  readonly backups?: BackupOptions | undefined
  /** How long and how much deleted files are kept. */
  readonly trash?: TrashOptions | undefined
  /** Intervals at which games are asked for their players. */
  readonly players?: { readonly everyMs?: number; readonly idleEveryMs?: number; readonly tickMs?: number } | undefined
  /** How long a second of the checks in definitions is, for tests. */
  readonly liveness?: { readonly secondMs?: number } | undefined
  /** How servers sleep while nobody plays. */
  readonly sleep?: SleepOptions | undefined
  /** Interval of measurements of servers with a limit of disk space. */
  readonly diskLimits?: { readonly everyMs?: number } | undefined
  readonly http?: HttpOptions | undefined
  /** By default those of a process that may have 65,536 files open. */
  readonly connectionLimits?: Pick<ReturnType<typeof connectionLimits>, 'node' | 'sftp' | 'sftpHandles'> | undefined
  /** Receives the metrics of this node. With `access` the daemon serves them. */
  readonly metrics?:
    | { readonly registry: MetricsRegistry<OpenMetricsContentType>; readonly access?: MetricsAccess }
    | undefined
}

/** A Unix socket that only its own user may open, or an address. */
export type ListenTarget = { readonly socketPath: string } | { readonly host: string; readonly port: number }

export interface Daemon {
  listen(target: ListenTarget): Promise<void>
  /** Starts SFTP and returns its port. A port in use is only logged: the rest of the node works. */
  serveSftp(at: { readonly host: string; readonly port: number }): Promise<number | undefined>
  /** Starts reporting the state of this node and its servers to the panel. */
  startReporting(): void
  /** Closes and leaves the servers running. */
  detach(): Promise<void>
  /** Stops all servers and waits until they have exited. Those that have not after their stop time are left running. */
  stopServers(progress?: StopProgress): Promise<void>
}

/**
 * Creates the daemon of a node: reattaches to running servers, then starts those with autostart. Serves requests after
 * `listen`.
 */
export async function createDaemon(options: DaemonOptions): Promise<Daemon> {
  const { dataDir, nodeId, publicKey, version, log, path = standardPath, panel } = options
  const machine = await openMachine(options)
  const { isolation, keepers, sharedStore, docker } = machine
  const pruning = pruneJob({ sharedStore, log }).start()
  const patterns = new PatternMatcher({ log, patternMs: options.servers?.patternMs })
  const trash = new Trash({ dataDir, options: options.trash ?? defaultTrash, log })
  const suspensions = await Suspensions.open(dataDir, log)
  const servers = await openServers(options, { ...machine, patterns, trash, suspensions, path })
  docker.onDiscovered((runs) => servers.reattach(runs))
  const { runtimes } = sharedStore
  const services = await openServices(options, { isolation, servers, patterns, trash, path, runtimes })
  const { events, fileChanges, fileOperations, diskLimits, uploads, backups, tasks } = services
  let sftp: SftpServer | undefined
  let sftpPort: number | undefined
  const features = () => nodeFeatures({ ...machine, version, hasSftp: sftpPort !== undefined })
  const keys = await PanelKeys.open({ dataDir, publicKey, log })
  const sessions = new PanelSessions(keys)
  const { registry, access } = options.metrics ?? {}
  const games = new GameQueries({ servers, log, ...options.players })
  const liveness = new LivenessChecks({ servers, games, patterns, events, log, ...options.liveness })
  const sleep = await ServerSleep.open({ dataDir, servers, games, log, ...options.sleep })
  games.onStatus((id, status) => status && servers.find(id)?.playerSessions.addStatus(status))
  const sessionExpiry = expireSessionsJob({ servers, log }).start()
  if (registry)
    registerNodeMetrics({ registry, servers, fileOperations, games, machine: new MachineUsage(dataDir), version })
  const limits = options.connectionLimits ?? connectionLimits()
  const http = createApp({
    ...services,
    servers,
    games,
    trash,
    tickets: ticketVerifier({ nodeId, keys, sessions }),
    sessions,
    features,
    sftp: () => sftp,
    isReady: () => keepers.isAttached,
    metrics: registry && access && { registry, access },
    connectionLimits: limits.node,
    log,
    ...options.http,
  })
  const alerts = options.alerts && (await openNodeAlerts({ dataDir, version, events, servers, log, ...options.alerts }))
  const { dialPanel: dial } = options
  const tunnels = dial && new PanelTunnels({ dial, accept: http.accept, log })
  let reporter: Reporter | undefined
  void servers.autostart()

  return {
    listen: (target) => listenOn(http.app, target),
    async serveSftp({ host, port }) {
      if (!panel) throw new Error('SFTP needs the panel for logins.')
      const server = new SftpServer({
        panel,
        hostKeys: await openHostKeys(dataDir),
        find: (id) => servers.find(id),
        relay: options.sftpRelay,
        connectionLimits: limits.sftp,
        handleLimits: limits.sftpHandles,
        changes: fileChanges,
        log,
      })
      // Panels relay sessions to it also when the port is in use.
      sftp = server
      sftpPort = await server.tryListen(host, port)
      return sftpPort
    },
    startReporting() {
      if (!panel) throw new Error('Reporting needs a panel.')
      const reported = { machine: new MachineUsage(dataDir), events, fileChanges, alerts, retention: backups.retention }
      reporter ??= new Reporter({ panel, servers, suspensions, features, keys, tunnels, ...reported, log })
    },
    async detach() {
      await Promise.all([tasks.close(), sleep.close(), liveness.close(), reporter?.close(), alerts?.close()])
      await tunnels?.close()
      const closing = Promise.all([http.close(), sftp?.close()]).then(() => panel?.close())
      // Answers requests that wait for jobs, or the listener would wait for them.
      await Promise.all([fileOperations.close(), uploads.close(), backups.close(), games.close()])
      await diskLimits.close()
      await Promise.all([servers.close(), pruning.close(), sessionExpiry.close(), trash.close()])
      await Promise.all([events.close(), fileChanges.close()])
      await patterns.close()
      await sharedStore.close()
      await docker.close()
      await closing
      await keepers.close()
    },
    async stopServers(progress) {
      // Otherwise a task could restart a stopped server.
      await tasks.close()
      await servers.stopAll(progress)
    },
  }
}

/** What this machine offers to servers. */
async function openMachine({ dataDir, uids, dockerSockets: sockets, log }: DaemonOptions) {
  const isolation = await Isolation.open({ dataDir, uids })
  logIsolation(isolation.abilities, log)
  const keepers = await openKeeperPool({ dataDir, log, isolation })
  const sharedStore = await openSharedStore(dataDir)
  const docker = await openDocker({ dataDir, log, runtimes: sharedStore.runtimes, sockets })
  return { isolation, keepers, sharedStore, docker, environments: createEnvironments(keepers, docker) }
}

interface ServersDeps extends Awaited<ReturnType<typeof openMachine>> {
  readonly patterns: PatternMatcher
  readonly trash: Trash
  readonly suspensions: Suspensions
  readonly path: string
}

/** Reattaches to running servers. */
async function openServers(
  { dataDir, version, log, downloads, servers: { autostartWaitMs } = {} }: DaemonOptions,
  deps: ServersDeps,
): Promise<Registry> {
  const { keepers, docker, environments } = deps
  const { allow, mirrors, curseforgeKey, retryMs } = downloads
  return await Registry.open({
    ...deps,
    dataDir,
    user: userInfo().username,
    log,
    sampler: new Sampler({ onError: (cause) => log.error({ err: cause }, 'failed to measure the usage of servers') }),
    containers: docker.takeDiscovered(),
    runs: keepers.runs,
    isDockerAvailable: () => docker.isAvailable(),
    environmentFor: environments.find,
    scriptEnvironment: environments.script,
    fetch: createFetcher({ allow, mirrors, version, retryMs }),
    curseforgeKey,
    autostartWaitMs,
  })
}

interface ServiceDeps extends Pick<ServersDeps, 'isolation' | 'patterns' | 'trash' | 'path'> {
  readonly servers: Registry
  readonly runtimes: RuntimeStore
}

/** What works with the files and processes of servers. */
async function openServices(options: DaemonOptions, deps: ServiceDeps) {
  const { dataDir, panel, log } = options
  const { servers, trash } = deps
  // On disk until a report has brought them to the panel.
  const events = await NodeEvents.open({ dataDir, log })
  const fileChanges = await FileChanges.open({ dataDir, log })
  watchCrashes(servers, events)
  const fileOperations = new FileOperations(servers, log)
  const { confinement, quotas } = deps.isolation
  const diskLimits = new DiskLimits({ servers, quotas, fileOperations, trash, events, log, ...options.diskLimits })
  const uploads = new Uploads({ dataDir, servers, log })
  const backups = await openBackups({ ...deps, dataDir, confinement, events, options: options.backups, log })
  // After backups, which recover the files that an interrupted restore has moved.
  servers.removeStaleTempFiles()
  const ofTasks = { dataDir, backups: backups.ofServers, panel, events, log, ...options.tasks }
  const tasks = await Tasks.open({ ...deps, ...ofTasks })
  const moves = new Moves({ dataDir, servers, fileOperations, tasks, backups, uploads, trash, runtimes: deps.runtimes })
  return { events, fileChanges, fileOperations, diskLimits, uploads, backups, tasks, moves }
}

interface FeatureSources {
  readonly docker: Pick<Docker, 'isResponding'>
  readonly environments: Pick<Environments, 'types'>
  readonly isolation: Pick<Isolation, 'abilities'>
  readonly version: string
  readonly hasSftp: boolean
}

function nodeFeatures({ docker, environments, isolation, version, hasSftp }: FeatureSources): NodeFeatures {
  return {
    features: [...(hasSftp ? ['sftp'] : []), ...(docker.isResponding ? ['docker'] : [])],
    environments: environments.types(),
    os: process.platform,
    arch: getGoName(arch()),
    version,
    isolation: isolation.abilities,
  }
}

/** Missing isolation must not go unnoticed: logs each missing part. */
function logIsolation(isolation: NodeIsolation, log: Logger): void {
  const { user, hiddenProcesses, privateTemporaryFolders, noNewPrivileges, limits } = isolation
  if (!user.enforced)
    log.warn(
      `Servers run as the user of Innkeeper and can read and change what it can, other servers too: ${user.reason}`,
    )
  if (hiddenProcesses && !hiddenProcesses.enforced)
    log.warn(`Servers can read the command lines of each other's processes: ${hiddenProcesses.reason}`)
  if (privateTemporaryFolders && !privateTemporaryFolders.enforced)
    log.warn(`Servers share /tmp, other temporary folders and shared memory: ${privateTemporaryFolders.reason}`)
  if (!noNewPrivileges.enforced) log.warn(`Servers can gain additional privileges: ${noNewPrivileges.reason}`)
  for (const [limit, { enforced, reason }] of Object.entries(limits))
    if (!enforced) log.warn(`Limits of ${limit} are not enforced for servers: ${reason}`)
  if (user.enforced && noNewPrivileges.enforced) log.info('Each server runs as its own user, without privileges')
}

async function listenOn(app: ReturnType<typeof createApp>['app'], target: ListenTarget): Promise<void> {
  if (!('socketPath' in target)) {
    await app.listen(target)
    return
  }
  await removeSocket(target.socketPath)
  await app.listen({ path: target.socketPath })
  await chmod(target.socketPath, 0o600)
}

/** Removes a socket of an earlier daemon; anything else stays. */
async function removeSocket(path: string): Promise<void> {
  const entry = await ifExists(lstat(path))
  if (entry?.isSocket()) await rm(path)
}

function getGoName(name: string): string {
  return { x64: 'amd64', ia32: '386' }[name] ?? name
}
