import { chmod, lstat, rm } from 'node:fs/promises'
import { arch, userInfo } from 'node:os'
import type { Duplex } from 'node:stream'
import type { NodeFeatures, NodeIsolation } from '@innkeeper/contract/nodes'
import type { Mirrors } from '@innkeeper/contract/upstreams'
import type { JWK } from 'jose'
import type { Logger } from 'pino'
import { openDocker } from './environments/docker/docker.ts'
import { createEnvironments } from './environments/environments.ts'
import { FileWork } from './file-jobs/file-work.ts'
import { createApp } from './http/app.ts'
import { ticketVerifier } from './http/tickets.ts'
import { Isolation } from './isolation/isolation.ts'
import type { UidRange } from './isolation/uid-allocator.ts'
import { openKeeperPool } from './keeper/client/keeper-pool.ts'
import { createFetcher } from './network/fetch.ts'
import type { Certificate } from './panel-link/node-certificate.ts'
import { PanelKeys } from './panel-link/panel-keys.ts'
import type { PanelLink } from './panel-link/panel-link.ts'
import { Reporter } from './panel-link/reporter.ts'
import { PatternMatcher } from './patterns/pattern-matcher.ts'
import { MachineUsage } from './proc/machine-usage.ts'
import { PruneJob } from './runtimes/prune-job.ts'
import { openSharedStore } from './runtimes/shared-store.ts'
import { Registry } from './servers/registry.ts'
import { SftpServer } from './sftp/sftp-server.ts'
import { openHostKey } from './sftp/ssh/host-key.ts'
import { Sampler } from './statistics/sampler.ts'
import { Tasks } from './tasks/tasks.ts'
import { Uploads } from './uploads/uploads.ts'

export interface DaemonOptions {
  readonly dataDir: string
  readonly nodeId: number
  /** The panel's: what it signed is believed, until it names other keys. */
  readonly publicKey: JWK
  readonly version: string
  readonly log: Logger
  /** `host:port` that install steps may download from although they are not public. */
  readonly downloadAllow: readonly string[]
  /** What is asked in the place of outside services. */
  readonly mirrors?: Mirrors | undefined
  /** Key of the CurseForge API, for steps that need it. */
  readonly curseforgeKey?: string | undefined
  /** From which the users of servers are taken. */
  readonly uids?: UidRange | undefined
  /** Where programs of servers are looked up. */
  readonly path?: string
  /** The way to the panel; without one nobody can log in over SFTP, which is not served then. */
  readonly panel?: PanelLink
  /** What it shows to those who connect to its address; a socket in the file system needs none. */
  readonly tls?: Certificate | undefined
  /** Where an engine for containers is looked for, when not in the usual places. */
  readonly dockerSockets?: readonly string[] | undefined
  /** How long the panel is waited for when a task is to run. */
  readonly taskPermissionsMs?: number | undefined
  /** How long patterns may look through one piece of output before one of them is switched off. */
  readonly patternMs?: number | undefined
  /** How long a caller waits for the end of a start, stop, restart, kill or install. */
  readonly powerWaitMs?: number | undefined
  /** The backoff after the first failed attempt of a download. */
  readonly downloadRetryMs?: number | undefined
  /** What requests in progress get before they are cut off when the daemon ends. */
  readonly requestsEndMs?: number | undefined
}

/** Where the node listens: a socket in the file system that only its own user may open, or an address. */
export type ListenTarget = { readonly socketPath: string } | { readonly host: string; readonly port: number }

export interface Daemon {
  listen(target: ListenTarget): Promise<void>
  /**
   * Serves a connection like those that it listens for; destroys it while it does not listen. `detach` does not wait for what
   * is asked over it: whoever connected closes first.
   */
  accept(connection: Duplex): void
  /** Serves SFTP, and says at which port. A port that is taken is a message in the log: the rest of the node runs on. */
  serveSftp(at: { readonly host: string; readonly port: number }): Promise<number | undefined>
  /** Tells the panel from now on how this node and its servers are. */
  startReporting(): void
  /** Goes away and leaves the servers running. */
  detach(): Promise<void>
  /** Stops every server and waits for their ends, or until the signal says that nobody waits any more. */
  stopServers(signal?: AbortSignal): Promise<void>
}

const standardPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/usr/local/games:/usr/games'

