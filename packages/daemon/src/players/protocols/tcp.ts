import { connect } from 'node:net'
import type { QueryTarget } from './protocol.ts'

/**
 * Sends a request, and returns what `parse` finds in all that was received; undefined while that is not complete. `parse`
 * throws for what is no answer, or too long.
 */
export async function requestOverTcp<T>(
  { host, port, signal }: QueryTarget,
  request: Buffer,
  parse: (received: Buffer) => T | undefined,
): Promise<T> {
  signal.throwIfAborted()
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  const onAbort = () => reject(signal.reason)
  signal.addEventListener('abort', onAbort, { once: true })
  const socket = connect({ host, port })
  let received: Buffer = Buffer.alloc(0)
  socket.on('error', reject).on('close', () => reject(new Error('the server closed the connection')))
  socket.on('data', (part: Buffer) => {
    received = Buffer.concat([received, part])
    try {
      const answer = parse(received)
      if (answer !== undefined) resolve(answer)
    } catch (error) {
      reject(error)
    }
  })
  socket.write(request)
  try {
    return await promise
  } finally {
    signal.removeEventListener('abort', onAbort)
    socket.destroy()
  }
}
