import { chmod, lstat, rm } from 'node:fs/promises'
import { arch, userInfo } from 'node:os'
import type { NodeFeatures } from '@innkeeper/contract/nodes'
import type { JWK } from 'jose'
import type { Logger } from 'pino'
import { createEnvironments } from './environments/environments.ts'
import { FileWork } from './file-work/file-work.ts'
import { createApp } from './http/app.ts'
import { ticketCheck } from './http/tickets.ts'
import { openKeepers } from './keeper/client.ts'
import { createFetcher } from './network/fetch.ts'
import type { PanelLink } from './panel-link/panel-link.ts'
import { Sampler } from './processes/sampler.ts'
import { Registry } from './servers/registry.ts'
import { openHostKey } from './sftp/host-key.ts'
import { SftpServer } from './sftp/sftp-server.ts'
import { Uploads } from './uploads/uploads.ts'

export interface DaemonNeeds {
  readonly dataDir: string
  readonly nodeId: number
  /** The panel's: what it signed is believed. */
  readonly publicKey: JWK
  readonly version: string
  readonly log: Logger
  /** `host:port` that install steps may download from although they are not public. */
  readonly downloadAllow: readonly string[]
  /** Where programs of servers are looked up. */
  readonly path?: string
  /** The way to the panel; without one nobody can log in over SFTP, which is not served then. */
  readonly panel?: PanelLink
}

/** Where the node listens: a socket in the file system that only its own user may open, or an address. */
export type Target = { readonly socketPath: string } | { readonly host: string; readonly port: number }

export interface Daemon {
  listen(target: Target): Promise<void>
  /** Serves SFTP, and says at which port. A port that is taken is a message in the log: the rest of the node runs on. */
  serveSftp(at: { readonly host: string; readonly port: number }): Promise<number | undefined>
  /** Goes away and leaves the servers running. */
  detach(): Promise<void>
  /** Stops every server and waits for their ends, or until the signal says that nobody waits any more. */
  stopServers(signal?: AbortSignal): Promise<void>
}

const standardPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/usr/local/games:/usr/games'

/** Brings a node up: takes over what runs, then starts what is to start with it. It answers once it listens. */
export async function createDaemon(needs: DaemonNeeds): Promise<Daemon> {
  const { dataDir, nodeId, publicKey, version, log, downloadAllow, path = standardPath, panel } = needs
  const user = userInfo().username
  // A promise of isolation that is not kept would be worse than none.
  log.warn(
    `Servers run as the user of Innkeeper (${user}) with all its rights: there are no limits on memory, CPU or processes, and servers can read each other's files`,
  )
  const keepers = await openKeepers({ dataDir, log })
  const environments = createEnvironments(keepers)
  const sampler = new Sampler({ onFault: (cause) => log.error({ err: cause }, 'servers could not be measured') })
  const servers = await Registry.open({
    dataDir,
    path,
    user,
    log,
    sampler,
    runs: keepers.runs,
    environmentFor: environments.find,
    fetch: createFetcher({ allow: downloadAllow, version }),
  })
  let sftp: SftpServer | undefined
  const features = (): NodeFeatures => ({
    features: sftp ? ['sftp'] : [],
    environments: [...environments.types],
    os: process.platform,
    arch: goNameOf(arch()),
    version,
  })
  const work = new FileWork(servers, log)
  const uploads = new Uploads({ dataDir, servers, log })
  const http = createApp({ servers, work, uploads, tickets: await ticketCheck({ nodeId, publicKey }), features, log })
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
    async detach() {
      const closing = Promise.all([http.close(), sftp?.close()]).then(() => panel?.close())
      // Requests that wait for an end are answered now, or the listener would wait for them.
      await Promise.all([work.close(), uploads.close()])
      await servers.close()
      await closing
      await keepers.close()
    },
    stopServers: (signal) => servers.stopAll(signal),
  }
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
