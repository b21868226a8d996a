/** IPv4 ranges that are not public: private, shared, loopback, link-local, multicast, reserved. */
const notPublic4 = [
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
].map(rangeOf)

/** Only global unicast is public in IPv6, without these ranges: tunnels, documentation, protocols. */
const globalUnicast = rangeOf('2000::/3')
const notPublic6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'].map(rangeOf)

/** IPv4 embedded in IPv6: mapped addresses and NAT64. */
const embeddedIpv4 = ['::ffff:0:0/96', '64:ff9b::/96'].map(rangeOf)

/** Whether an IP address is on the public internet. Embedded IPv4 addresses are checked as IPv4. */
export function isPublicAddress(text: string): boolean {
  const address = numberOf4(text) ?? numberOf6(text)
  if (!address) return false
  if (address.bits === 32) return !notPublic4.some((range) => contains(range, address))
  if (embeddedIpv4.some((range) => contains(range, address))) {
    const inner = { bits: 32, value: address.value & 0xffff_ffffn }
    return !notPublic4.some((range) => contains(range, inner))
  }
  return contains(globalUnicast, address) && !notPublic6.some((range) => contains(range, address))
}

interface Address {
  readonly bits: number
  readonly value: bigint
}

interface Range {
  readonly bits: number
  readonly left: bigint
  readonly prefix: number
}

function contains({ bits, left, prefix }: Range, address: Address): boolean {
  return address.bits === bits && address.value >> BigInt(bits - prefix) === left
}

function rangeOf(text: string): Range {
  const [network = '', length] = text.split('/')
  const address = numberOf4(network) ?? numberOf6(network)
  if (!address) throw new Error(`${text} is not an address range`)
  const prefix = Number(length)
  return { bits: address.bits, left: address.value >> BigInt(address.bits - prefix), prefix }
}

function numberOf4(text: string): Address | undefined {
  const parts = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text)?.slice(1).map(Number)
  if (!parts?.every((part) => part <= 255)) return undefined
  return { bits: 32, value: parts.reduce((whole, part) => (whole << 8n) | BigInt(part), 0n) }
}

function numberOf6(text: string): Address | undefined {
  // The URL parser normalizes every spelling; it rejects zones.
  const canonical =
    /^[\da-f:.]+$/i.test(text) && text.includes(':') ? URL.parse(`http://[${text}]`)?.hostname.slice(1, -1) : undefined
  if (canonical === undefined) return undefined
  const [head = [], tail = []] = canonical.split('::').map((half) => half.split(':').filter(Boolean))
  const zeros = Array<string>(8 - head.length - tail.length).fill('0')
  const value = [...head, ...zeros, ...tail].reduce((whole, part) => (whole << 16n) | BigInt(`0x${part}`), 0n)
  return { bits: 128, value }
}
