import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { getConsole, startServer } from '@innkeeper/contract/servers/node-servers'
import { describe, expect, test as plain } from 'vitest'
import { program } from '../testing/daemon.ts'
import { test } from '../testing/node-test.ts'
import { portConflicts } from './port-holders.ts'

describe('before a server starts', () => {
  test('the console warns when its port is in use, and the server starts nevertheless', async ({
    node: { client },
  }) => {
    const params = { id: '0a0a0a0a' }
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    await client.create(params.id, program('echo'), { data: { ip: { value: '0.0.0.0' }, port: { value: port } } })

    expect(await client.send(startServer, { params, query: { wait: true } })).toMatchObject({ status: 204 })

    const { logs } = (await client.send(getConsole, { params })).body
    expect(logs).toContain(`[DAEMON] Port ${port} (TCP) is already in use by another program on this machine`)
    expect(logs).toContain('Starting process')
    await once(other.close(), 'close')
  })
})

plain.each([
  ['nobody', '10.0.0.1', [], []],
  ['another address', '10.0.0.1', [['10.0.0.2', 'tcp']], []],
  ['TCP on it', '10.0.0.1', [['10.0.0.1', 'tcp']], ['TCP']],
  [
    'both on all addresses',
    '10.0.0.1',
    [
      ['::', 'udp'],
      ['0.0.0.0', 'tcp'],
    ],
    ['UDP and TCP'],
  ],
  ['one address of all', '0.0.0.0', [['10.0.0.2', 'tcp']], ['TCP']],
] as const)('a port is held by %s', (_, ip, used, expected) => {
  const inUse = used.map(([address, protocol]) => ({ address, port: 7000, protocol }))

  const conflicts = portConflicts({ ip, port: 7000 }, [...inUse, { address: ip, port: 7001, protocol: 'tcp' }], [])

  expect(conflicts.map((line) => /\((.*)\)/.exec(line)?.[1])).toEqual(expected)
})

plain('the conflicting server is named, by the address in its definition', () => {
  const inUse = [{ address: '0.0.0.0', port: 7000, protocol: 'udp' as const }]
  const runningServers = [
    { id: 'aaaaaaaa', ip: '10.0.0.9', port: 7000 },
    { id: 'bbbbbbbb', ip: '0.0.0.0', port: 7000 },
  ]

  expect(portConflicts({ ip: '10.0.0.1', port: 7000 }, inUse, runningServers)[0]).toContain('server bbbbbbbb.')
  expect(portConflicts({ ip: '10.0.0.1', port: 0 }, inUse, runningServers)).toEqual([])
})
