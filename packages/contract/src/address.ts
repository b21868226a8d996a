import type { ServerView } from './servers.ts'

/** The wildcard address: all addresses of the node. */
const anyAddress = '0.0.0.0'

/**
 * `ip:port` of a server. Uses the node's public host when the IP is empty or the wildcard address. Port 0 is omitted.
 */
export function addressOf(server: Pick<ServerView, 'ip' | 'port' | 'node'>): string {
  const host = server.ip === '' || server.ip === anyAddress ? server.node.publicHost : server.ip
  return server.port > 0 ? `${host}:${server.port}` : host
}
