import { isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'

/** Ranges outside of the public internet: private, shared, loopback, link-local, multicast, reserved, tunnels. */
const notPublic = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  // Of IPv6, only 2000::/3 is global unicast.
  '::/3',
  '4000::/2',
  '8000::/1',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
].map((range) => ipaddr.parseCIDR(range))

/** NAT64: the last 32 bits are an IPv4 address. */
const nat64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96')

/** Whether an IP address is on the public internet. Embedded IPv4 addresses are checked as IPv4. */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.IPv4.isValidFourPartDecimal(text) && !ipaddr.IPv6.isValid(text)) return false
  // Converts IPv4-mapped addresses.
  const address = ipaddr.process(text)
  const isNat64 = address instanceof ipaddr.IPv6 && address.match(nat64)
  const target = isNat64 ? ipaddr.fromByteArray(address.toByteArray().slice(-4)) : address
  return ipaddr.subnetMatch(target, { notPublic }, 'public') === 'public'
}

/** The host of a URL, or an `address` of it, with the port as in `allow` lists. */
export function hostAndPort(url: URL, address?: string): string {
  const host =
    address === undefined ? url.hostname : isIPv6(address) ? new URL(`http://[${address}]`).hostname : address
  return `${host}:${url.port || (url.protocol === 'https:' ? '443' : '80')}`
}
