import type { Duplex } from 'node:stream'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { WebSocketDuplex } from '@innkeeper/contract/http/websocket-duplex'
import { requestPurpose } from '@innkeeper/contract/node-link/ticket'
import { heldPanelsHeader, panelIdHeader, tunnelPath, tunnelProtocol } from '@innkeeper/contract/node-link/tunnel'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { WebSocketServer } from 'ws'
import type { NodeTunnels } from '../nodes/client/node-tunnels.ts'
import type { NodeAuthenticator } from '../nodes/node-authenticator.ts'
import type { NodesService } from '../nodes/nodes.ts'
import { bearerToken } from './credentials.ts'
import { countConnection } from './route-registrar.ts'
import type { Handshake, Upgrades } from './upgrades.ts'

interface Deps {
  readonly nodeAuthenticator: Pick<NodeAuthenticator, 'authenticate'>
  readonly tunnels: Pick<NodeTunnels, 'panelId' | 'has'>
  readonly nodes: Pick<NodesService, 'addTunnel'>
  readonly upgrades: Upgrades
}

/** The tunnels that nodes open: see `tunnel.ts` in the contract. */
export function registerTunnelRoute(app: FastifyInstance, { nodeAuthenticator, tunnels, nodes, upgrades }: Deps): void {
  const acceptor = new WebSocketServer({ noServer: true, perMessageDeflate: false, clientTracking: false })
  acceptor.on('headers', (headers) => headers.push(`${panelIdHeader}: ${tunnels.panelId}`))

  app.route({
    method: 'GET',
    url: tunnelPath,
    exposeHeadRoute: false,
    config: { access: 'node' },
    handler: async (request, reply) => {
      const { nodeId } = await nodeAuthenticator.authenticate(bearerToken(request), requestPurpose('GET', tunnelPath))
      countConnection(request, `node ${nodeId}`)
      reply.header(panelIdHeader, tunnels.panelId)
      const held = String(request.headers[heldPanelsHeader] ?? '').split(',')
      if (held.includes(tunnels.panelId) && tunnels.has(nodeId)) return await reply.code(204).send()
      const handshake = upgrades.find(request)
      if (!handshake) throw new Refusal('ErrNotFound')
      upgrades.take(handshake, reply)
      try {
        await nodes.addTunnel(nodeId, await accept(request, handshake))
      } catch (error) {
        // After the upgrade there is no way to report it.
        request.log.warn({ err: error, nodeId }, 'the tunnel of a node could not be opened')
        handshake.socket.destroy()
      }
    },
  })

  function accept({ raw, headers }: FastifyRequest, { socket, head }: Handshake): Promise<Duplex> {
    if (headers.upgrade?.toLowerCase() === tunnelProtocol) return acceptPlain(socket, head)
    return new Promise((resolve, reject) => {
      socket.once('close', () => reject(new Error('The node disconnected during the handshake.')))
      acceptor.handleUpgrade(raw, socket, head, (opened) => resolve(new WebSocketDuplex(opened)))
    })
  }

  async function acceptPlain(socket: Duplex, head: Buffer): Promise<Duplex> {
    // With a half of it closed, a tunnel is of no use.
    socket.allowHalfOpen = false
    if (head.length > 0) socket.unshift(head)
    const lines = ['HTTP/1.1 101 Switching Protocols', 'Connection: Upgrade', `Upgrade: ${tunnelProtocol}`]
    const response = [...lines, `${panelIdHeader}: ${tunnels.panelId}`, '', ''].join('\r\n')
    await new Promise<void>((resolve, reject) => {
      socket.write(response, (error) => (error ? reject(error) : resolve()))
    })
    return socket
  }
}
