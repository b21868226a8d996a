/** A request with its body, as `IncomingMessage` has it. */
interface RequestWithBody {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** Bytes that have arrived and are unread. */
  readonly readableLength: number
  readonly socket: { readonly bytesRead: number }
  destroy(): unknown
  once(event: 'end' | 'close', listener: () => void): unknown
}

/** The lowest rate of bodies. */
export interface BodyRate {
  readonly bytes: number
  readonly everyMs: number
}

export const slowestBody: BodyRate = { bytes: 16 * 1024, everyMs: 60_000 }

/**
 * Ends the connection of a request whose body arrives more slowly. A body that its reader holds up is not slow, as long
 * as it progresses.
 */
export function endSlowBody(request: RequestWithBody, { bytes, everyMs }: BodyRate = slowestBody): void {
  const { headers, socket } = request
  if (headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0) return
  let before = socket.bytesRead
  const timer = setInterval(() => {
    const arrived = socket.bytesRead - before
    before = socket.bytesRead
    if (arrived === 0 || (arrived < bytes && request.readableLength === 0)) request.destroy()
  }, everyMs)
  for (const end of ['end', 'close'] as const) request.once(end, () => clearInterval(timer))
}
