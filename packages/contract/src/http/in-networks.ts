import ipaddr from 'ipaddr.js'

/** Whether an address is one of these addresses, or in one of these networks in CIDR notation. */
export function isInNetworks(address: string, networks: readonly string[]): boolean {
  const [plain = ''] = address.split('%', 1)
  if (!ipaddr.isValid(plain)) return false
  // An IPv4 address may arrive as `::ffff:192.0.2.1`.
  const client = ipaddr.process(plain)
  return networks.some((network) => {
    const [range, bits] = network.includes('/') ? ipaddr.parseCIDR(network) : [ipaddr.parse(network), undefined]
    return range.kind() === client.kind() && client.match(range, bits ?? (range.kind() === 'ipv4' ? 32 : 128))
  })
}
