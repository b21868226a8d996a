import { expect, test } from 'vitest'
import { isInNetworks } from './in-networks.ts'

test.each([
  ['192.0.2.7', ['192.0.2.7'], true],
  ['192.0.2.8', ['192.0.2.7'], false],
  ['192.0.2.200', ['198.51.100.0/24', '192.0.2.128/25'], true],
  ['192.0.2.100', ['192.0.2.128/25'], false],
  ['::ffff:192.0.2.7', ['192.0.2.0/24'], true],
  ['2001:db8:1:2::9', ['2001:db8:1:2::/64'], true],
  ['2001:db8:1:3::9', ['2001:db8:1:2::/64'], false],
  ['fe80::1%eth0', ['fe80::/10'], true],
  ['192.0.2.7', ['::/0'], false],
  ['192.0.2.7', [], false],
  ['not an address', ['0.0.0.0/0'], false],
])('%s in %j: %s', (address, networks, expected) => {
  expect(isInNetworks(address, networks)).toBe(expected)
})
