import { chmod, lstat, rm } from 'node:fs/promises'
import { arch, userInfo } from 'node:os'
import type { BackupRetention } from '@innkeeper/contract/backup-retention'
import { connectionLimits } from '@innkeeper/contract/connection-limiter'
import type { HttpTimeouts } from '@innkeeper/contract/http-connections'
import type { MetricsAccess } from '@innkeeper/contract/metrics-access'
import type { NodeFeatures, NodeIsolation } from '@innkeeper/contract/nodes'
import type { Mirrors } from '@innkeeper/contract/upstreams'
import type { JWK } from 'jose'
import type { Logger } from 'pino'
import type { Registry as MetricsRegistry, OpenMetricsContentType } from 'prom-client'
import { openNodeAlerts } from './alerts/open-node-alerts.ts'
import { type BackupProofs, Backups } from './backups/backups.ts'
import type { CopyRetryOptions } from './backups/targets/copy-retries.ts'
import { DiskLimits } from './disk-limits/disk-limits.ts'
import { type Docker, openDocker } from './environments/docker/docker.ts'
import { createEnvironments, type Environments } from './environments/environments.ts'
import { standardPath } from './environments/standard-path.ts'
import { FileOperations } from './file-jobs/file-operations.ts'
import { ifExists } from './fs/if-exists.ts'
import { createApp } from './http/app.ts'
import { ticketVerifier } from './http/tickets.ts'
import { Isolation } from './isolation/isolation.ts'
import type { UidRange } from './isolation/uid-allocator.ts'
import { openKeeperPool } from './keeper/client/keeper-pool.ts'
import { registerNodeMetrics } from './metrics/node-metrics.ts'
import { createFetcher } from './network/fetch.ts'
import { watchCrashes } from './panel-link/crash-events.ts'
import { FileChanges } from './panel-link/file-changes.ts'
import type { Certificate } from './panel-link/node-certificate.ts'
import { NodeEvents } from './panel-link/node-events.ts'
import { PanelKeys } from './panel-link/panel-keys.ts'
import type { PanelLink } from './panel-link/panel-link.ts'
import { Reporter } from './panel-link/reporter.ts'
import { PatternMatcher } from './patterns/pattern-matcher.ts'
import { PlayerCounts } from './players/player-counts.ts'
import { MachineUsage } from './proc/machine-usage.ts'
import { pruneJob } from './runtimes/prune-job.ts'
import { openSharedStore } from './runtimes/shared-store.ts'
import { Registry, type StopProgress } from './servers/registry.ts'
import { SftpServer } from './sftp/sftp-server.ts'
import { openHostKeys } from './sftp/ssh/host-key.ts'
import { Sampler } from './statistics/sampler.ts'
import { Tasks } from './tasks/tasks.ts'
import { defaultTrash, Trash, type TrashOptions } from './trash/trash.ts'
import { Uploads } from './uploads/uploads.ts'

