import { chmod, mkdir } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { dirname } from 'node:path'
import { limits } from '@innkeeper/contract/limits'
import { envelopeOf } from '@innkeeper/contract/refusal-envelope'
import { Refusal } from '@innkeeper/contract/refusals'
import type { Listener } from './listener.ts'
import { closeServer, listenAt } from './socket-file.ts'

/** What only nodes ask; nothing else is answered on their socket. */
const prefix = '/api/node/'

/**
 * A second listener of the panel for the node on its machine: a socket in the file system that only its own user may
 * open. It needs no port, name or certificate, and each call still proves which node makes it.
 */
export async function listenForNode(app: Listener, socketPath: string): Promise<{ close(): Promise<void> }> {
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    if (request.url?.startsWith(prefix)) app.routing(request, response)
    else refuse(response)
  })
  server.requestTimeout = limits.bodyMs
  await mkdir(dirname(socketPath), { recursive: true, mode: 0o700 })
  await listenAt(server, socketPath)
  await chmod(socketPath, 0o600)
  return { close: () => closeServer(server) }
}

function refuse(response: ServerResponse): void {
  response.writeHead(404, { 'content-type': 'application/json', connection: 'close' })
  response.end(JSON.stringify(envelopeOf(new Refusal('ErrNotFound'))))
}
