import type { ListedServer } from '@innkeeper/contract/servers/servers'
import type { ServerStatus } from '@innkeeper/contract/servers/status'
import { expect, test } from 'vitest'
import { aServer } from '../../../testing/samples.ts'
import { type BulkAction, needsTypedNumber, type PlannedStatus, planBulkAction } from './bulk-plan.ts'

const since = '2026-11-21T10:00:00Z'
const online: ServerStatus = { running: true, installing: false, state: 'online', since }
const offline: ServerStatus = { running: false, installing: false, state: 'offline', since }

const servers = [aServer('0000000a', 'Online'), aServer('0000000b', 'Offline'), aServer('0000000c', 'Unknown')]
const statuses = new Map<string, PlannedStatus>([
  ['0000000a', { status: online, displayed: 'online' }],
  ['0000000b', { status: offline, displayed: 'offline' }],
  ['0000000c', { status: undefined, displayed: 'unknown' }],
])
const getStatus = ({ id }: ListedServer) => statuses.get(id) ?? { status: undefined, displayed: 'unknown' as const }

test.each<[BulkAction, string[], string[]]>([
  ['start', ['Offline'], ['Online: status', 'Unknown: unknown']],
  ['stop', ['Online'], ['Offline: status', 'Unknown: unknown']],
  ['kill', ['Online'], ['Offline: status', 'Unknown: unknown']],
  ['install', ['Online', 'Offline'], ['Unknown: unknown']],
  ['command', ['Online'], ['Offline: status', 'Unknown: unknown']],
  ['tags', ['Online', 'Offline', 'Unknown'], []],
])('%s leaves out the servers whose status does not allow it', (action, targets, skipped) => {
  const plan = planBulkAction(action, servers, getStatus, () => true)

  expect(plan.targets.map(({ name }) => name)).toEqual(targets)
  expect(plan.skipped.map(({ server, reason }) => `${server.name}: ${reason}`)).toEqual(skipped)
})

test('servers without the permission are left out for that reason, whatever their status', () => {
  const plan = planBulkAction('install', servers, getStatus, ({ name }, permission) => {
    expect(permission).toBe('installServer')
    return name === 'Offline'
  })

  expect(plan.targets.map(({ name }) => name)).toEqual(['Offline'])
  expect(plan.skipped.map(({ reason }) => reason)).toEqual(['permission', 'permission'])
})

test('more than five servers are confirmed by their number, except to start or tag them', () => {
  expect(needsTypedNumber('kill', 5)).toBe(false)
  expect(needsTypedNumber('kill', 6)).toBe(true)
  expect(needsTypedNumber('command', 6)).toBe(true)
  expect(needsTypedNumber('start', 600)).toBe(false)
  expect(needsTypedNumber('tags', 600)).toBe(false)
})
