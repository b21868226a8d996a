import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { connectionLimits } from '@innkeeper/contract/http/connection-limiter'
import { localNodeId } from '@innkeeper/contract/nodes/nodes'
import { createDaemon, type Daemon, type DaemonOptions } from '@innkeeper/daemon/daemon'
import { defaultUidRange } from '@innkeeper/daemon/isolation/uid-allocator'
import type { FileLock } from '@innkeeper/daemon/keeper/process/file-lock'
import { dialPanel } from '@innkeeper/daemon/panel-link/dial-panel'
import { enrol } from '@innkeeper/daemon/panel-link/enrolment'
import { joinByToken } from '@innkeeper/daemon/panel-link/join'
import { type Certificate, openNodeCertificate } from '@innkeeper/daemon/panel-link/node-certificate'
import { loadNodeKey, type NodeIdentity } from '@innkeeper/daemon/panel-link/node-key'
import { isUnencrypted, panelLink } from '@innkeeper/daemon/panel-link/panel-link'
import type { StopProgress } from '@innkeeper/daemon/servers/registry'
import { openSftpGateway } from '@innkeeper/daemon/sftp/sftp-gateway'
import type { TrashOptions } from '@innkeeper/daemon/trash/trash'
import { listenerUrl } from '@innkeeper/panel/http/listener-url'
import type { ServerUids } from '@innkeeper/panel/http/proxy-trust'
import { createPanel, type Panel } from '@innkeeper/panel/panel'
import type { Logger } from 'pino'
import { backupCommand } from './backup/backup-command.ts'
import { backUpBeforeUpgrade } from './backup/before-upgrade.ts'
import { BackupSchedule } from './backup/schedule.ts'
import type { Config } from './installation/config.ts'
import { lockData, lockDatabase } from './installation/data-lock.ts'
import { openFileLimit, readProcessLimits } from './installation/open-files.ts'
import { type Metrics, openMetrics } from './metrics.ts'
import { startOrClose } from './start-or-close.ts'

const repository = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..')

/** A running panel with its local node, or a panel alone. */
export interface Innkeeper {
  readonly url: string
  /** The setup code for the first administrator; absent when there is one. */
  readonly setupCode: string | undefined
  /** Stops all servers, before `close`. Those that do not stop in their time are left running. */
  stopServers(progress?: StopProgress): Promise<void>
  /** The names of servers, as far as they are known here. */
  serverNames(ids: readonly string[]): Promise<ReadonlyMap<string, string>>
  /** Closes panel and daemon; servers keep running. */
  close(): Promise<void>
}

/**
 * Starts the configured role. `program` are the arguments of Node.js with which other commands of this program start.
 * @throws DataDirLockedError, DatabaseLockedError, or the reason why it cannot listen
 */
export async function run(
  config: Config,
  version: string,
  log: Logger,
  program: readonly string[],
): Promise<Innkeeper> {
  const innkeeper = await runRole(config, version, log)
  const schedule = scheduleBackups(config, log, program)
  if (!schedule) return innkeeper
  return {
    ...innkeeper,
    async close() {
      await schedule.close()
      await innkeeper.close()
    },
  }
}

/** Scheduled backups, if there is an interval for them. */
function scheduleBackups(
  { backupDir, backupEveryHours, backupKeep }: Config,
  log: Logger,
  program: readonly string[],
): BackupSchedule | undefined {
  if (backupEveryHours === undefined) return undefined
  const everyMs = backupEveryHours * 3_600_000
  return new BackupSchedule({ dir: backupDir, everyMs, keep: backupKeep, backUp: backupCommand(program), log })
}

