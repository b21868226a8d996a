import { expect, test } from 'vitest'
import { getAddress } from './address.ts'

const node = {
  id: 0,
  name: 'LocalNode',
  publicHost: 'play.example.org',
  publicPort: 8080,
  sftpPort: 5657,
  isLocal: true,
}

test.each([
  ['', 'play.example.org:25565'],
  ['0.0.0.0', 'play.example.org:25565'],
  ['{ip}', 'play.example.org:25565'],
  ['198.51.100.7', '198.51.100.7:25565'],
  ['2001:db8::7', '[2001:db8::7]:25565'],
])('the address of a server with the IP "%s" is %s', (ip, address) => {
  expect(getAddress({ ip, port: 25_565, node })).toBe(address)
})
