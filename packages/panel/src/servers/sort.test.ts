import type { ServerUsage, ServerView } from '@innkeeper/contract/servers/servers'
import type { ServerStatus } from '@innkeeper/contract/servers/status'
import { expect, test } from 'vitest'
import { sortServers } from './sort.ts'

const node = { id: 0, name: 'Berlin', publicHost: 'b.example', publicPort: 1, sftpPort: 2, isLocal: true }
const server = (id: string, more: Partial<ServerView> = {}): ServerView => ({
  id,
  name: id,
  node,
  ip: '10.0.0.9',
  port: 1,
  type: 'test',
  tags: [],
  ...more,
})
const status = (state: ServerStatus['state'], more: Partial<ServerStatus> = {}): ServerStatus => ({
  running: state === 'online',
  installing: false,
  state,
  since: '2026-11-21T10:00:00Z',
  ...more,
})
const crashed = status('offline', { lastExit: { at: '', reason: 'crashed', code: 1, signal: null } })

const servers = [
  server('beta', { ip: '10.0.0.10', node: { ...node, name: 'Athens' } }),
  server('Alpha', { ip: '10.0.0.9', tags: ['modded', 'US'] }),
  server('gamma', { ip: '10.0.0.2', node: { ...node, name: 'Cairo' }, tags: ['EU'] }),
  server('delta', { ip: '10.0.0.1' }),
]
const usage = new Map<string, ServerUsage>([
  ['beta', { id: 'beta', status: status('online'), stats: { cpu: 5, memory: 900 }, players: { online: 0, max: 9 } }],
  ['Alpha', { id: 'Alpha', status: status('offline'), stats: { cpu: 0, memory: 0 } }],
  ['gamma', { id: 'gamma', status: crashed, isOld: false }],
  ['delta', { id: 'delta', status: status('online'), stats: { cpu: 70, memory: 30 }, players: { online: 3, max: 5 } }],
])

test.for([
  ['name', 'asc', ['Alpha', 'beta', 'delta', 'gamma']],
  ['name', 'desc', ['gamma', 'delta', 'beta', 'Alpha']],
  ['address', 'asc', ['delta', 'gamma', 'Alpha', 'beta']],
  ['node', 'desc', ['gamma', 'Alpha', 'delta', 'beta']],
  ['tags', 'asc', ['gamma', 'Alpha', 'beta', 'delta']],
  ['tags', 'desc', ['Alpha', 'gamma', 'beta', 'delta']],
  ['status', 'asc', ['gamma', 'beta', 'delta', 'Alpha']],
  ['players', 'desc', ['delta', 'beta', 'Alpha', 'gamma']],
  ['cpu', 'asc', ['beta', 'delta', 'Alpha', 'gamma']],
  ['cpu', 'desc', ['delta', 'beta', 'Alpha', 'gamma']],
  ['memory', 'desc', ['beta', 'delta', 'Alpha', 'gamma']],
] as const)('servers sorted by %s, %s, are %j', ([sort, order, names]) => {
  expect(sortServers(servers, usage, sort, order).map(({ name }) => name)).toEqual(names)
})

test('unknown values are last in either order', () => {
  const silent = new Map([...usage, ['beta', { ...usage.get('beta'), id: 'beta', isOld: true }] as const])

  for (const order of ['asc', 'desc'] as const) {
    expect(sortServers(servers, silent, 'status', order).at(-1)?.name).toBe('beta')
  }
})