async function runRole(config: Config, version: string, log: Logger): Promise<Innkeeper> {
  const lock = lockData(config.dataDir)
  if (config.role === 'node') return await runNode(config, version, log, lock)
  let daemon: Daemon | undefined
  // Closed in reverse order: the panel, the daemon, then the lock of the data folder.
  const parts = new AsyncDisposableStack()
  parts.defer(() => lock.release())
  parts.defer(() => daemon?.detach())
  return await startOrClose(parts, log, async () => {
    const databaseLock = lockDatabase(config.databaseUrl)
    parts.defer(() => databaseLock?.release())
    const local = await localNode(config)
    const metrics = openMetrics(config)
    const panel = await openPanel(config, version, log, { local, metrics })
    parts.defer(() => panel.close())
    // Listen first: a port in use must be reported before any server is started.
    const { url } = await panel.listen()
    if (local) {
      daemon = await openDaemon(config, version, log, { panel, local, metrics })
      await daemon.listen({ socketPath: local.nodeSocket })
      await daemon.serveSftp({ host: config.sftpHost, port: config.sftpPort })
      daemon.startReporting()
    } else {
      const sftp = await openSftpGateway({
        dataDir: config.dataDir,
        relay: panel.sftpRelay,
        limits: await limitsOfProcess(),
        log,
      })
      parts.defer(() => sftp.close())
      await sftp.tryListen(config.sftpHost, config.sftpPort)
    }
    return {
      url,
      setupCode: panel.setupCode,
      async stopServers(progress) {
        await daemon?.stopServers(progress)
      },
      serverNames: (ids) => panel.serverNames(ids),
      close: () => parts.disposeAsync(),
    }
  })
}

/** The unix sockets between panel and local node, and the identity of the node. */
interface Local {
  readonly nodeSocket: string
  readonly panelSocket: string
  readonly identity: NodeIdentity
}

async function localNode({ role, dataDir }: Config): Promise<Local | undefined> {
  if (role !== 'all') return undefined
  const folder = join(dataDir, 'run')
  return {
    nodeSocket: join(folder, 'node.sock'),
    panelSocket: join(folder, 'panel.sock'),
    identity: await loadNodeKey(dataDir, localNodeId),
  }
}

async function openPanel(
  config: Config,
  version: string,
  log: Logger,
  { local, metrics }: { readonly local: Local | undefined; readonly metrics: Metrics | undefined },
): Promise<Panel> {
  const { adminEmail: email, adminUsername: username, adminPassword: password } = config
  return createPanel({
    databaseUrl: config.databaseUrl,
    host: config.host,
    port: config.port,
    masterUrl: config.masterUrl,
    translationUrl: config.translationUrl,
    upstream: config.upstream,
    alertAllow: config.alertAllow,
    oidcAllow: config.oidcAllow,
    trustProxy: config.trustProxy,
    serverUids: getServerUids(config),
    proxySocket: config.proxySocket,
    localNode: local && {
      name: 'LocalNode',
      socketPath: local.nodeSocket,
      sftpPort: config.sftpPort,
      publicKey: local.identity.publicKey,
      panelSocketPath: local.panelSocket,
    },
    sftpPort: config.sftpPort,
    webDir: join(repository, 'packages', 'web', 'dist'),
    templatesDir: join(repository, 'templates'),
    admin: email && username && password ? { email, username, password } : undefined,
    tls: await certificateIn(config),
    connectionLimits: (await limitsOfProcess()).panel,
    metrics,
    version,
    log,
    backUpServer: () => backUpBeforeUpgrade({ config, version, log }),
  })
}

/** How many connections may be open, so that descriptors remain for everything else. */
async function limitsOfProcess() {
  return connectionLimits(openFileLimit(await readProcessLimits()))
}

/** The users that run servers on this machine; our own user where we cannot switch users. */
function getServerUids({ role, serverUids }: Config): ServerUids {
  const own = process.getuid?.() ?? 0
  return own !== 0 && role === 'all' ? { first: own, count: 1 } : (serverUids ?? defaultUidRange)
}

async function openDaemon(
  config: Config,
  version: string,
  log: Logger,
  { panel, local, metrics }: { readonly panel: Panel; readonly local: Local; readonly metrics: Metrics | undefined },
): Promise<Daemon> {
  const { panelSocket, identity } = local
  return await createDaemon({
    ...(await daemonOptions(config)),
    nodeId: identity.nodeId,
    publicKey: panel.publicJwk,
    panel: panelLink({ socketPath: panelSocket }, identity),
    sftpRelay: panel.sftpRelay,
    // The panel of this process serves them.
    metrics: metrics && { registry: metrics.registry },
    version,
    log,
  })
}

