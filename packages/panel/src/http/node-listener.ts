import { chmod, mkdir } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { dirname } from 'node:path'
import { toEnvelope } from '@innkeeper/contract/errors/refusal-envelope'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { serverOptions } from '@innkeeper/contract/http/http-connections'
import type { Listener } from './listener.ts'
import { closeServer, listenAt } from './socket-file.ts'

/** Prefix of endpoints for nodes; nothing else is available on their socket. */
const prefix = '/api/node/'

/**
 * Listens for the local node on a unix socket that only its own user may open. It needs no port, host name or
 * certificate; each request is still authenticated.
 */
export async function listenForNode(app: Listener, socketPath: string): Promise<{ close(): Promise<void> }> {
  const options = serverOptions(app.connections.timeouts)
  const server = createServer(options, (request: IncomingMessage, response: ServerResponse) => {
    if (request.url?.startsWith(prefix)) app.routing(request, response)
    else refuse(response)
  })
  app.connections.watch(server)
  await mkdir(dirname(socketPath), { recursive: true, mode: 0o700 })
  await listenAt(server, socketPath)
  await chmod(socketPath, 0o600)
  return { close: () => closeServer(server) }
}

function refuse(response: ServerResponse): void {
  response.writeHead(404, { 'content-type': 'application/json', connection: 'close' })
  response.end(JSON.stringify(toEnvelope(new Refusal('ErrNotFound'))))
}
