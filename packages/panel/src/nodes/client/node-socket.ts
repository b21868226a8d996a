import type { Socket } from 'node:net'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { limits } from '@innkeeper/contract/text/limits'
import WebSocket from 'ws'
import { livenessTimeoutMs } from './liveness-probe.ts'
import { getRefusal, readText } from './node-response.ts'

/** Opens a WebSocket to a node over a connection. */
export function createSocket(connection: Socket, path: string, authorization: string): WebSocket {
  return new WebSocket(`ws://node${path}`, {
    createConnection: () => connection,
    headers: { authorization },
    handshakeTimeout: livenessTimeoutMs,
    maxPayload: limits.liveFrameBytes,
    perMessageDeflate: false,
    autoPong: false,
  })
}

/** Waits until the socket is open and pauses it. Rejects with the refusal of the node. */
export function waitUntilOpen(socket: WebSocket): Promise<WebSocket> {
  return new Promise((resolve, reject) => {
    const unavailable = (cause: unknown) => reject(new Refusal('ErrServiceNotAvailable', {}, { cause }))
    socket.once('open', () => {
      socket.pause()
      socket.off('error', unavailable)
      resolve(socket)
    })
    socket.once('error', unavailable)
    socket.once('unexpected-response', (_request, response) => {
      readText(response)
        .then((text) => reject(getRefusal(response.statusCode ?? 0, JSON.parse(text))))
        .catch(unavailable)
        .finally(() => socket.terminate())
    })
  })
}
