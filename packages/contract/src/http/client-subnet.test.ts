import { expect, test } from 'vitest'
import { clientSubnet } from './client-subnet.ts'

test.each([
  ['10.0.0.1', '10.0.0.1'],
  ['::ffff:10.0.0.1', '10.0.0.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['10.0.0.1:5000', '10.0.0.1:5000'],
  ['unknown', 'unknown'],
])('%s counts as %s', (address, subnet) => {
  expect(clientSubnet(address)).toBe(subnet)
})
