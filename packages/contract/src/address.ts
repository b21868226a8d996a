import type { ServerView } from './servers.ts'

/** The ip that stands for "every address of the node". */
const anyAddress = '0.0.0.0'

/** `ip:port` of a server; the node's public host when the ip is empty or means every address. Port 0 is left out. */
export function addressOf(server: Pick<ServerView, 'ip' | 'port' | 'node'>): string {
  const host = server.ip === '' || server.ip === anyAddress ? server.node.publicHost : server.ip
  return server.port > 0 ? `${host}:${server.port}` : host
}