/** Brings a node up: takes over what runs, then starts what is to start with it. It answers once it listens. */
export async function createDaemon(deps: DaemonOptions): Promise<Daemon> {
  const { dataDir, nodeId, publicKey, version, log, downloadAllow, path = standardPath, panel } = deps
  const user = userInfo().username
  const isolation = await Isolation.open({ dataDir, uids: deps.uids })
  logIsolation(isolation.abilities, log)
  const keepers = await openKeeperPool({ dataDir, log, isolation: isolation })
  const sharedStore = await openSharedStore(dataDir)
  const pruneJob = new PruneJob({ sharedStore, log })
  const docker = await openDocker({ dataDir, log, runtimes: sharedStore.runtimes, sockets: deps.dockerSockets })
  const environments = createEnvironments(keepers, docker)
  const sampler = new Sampler({ onError: (cause) => log.error({ err: cause }, 'servers could not be measured') })
  const patterns = new PatternMatcher({ log, patternMs: deps.patternMs })
  const containers = docker.takeDiscovered()
  const servers = await Registry.open({
    dataDir,
    path,
    user,
    log,
    isolation,
    patterns,
    sampler,
    runs: keepers.runs,
    containers,
    isDockerAvailable: () => docker.isAvailable(),
    environmentFor: environments.find,
    fetch: createFetcher({ allow: downloadAllow, mirrors: deps.mirrors, version, retryMs: deps.downloadRetryMs }),
    sharedStore,
    curseforgeKey: deps.curseforgeKey,
  })
  docker.onDiscovered((runs) => servers.reattach(runs))
  let sftp: SftpServer | undefined
  const features = (): NodeFeatures => ({
    features: [...(sftp ? ['sftp'] : []), ...(docker.isAnswering ? ['docker'] : [])],
    environments: environments.types(),
    os: process.platform,
    arch: goNameOf(arch()),
    version,
    isolation: isolation.abilities,
  })
  const work = new FileWork(servers, log)
  const uploads = new Uploads({ dataDir, servers, log })
  const tasks = await Tasks.open({ dataDir, servers, patterns, panel, log, rightsMs: deps.taskPermissionsMs })
  const keys = await PanelKeys.open({ dataDir, publicKey, log })
  const tickets = ticketVerifier({ nodeId, keys })
  const http = createApp({
    servers,
    work,
    uploads,
    tasks,
    tickets,
    features,
    isReady: () => keepers.isAttached,
    tls: deps.tls,
    log,
    powerWaitMs: deps.powerWaitMs,
    requestsEndMs: deps.requestsEndMs,
  })
  let reporter: Reporter | undefined
  void servers.autostart()

  return {
    async listen(target) {
      if (!('socketPath' in target)) {
        await http.app.listen(target)
        return
      }
      await removeSocket(target.socketPath)
      await http.app.listen({ path: target.socketPath })
      await chmod(target.socketPath, 0o600)
    },
    accept(connection) {
      const { server } = http.app
      if (server.listening) server.emit('connection', connection)
      else connection.destroy()
    },
    async serveSftp({ host, port }) {
      if (!panel) throw new Error('Without a panel nobody can log in over SFTP.')
      const hostKey = await openHostKey(dataDir)
      const server = new SftpServer({ panel, hostKey, find: (id) => servers.find(id), log })
      try {
        const at = await server.listen(host, port)
        sftp = server
        log.info({ host, port: at }, 'SFTP is served')
        return at
      } catch (error) {
        log.error({ err: error, host, port }, `SFTP is not served: ${host}:${port} cannot be listened on`)
        return undefined
      }
    },
    startReporting() {
      if (!panel) throw new Error('Without a panel there is nobody to report to.')
      reporter ??= new Reporter({ panel, servers, features, machine: new MachineUsage(dataDir), keys, log })
    },
    async detach() {
      await Promise.all([tasks.close(), reporter?.close()])
      const closing = Promise.all([http.close(), sftp?.close()]).then(() => panel?.close())
      // Requests that wait for an end are answered now, or the listener would wait for them.
      await Promise.all([work.close(), uploads.close()])
      await Promise.all([servers.close(), pruneJob.close()])
      await patterns.close()
      await sharedStore.close()
      docker.close()
      await closing
      await keepers.close()
    },
    async stopServers(signal) {
      // A task that starts what has stopped would never let us go.
      await tasks.close()
      await servers.stopAll(signal)
    },
  }
}

/** A promise of isolation that is not kept would be worse than none: what is missing is said, one line each. */
function logIsolation({ user, hiddenProcesses, noNewPrivileges, limits }: NodeIsolation, log: Logger): void {
  if (!user.enforced)
    log.warn(
      `Servers run as the user of Innkeeper and can read and change what it can, other servers too: ${user.reason}`,
    )
  if (hiddenProcesses && !hiddenProcesses.enforced)
    log.warn(`Servers can read the command lines of each other's processes: ${hiddenProcesses.reason}`)
  if (!noNewPrivileges.enforced) log.warn(`Servers can gain rights that they do not have: ${noNewPrivileges.reason}`)
  for (const [limit, { enforced, reason }] of Object.entries(limits))
    if (!enforced) log.warn(`Servers cannot be held to a limit of ${limit}: ${reason}`)
  if (user.enforced && noNewPrivileges.enforced) log.info('Each server runs as a user of its own, without privileges')
}

/** What an earlier daemon left; anything but a socket is somebody else's and stays. */
async function removeSocket(path: string): Promise<void> {
  const found = await lstat(path).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') return undefined
    throw cause
  })
  if (found?.isSocket()) await rm(path)
}

function goNameOf(name: string): string {
  return { x64: 'amd64', ia32: '386' }[name] ?? name
}
