import type { NodeSummary } from '@innkeeper/contract/nodes/nodes'
import { bracketed } from '@innkeeper/contract/text/address'

/** The public host of a node on the panel's own machine. Users reach it by the host in their address bar. */
const panelMachineHost = '127.0.0.1'

export function getSftpHost(node: Pick<NodeSummary, 'publicHost'>, pageHost: string): string {
  return node.publicHost === panelMachineHost ? pageHost : node.publicHost
}

/** `host:port`, with brackets around an IPv6 address. */
export function getSftpAddress(host: string, port: number): string {
  return `${bracketed(host)}:${port}`
}

/** The URL that opens an SFTP client. The user name contains `@` and `#`, so it is encoded. */
export function getSftpUrl(user: string, host: string, port: number): string {
  return `sftp://${encodeURIComponent(user)}@${getSftpAddress(host, port)}/`
}
