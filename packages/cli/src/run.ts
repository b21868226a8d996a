import { mkdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { localNodeId } from '@innkeeper/contract/nodes'
import { createDaemon, type Daemon } from '@innkeeper/daemon/daemon'
import { createPanel, type Panel } from '@innkeeper/panel/panel'
import type { Logger } from 'pino'
import type { Config } from './config.ts'
import { lockData } from './data-lock.ts'

const repository = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..')

/** A panel with its local node, or a panel alone, listening. */
export interface Innkeeper {
  readonly url: string
  /** What the page for the first administrator asks for; absent when there is one. */
  readonly setupCode: string | undefined
  /** Stops every server in order, before `leave`. */
  stopServers(): Promise<void>
  /** Closes everything of ours; servers run on. */
  leave(): Promise<void>
}

/**
 * Starts what the role asks for.
 * @throws DataInUse, or the reason why it cannot listen.
 */
export async function run(config: Config, version: string, log: Logger): Promise<Innkeeper> {
  if (config.role === 'node')
    throw new Error('This version cannot run a node apart from a panel yet: use the role all.')
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 })
  const lock = await lockData(config.dataDir)
  const socketPath = join(config.dataDir, 'run', 'node.sock')
  const panel = await openPanel(config, version, log, socketPath)
  let daemon: Daemon | undefined
  try {
    // The address first: a port that is taken must be known before any server is started.
    const { url } = await panel.listen()
    daemon = config.role === 'all' ? await openDaemon(config, version, log, panel, socketPath) : undefined
    return {
      url,
      setupCode: panel.setupCode,
      async stopServers() {
        await daemon?.stopServers()
      },
      async leave() {
        await panel.close()
        await daemon?.detach()
        lock.close()
      },
    }
  } catch (error) {
    await panel.close()
    await daemon?.detach()
    lock.close()
    throw error
  }
}

async function openPanel(config: Config, version: string, log: Logger, socketPath: string): Promise<Panel> {
  const { adminEmail: email, adminUsername: username, adminPassword: password, tlsCert, tlsKey } = config
  return createPanel({
    databaseUrl: config.databaseUrl,
    host: config.host,
    port: config.port,
    masterUrl: config.masterUrl,
    upstream: config.upstream,
    trustProxy: config.trustProxy,
    localNode: config.role === 'all' ? { socketPath, name: 'LocalNode', sftpPort: config.sftpPort } : undefined,
    webDir: join(repository, 'packages', 'web', 'dist'),
    templatesDir: join(repository, 'templates'),
    admin: email && username && password ? { email, username, password } : undefined,
    tls: tlsCert && tlsKey ? { cert: await readFile(tlsCert, 'utf8'), key: await readFile(tlsKey, 'utf8') } : undefined,
    version,
    log,
  })
}

async function openDaemon(
  config: Config,
  version: string,
  log: Logger,
  panel: Panel,
  socketPath: string,
): Promise<Daemon> {
  const daemon = await createDaemon({
    dataDir: config.dataDir,
    nodeId: localNodeId,
    publicKey: panel.publicJwk,
    version,
    log,
    downloadAllow: config.downloadAllow,
    uids: config.serverUids,
  })
  await daemon.listen({ socketPath })
  return daemon
}
