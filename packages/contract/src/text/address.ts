interface ServerAddress {
  readonly ip: string
  readonly port: number
  readonly node: { readonly publicHost: string }
}

/** The wildcard addresses: all addresses of the node. Older definitions hold the placeholder itself. */
const anyAddresses: readonly string[] = ['', '0.0.0.0', '::', '[::]', '{ip}']

/** A host in front of a port: an IPv6 address gets brackets. */
export function bracketed(host: string): string {
  return host.split(':').length > 2 && !host.startsWith('[') ? `[${host}]` : host
}

/**
 * `ip:port` of a server. Uses the node's public host when the IP is empty or a wildcard address. Port 0 is omitted.
 */
export function getAddress(server: ServerAddress): string {
  const host = anyAddresses.includes(server.ip) ? server.node.publicHost : server.ip
  return server.port > 0 ? `${bracketed(host)}:${server.port}` : host
}
