import { type IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { tunnelProtocol } from '@innkeeper/contract/node-link/tunnel'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'

/** The connection of a request for an upgrade, and what the client has sent after it. */
export interface Handshake {
  readonly socket: Duplex
  readonly head: Buffer
}

/** Other upgrades (curl sends h2c) are treated as normal requests. */
export function isKnownUpgrade({ headers: { upgrade } }: { headers: { upgrade?: string | undefined } }): boolean {
  const protocol = upgrade?.toLowerCase()
  return protocol === 'websocket' || protocol === tunnelProtocol
}

/**
 * Requests for an upgrade. They pass the same router, authorization and error handling as any request, and are upgraded
 * only when authorized.
 */
export class Upgrades {
  readonly #handshakes = new WeakMap<IncomingMessage, Handshake>()

  constructor(app: FastifyInstance, log: Logger) {
    app.server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      socket.on('error', (error) => log.debug({ err: error }, 'a connection failed during its handshake'))
      const response = new ServerResponse(request)
      response.assignSocket(socket as Parameters<ServerResponse['assignSocket']>[0])
      response.shouldKeepAlive = false
      // Only a response that rejects the handshake ends here. The client might never close its side.
      response.once('finish', () => socket.end(() => socket.destroy()))
      this.#handshakes.set(request, { socket, head })
      app.routing(request, response)
    })
  }

  /** Undefined for a request without an upgrade. */
  find({ raw }: FastifyRequest): Handshake | undefined {
    return this.#handshakes.get(raw)
  }

  /** Takes the connection away from the reply: from now on the caller must answer the request, and close it. */
  take({ socket }: Handshake, reply: FastifyReply): void {
    reply.hijack()
    reply.raw.detachSocket(socket as Parameters<ServerResponse['detachSocket']>[0])
  }
}
