import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { expect, test } from 'vitest'
import { listeningIn, portsInUse } from './ports-in-use.ts'

test('TCP and UDP listeners are in use until they are closed', async () => {
  const tcp = createServer().listen(0, '127.0.0.1')
  const udp = createSocket('udp4').bind(0, '127.0.0.1')
  await Promise.all([once(tcp, 'listening'), once(udp, 'listening')])
  const tcpPlace = { address: '127.0.0.1', port: (tcp.address() as AddressInfo).port, protocol: 'tcp' }
  const udpPlace = { address: '127.0.0.1', port: udp.address().port, protocol: 'udp' }

  expect(await portsInUse()).toEqual(expect.arrayContaining([tcpPlace, udpPlace]))

  await Promise.all([once(tcp.close(), 'close'), once(udp.close(), 'close')])
  expect(await portsInUse()).not.toContainEqual(tcpPlace)
})

test("addresses of both families are parsed from the kernel's format", () => {
  const table = `  sl  local_address remote_address st
   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000 0 0 1
   1: 0700000A:1F91 0100007F:C000 01 00000000:00000000 00:00000000 00000000 0 0 2
   2: 00000000000000000000000000000000:0016 00000000000000000000000000000000:0000 0A 00000000:00000000
  10: B80D0120000000000000000001000000:0017 00000000000000000000000000000000:0000 0A 00000000:00000000
  11: 0000000000000000FFFF00000700000A:0018 00000000000000000000000000000000:0000 0A 00000000:00000000
`
  expect([...listeningIn(table, '0A')]).toEqual([
    { address: '127.0.0.1', port: 8080 },
    { address: '::', port: 22 },
    { address: '2001:db8::1', port: 23 },
    { address: '10.0.0.7', port: 24 },
  ])
})
