import { createServer, type IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { serverOptions } from '@innkeeper/contract/http/http-connections'
import type { Listener } from './listener.ts'
import { closeServer, listenAt, prepareSharedFolder, shareWithGroup } from './socket-file.ts'
import { isKnownUpgrade } from './upgrades.ts'

/**
 * Listens for a reverse proxy on this machine, on a unix socket in a folder that servers cannot enter. Requests are
 * handled as on the port, and forwarded headers are trusted.
 */
export async function listenForProxy(app: Listener, path: string): Promise<{ close(): Promise<void> }> {
  const server = createServer({ ...serverOptions(app.connections.timeouts), shouldUpgradeCallback: isKnownUpgrade })
  app.proxyTrust.trustSocketFile(server)
  app.connections.watch(server)
  server.on('request', app.routing)
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) =>
    app.server.emit('upgrade', request, socket, head),
  )
  await prepareSharedFolder(path)
  await listenAt(server, path)
  await shareWithGroup(path)
  return { close: () => closeServer(server) }
}