/** The configured options of a daemon, whether it is the local node or a remote one. */
async function daemonOptions(config: Config) {
  return {
    dataDir: config.dataDir,
    uids: config.serverUids,
    downloads: { allow: config.downloadAllow, mirrors: config.upstream, curseforgeKey: config.curseforgeKey },
    alerts:
      config.nodeAlertsAfter > 0 ? { allow: config.alertAllow, afterMs: config.nodeAlertsAfter * 1000 } : undefined,
    backups: findBackups(config),
    trash: getTrash(config),
    connectionLimits: await limitsOfProcess(),
  } satisfies Partial<DaemonOptions>
}

function findBackups(config: Config): DaemonOptions['backups'] {
  return {
    restic: config.restic,
    keep: config.serverBackupKeep,
    proofEveryMs: config.serverBackupProofDays * 24 * 60 * 60 * 1000,
    proofHours: config.serverBackupProofHours,
    boot: config.serverBackupBoot,
    freezeMs: config.serverBackupFreeze * 1000,
  }
}

function getTrash({ trashDays: days, trashMaxSize, trashVersions, trashSftp: sftp }: Config): TrashOptions {
  return { days, maxBytes: trashMaxSize * 1024 ** 3, maxVersions: trashVersions, sftp }
}

/** A remote node. It runs its servers whether the panel responds or not. */
async function runNode(config: Config, version: string, log: Logger, lock: FileLock): Promise<Innkeeper> {
  const { dataDir, panelUrl, panelKey, nodeSecret, nodeHost: host, nodePort: port } = config
  if (panelUrl === undefined || panelKey === undefined) throw new Error('panelUrl and panelKey are required')
  if (isUnencrypted(panelUrl)) log.warn(`${panelUrl} is not encrypted: SFTP passwords can be intercepted. Use https`)
  const leaving = new AbortController()
  let daemon: Daemon | undefined
  let joining: Promise<void> | undefined
  const parts = new AsyncDisposableStack()
  parts.defer(() => lock.release())
  parts.defer(() => daemon?.detach())
  parts.defer(async () => {
    leaving.abort()
    await joining
  })
  return await startOrClose(parts, log, async () => {
    const ownCertificate = await certificateIn(config)
    const tls = ownCertificate ?? (await openNodeCertificate(dataDir))
    const nodeId = config.nodeId ?? (await joinPanelByToken(config, panelUrl, ownCertificate ? '' : tls.cert, log))
    const identity = await loadNodeKey(dataDir, nodeId)
    const panel = panelLink({ url: panelUrl }, identity)
    daemon = await createDaemon({
      ...(await daemonOptions(config)),
      nodeId,
      publicKey: { kty: 'OKP', crv: 'Ed25519', x: panelKey },
      panel,
      dialPanel: config.nodeTunnels ? (held) => dialPanel({ panelUrl, identity, held }) : undefined,
      http: { tls },
      metrics: openMetrics(config),
      version,
      log,
    })
    const started = daemon
    await started.listen({ host, port })
    await started.serveSftp({ host: config.sftpHost, port: config.sftpPort })
    joining = joinPanel()
    async function joinPanel(): Promise<void> {
      // Without a secret it has already joined.
      const certificate = ownCertificate ? '' : tls.cert
      if (
        nodeSecret &&
        !(await enrol({ panel, identity, certificate, secret: nodeSecret, log, signal: leaving.signal }))
      )
        return
      started.startReporting()
    }
    return {
      url: listenerUrl({ host, port, isSecure: true }),
      setupCode: undefined,
      async stopServers(progress) {
        await started.stopServers(progress)
      },
      // Only the panel knows names.
      serverNames: async () => new Map(),
      close: () => parts.disposeAsync(),
    }
  })
}

/** Returns the ID of this node. */
async function joinPanelByToken(config: Config, panelUrl: string, certificate: string, log: Logger): Promise<number> {
  const { dataDir, joinToken: token, nodePort: port, sftpPort } = config
  if (token === undefined) throw new Error('nodeId or joinToken is required')
  return await joinByToken({ dataDir, panelUrl, token, certificate, port, sftpPort, log })
}

/** The configured certificate. */
async function certificateIn({ tlsCert, tlsKey }: Config): Promise<Certificate | undefined> {
  if (!tlsCert || !tlsKey) return undefined
  return { cert: await readFile(tlsCert, 'utf8'), key: await readFile(tlsKey, 'utf8') }
}