export interface DaemonOptions {
  readonly dataDir: string
  readonly nodeId: number
  /** The panel's public key: initial trust, until the panel replaces it. */
  readonly publicKey: JWK
  readonly version: string
  readonly log: Logger
  /** Allowed non-public `host:port` targets of downloads. */
  readonly downloadAllow: readonly string[]
  /** Allowed non-public `host:port` targets of alerts. */
  readonly alertAllow?: readonly string[]
  /** Mirrors of outside services. */
  readonly mirrors?: Mirrors | undefined
  /** CurseForge API key for steps that need it. */
  readonly curseforgeKey?: string | undefined
  /** The range of user ids for servers. */
  readonly uids?: UidRange | undefined
  /** Name or path of restic, which stores backups. */
  readonly restic?: string | undefined
  /** Which backups of a server are kept, unless it or the panel has a retention. */
  readonly backupRetention?: BackupRetention | undefined
  /** When missing copies of backups are tried again. */
  readonly backupCopyRetries?: CopyRetryOptions | undefined
  /** The longest wait of a backup job after an error of a target, which repeats what failed. */
  readonly backupTargetWaitMs?: number | undefined
  /** When backups are proved again, and whether copies of servers are started for it. */
  readonly backupProofs?: BackupProofs | undefined
  /** How long the processes of a server without commands to pause it are frozen at most during a backup. */
  readonly backupFreezeMs?: number | undefined
  /** How long and how much deleted files are kept. */
  readonly trash?: TrashOptions | undefined
  /** Interval of measurements of servers with a limit of disk space. */
  readonly diskLimits?: { readonly everyMs?: number } | undefined
  /** How long an ended backup job is listed. */
  readonly endedBackupJobMs?: number | undefined
  /** How long an import waits for the files of another node. */
  readonly importWaitMs?: number | undefined
  /** The PATH of servers. */
  readonly path?: string
  /** The connection to the panel; without it there is no SFTP, which needs its logins. */
  readonly panel?: PanelLink
  /** Receives the metrics of this node. With `access` the daemon serves them. */
  readonly metrics?:
    | { readonly registry: MetricsRegistry<OpenMetricsContentType>; readonly access?: MetricsAccess }
    | undefined
  /** TLS certificate for a TCP address; a Unix socket needs none. */
  readonly tls?: Certificate | undefined
  /** Sockets of the Docker Engine, when not in the default places. */
  readonly dockerSockets?: readonly string[] | undefined
  /** How long a task waits for a panel that does not respond. */
  readonly taskPermissionsMs?: number | undefined
  /** How long other servers wait for the start of one with the node. */
  readonly autostartWaitMs?: number | undefined
  /** How long a run of a task counts for the tasks of all servers. */
  readonly taskSharedMs?: number | undefined
  /** How long the panel must be away until this node sends alerts itself; 0 for never. */
  readonly alertsAfterMs?: number | undefined
  /** How long patterns may take for one piece of output before one is disabled. */
  readonly patternMs?: number | undefined
  /** How long a request waits for the end of a power action. */
  readonly powerWaitMs?: number | undefined
  /** The backoff after the first failed attempt of a download. */
  readonly downloadRetryMs?: number | undefined
  /** By default those of a process that may have 65,536 files open. */
  readonly connectionLimits?: Pick<ReturnType<typeof connectionLimits>, 'node' | 'sftp' | 'sftpHandles'> | undefined
  readonly timeouts?: HttpTimeouts | undefined
  /** Grace time of active requests when the daemon closes. */
  readonly requestsEndMs?: number | undefined
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
export async function createDaemon(deps: DaemonOptions): Promise<Daemon> {
  const { dataDir, nodeId, publicKey, version, log, downloadAllow, path = standardPath, panel } = deps
  const user = userInfo().username
  const isolation = await Isolation.open({ dataDir, uids: deps.uids })
  logIsolation(isolation.abilities, log)
  const keepers = await openKeeperPool({ dataDir, log, isolation })
  const sharedStore = await openSharedStore(dataDir)
  const pruning = pruneJob({ sharedStore, log }).start()
  const docker = await openDocker({ dataDir, log, runtimes: sharedStore.runtimes, sockets: deps.dockerSockets })
  const environments = createEnvironments(keepers, docker)
  const sampler = new Sampler({
    onError: (cause) => log.error({ err: cause }, 'failed to measure the usage of servers'),
  })
  const patterns = new PatternMatcher({ log, patternMs: deps.patternMs })
  const containers = docker.takeDiscovered()
  const trash = new Trash({ dataDir, options: deps.trash ?? defaultTrash, log })
  const servers = await Registry.open({
    ...{ dataDir, path, user, log, isolation, patterns, sampler, containers, sharedStore, trash },
    runs: keepers.runs,
    isDockerAvailable: () => docker.isAvailable(),
    environmentFor: environments.find,
    scriptEnvironment: environments.script,
    fetch: createFetcher({ allow: downloadAllow, mirrors: deps.mirrors, version, retryMs: deps.downloadRetryMs }),
    ...{ curseforgeKey: deps.curseforgeKey, autostartWaitMs: deps.autostartWaitMs },
  })
  const { events, fileChanges } = await openReports({ dataDir, log })
  watchCrashes(servers, events)
  docker.onDiscovered((runs) => servers.reattach(runs))
  let sftp: SftpServer | undefined
  const features = () => nodeFeatures({ docker, environments, isolation, version, hasSftp: sftp !== undefined })
  const fileOperations = new FileOperations(servers, log)
  const { confinement, quotas } = isolation
  const diskLimits = new DiskLimits({ servers, quotas, fileOperations, trash, events, log, ...deps.diskLimits })
  const uploads = new Uploads({ dataDir, servers, log })
  const shared = { dataDir, servers, patterns, events, log }
  const backups = await Backups.open({ ...shared, ...backupOptions(deps), confinement, isolation, path })
  // After backups, which recover the files that an interrupted restore has moved.
  servers.removeStaleTempFiles()
  const { taskPermissionsMs: rightsMs, taskSharedMs: sharedMs } = deps
  const tasks = await Tasks.open({ ...shared, backups, panel, rightsMs, sharedMs })
  const keys = await PanelKeys.open({ dataDir, publicKey, log })
  const tickets = ticketVerifier({ nodeId, keys })
  const { registry, access } = deps.metrics ?? {}
  const players = new PlayerCounts({ log })
  if (registry)
    registerNodeMetrics({ registry, servers, fileOperations, players, machine: new MachineUsage(dataDir), version })
  const http = createApp({
    ...{ servers, fileOperations, uploads, trash, tasks, backups, tickets, features },
    isReady: () => keepers.isAttached,
    metrics: registry && access && { registry, access },
    ...httpOptions(deps),
  })
  const alerts = await openNodeAlerts({ ...deps, events, servers })
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
        ...sftpLimits(deps),
        changes: fileChanges,
        log,
      })
      const listeningPort = await tryListen(server, { host, port }, log)
      if (listeningPort !== undefined) sftp = server
      return listeningPort
    },
    startReporting() {
      if (!panel) throw new Error('Reporting needs a panel.')
      const reported = { machine: new MachineUsage(dataDir), events, fileChanges, alerts, retention: backups.retention }
      reporter ??= new Reporter({ panel, servers, features, keys, ...reported, log })
    },
    async detach() {
      await Promise.all([tasks.close(), reporter?.close(), alerts?.close()])
      const closing = Promise.all([http.close(), sftp?.close()]).then(() => panel?.close())
      // Answers requests that wait for jobs, or the listener would wait for them.
      await Promise.all([fileOperations.close(), uploads.close(), backups.close(), players.close()])
      await diskLimits.close()
      await Promise.all([servers.close(), pruning.close(), trash.close()])
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

/** The options of backups, as they are named there. */
function backupOptions(deps: DaemonOptions) {
  return {
    program: deps.restic,
    retention: deps.backupRetention,
    proofs: deps.backupProofs,
    maxFrozenMs: deps.backupFreezeMs,
    endedJobMs: deps.endedBackupJobMs,
    importWaitMs: deps.importWaitMs,
    copyRetries: deps.backupCopyRetries,
    maxTargetWaitMs: deps.backupTargetWaitMs,
  }
}

/** The options of the HTTP server, as they are named there. */
function httpOptions({ tls, connectionLimits: own, timeouts, powerWaitMs, requestsEndMs, log }: DaemonOptions) {
  return { tls, connectionLimits: (own ?? connectionLimits()).node, timeouts, powerWaitMs, requestsEndMs, log }
}

/** The limits of the SFTP server. */
function sftpLimits({ connectionLimits: { sftp, sftpHandles } = connectionLimits() }: DaemonOptions) {
  return { connectionLimits: sftp, handleLimits: sftpHandles }
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
    arch: goNameOf(arch()),
    version,
    isolation: isolation.abilities,
  }
}

/** The events and file changes that the next reports to the panel contain; they are on disk until the panel has them. */
async function openReports(options: { readonly dataDir: string; readonly log: Logger }) {
  return { events: await NodeEvents.open(options), fileChanges: await FileChanges.open(options) }
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

/** Returns the port; undefined when it is in use, which is only logged. */
async function tryListen(
  server: SftpServer,
  { host, port }: { host: string; port: number },
  log: Logger,
): Promise<number | undefined> {
  try {
    const listeningPort = await server.listen(host, port)
    log.info({ host, port: listeningPort }, 'SFTP is served')
    return listeningPort
  } catch (error) {
    log.error({ err: error, host, port }, `SFTP is not served: failed to listen on ${host}:${port}`)
    return undefined
  }
}

/** Removes a socket of an earlier daemon; anything else stays. */
async function removeSocket(path: string): Promise<void> {
  const entry = await ifExists(lstat(path))
  if (entry?.isSocket()) await rm(path)
}

function goNameOf(name: string): string {
  return { x64: 'amd64', ia32: '386' }[name] ?? name
}
