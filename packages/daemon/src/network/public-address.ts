import { BlockList, isIPv4, isIPv6 } from 'node:net'

/** Every IPv4 range that is not the public internet: private, shared, loopback, link-local, multicast, reserved. */
const notPublic = new BlockList()
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const) {
  notPublic.addSubnet(network, prefix, 'ipv4')
}

/** Global unicast is the only public part of IPv6, and these parts of it are not: tunnels, documentation, protocols. */
const globalUnicast = new BlockList()
globalUnicast.addSubnet('2000::', 3, 'ipv6')
for (const [network, prefix] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const) {
  notPublic.addSubnet(network, prefix, 'ipv6')
}

/** Whether an address is one of the public internet. IPv4 inside IPv6 (mapped, NAT64) is judged as the IPv4 it is. */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !notPublic.check(address, 'ipv4')
  if (!isIPv6(address) || address.includes('%')) return false
  const inner = embeddedIPv4(address)
  if (inner) return isPublicAddress(inner)
  return globalUnicast.check(address, 'ipv6') && !notPublic.check(address, 'ipv6')
}

const carriers = /^(?:::ffff:|64:ff9b::)(?<high>[0-9a-f]{1,4}):(?<low>[0-9a-f]{1,4})$/

/** The IPv4 address in `::ffff:a.b.c.d` or `64:ff9b::a.b.c.d`, however it is written. */
function embeddedIPv4(address: string): string | undefined {
  // The URL parser knows every spelling and gives one.
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1)
  const halves = carriers.exec(canonical)?.groups
  if (!halves) return undefined
  const [high, low] = [Number.parseInt(halves.high ?? '', 16), Number.parseInt(halves.low ?? '', 16)]
  return [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.')
}
