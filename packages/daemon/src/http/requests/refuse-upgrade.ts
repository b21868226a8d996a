import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { toEnvelope } from '@innkeeper/contract/errors/refusal-envelope'
import type { Refusal } from '@innkeeper/contract/errors/refusals'
import { getStatus } from './errors.ts'

/** Answers a request for an upgrade with a refusal, and closes its connection. */
export function refuseUpgrade(socket: Duplex, refusal: Refusal): void {
  const status = getStatus(refusal)
  const body = JSON.stringify(toEnvelope(refusal))
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ]
  // The client might never close its side.
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy())
}
