/**
 * A node that panels do not reach opens a tunnel to each of them: an HTTP/1.1 upgrade of a signed request. On it both
 * sides speak HTTP/2, with the panel as the client. Each stream (`CONNECT`) is a connection to the HTTP server of the
 * node, with TLS as on the direct way.
 */
export const tunnelPath = '/api/node/tunnel'

/** The protocol of the upgrade. Through a proxy that passes only WebSockets it is a WebSocket with binary messages. */
export const tunnelProtocol = 'innkeeper-tunnel'

/** Response header: the panel. It changes when the panel restarts. */
export const panelIdHeader = 'innkeeper-panel'

/** Request header: the panels, separated by commas, to which the node has tunnels. Such a panel responds with 204. */
export const heldPanelsHeader = 'innkeeper-panels'

const MiB = 1024 * 1024

/** Bytes of a stream, and of all streams, that a sender may send before they are read: a slow reader stops no others. */
const streamWindowBytes = MiB
const sessionWindowBytes = 16 * MiB

/** Connections of a panel to a node at the same time. */
export const maxTunnelStreams = 2_000

/** The options of both HTTP/2 sessions of a tunnel. */
export const tunnelSessionOptions = {
  settings: { initialWindowSize: streamWindowBytes, maxConcurrentStreams: maxTunnelStreams, enablePush: false },
  /** In megabytes: enough for the windows. */
  maxSessionMemory: 64,
}

/** Proxies close connections that are silent for a minute. */
export const tunnelPingEveryMs = 20_000
/** A tunnel is closed without a response to a ping for this long: a cut connection is not reported. */
export const tunnelPingTimeoutMs = 10_000

/** An HTTP/2 session, as `node:http2` has it. */
interface Session {
  readonly destroyed: boolean
  ping(callback: (error: Error | null) => void): boolean
  setLocalWindowSize(bytes: number): void
  destroy(error?: Error): void
  once(event: 'close', listener: () => void): unknown
}

interface PingTimes {
  readonly everyMs?: number | undefined
  readonly timeoutMs?: number | undefined
}

/** Widens the window of a session that has begun, and pings the other side until the session is closed. */
export function keepTunnelAlive(
  session: Session,
  { everyMs = tunnelPingEveryMs, timeoutMs = tunnelPingTimeoutMs }: PingTimes = {},
): void {
  session.setLocalWindowSize(sessionWindowBytes)
  let timeout: NodeJS.Timeout | undefined
  const pings = setInterval(() => {
    // A session that is destroyed throws, and its `close` follows.
    if (session.destroyed) return
    timeout ??= setTimeout(
      () => session.destroy(new Error('The other side of the tunnel does not respond.')),
      timeoutMs,
    )
    // An error is followed by the end of the session.
    session.ping((error) => {
      if (error) return
      clearTimeout(timeout)
      timeout = undefined
    })
  }, everyMs)
  session.once('close', () => {
    clearInterval(pings)
    clearTimeout(timeout)
  })
}
