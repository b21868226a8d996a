/** The body of a request, as `IncomingMessage` has it. */
interface RequestBody {
  /** Whether the whole request has arrived. */
  readonly complete: boolean
  /** Bytes that have arrived and are unread. */
  readonly readableLength: number
  resume(): unknown
  destroy(): unknown
  once(event: 'end' | 'close', listener: () => void): unknown
}

/**
 * Reads the rest of a request after its response was sent, because the connection may serve other requests, also of
 * other users behind a proxy. A request that is still incomplete after `lingerMs` loses its connection.
 */
export function drainBody(body: RequestBody, lingerMs: number): void {
  if (body.complete && body.readableLength === 0) return
  if (!body.complete) {
    const timer = setTimeout(() => {
      if (!body.complete) body.destroy()
    }, lingerMs)
    for (const end of ['end', 'close'] as const) body.once(end, () => clearTimeout(timer))
  }
  body.resume()
}
