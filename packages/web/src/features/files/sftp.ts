import type { NodeSummary } from '@innkeeper/contract/nodes'

/** A node with this host is where the panel is: people reach it as they reached the page. */
const sameAsPage = '127.0.0.1'

/** Where SFTP clients find a node. */
export function sftpHostOf(node: Pick<NodeSummary, 'publicHost'>, pageHost: string): string {
  return node.publicHost === sameAsPage ? pageHost : node.publicHost
}

/** `host:port`; the colons of an IPv6 address stand in brackets. */
export function sftpAddressOf(host: string, port: number): string {
  return `${host.includes(':') && !host.startsWith('[') ? `[${host}]` : host}:${port}`
}

/** The link that opens an SFTP client; the `@` and `#` of a user name would otherwise end it. */
export function sftpLinkOf(user: string, host: string, port: number): string {
  return `sftp://${encodeURIComponent(user)}@${sftpAddressOf(host, port)}/`
}
