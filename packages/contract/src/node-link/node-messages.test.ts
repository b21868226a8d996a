import { describe, expect, test } from 'vitest'
import { NodeAlerts } from './node-alerts.ts'
import { getSftpPermissions, getTaskPermissions, NodeReport, reportNode, sftpLogin } from './node-to-panel.ts'
import { panelEndpoints } from './panel-to-node.ts'
import { SignedKeySet, Ticket } from './ticket.ts'

const key = { kid: 'a', x: 'x'.repeat(43) }
const status = { running: true, installing: false, state: 'online', since: '2026-01-02T03:04:05Z' }
const event = { id: 'e1', type: 'crashed', server: '0a0a0a0a', atMs: 1 }
const change = {
  ...{ id: 'c1', type: 'write', server: '0a0a0a0a', userId: 1 },
  ...{ address: '::1', path: '/a', count: 1, atMs: 1 },
}
const channel = {
  ...{ id: 'c', type: 'webhook', target: 'https://hooks.example', secret: '', language: 'en_US' },
  ...{ alerts: ['crashed', 'newAlert'], servers: [], quietHours: null, diskFullPercent: 10 },
}
const report = {
  atMs: 1,
  features: { features: ['new'], environments: ['standard', 'newOne'], os: 'linux', arch: 'amd64', version: '9' },
  machine: {
    ...{ startedAt: '2026-01-02T03:04:05Z', cpu: { cores: 2, used: 1 } },
    ...{ memory: { total: 1, used: 1 }, disk: { total: 1, used: 1 } },
  },
  servers: [],
}

/** A message as a newer version sends it: with a field at each level that this version does not know. */
function newer(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(newer)
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).map(([name, inner]) => [name, name === 'titles' ? inner : newer(inner)])
  return { ...Object.fromEntries(fields), fieldOfNewer: [1] }
}

test.each([
  [
    'a ticket',
    Ticket,
    { aud: 'node:1', jti: 'x'.repeat(16), exp: 2, iat: 1, sub: 'panel', rights: ['node'], purpose: 'x' },
  ],
  ['a key set', SignedKeySet, { aud: 'keys', iat: 1, exp: 2, keys: [key] }],
  [
    'a report',
    NodeReport,
    { ...report, events: [event], fileChanges: [change], servers: [{ id: '0a0a0a0a', status }] },
  ],
  ['the answer to a report', reportNode.response, { atMs: 1, events: 1, backupRetention: { last: 3 } }],
  ['channels', NodeAlerts, alertsWith([channel])],
  ['a login over SFTP', sftpLogin.body, { user: 'a#b', address: '::1', with: { method: 'password', password: 'x' } }],
  ['its answer', sftpLogin.response, { is: 'codeNeeded' }],
  ['open sessions', getSftpPermissions.body, { grants: [{ userId: 1, server: '0a0a0a0a', stamp: 's' }] }],
  ['users of tasks', getTaskPermissions.body, { people: [{ userId: 1, server: '0a0a0a0a' }] }],
  ['programs', panelEndpoints.findMissingPrograms.body, { programs: ['java'] }],
  ['usage', panelEndpoints.getUsage.response, [{ id: '0a0a0a0a', status }]],
] as const)('%s with unknown fields is read as without them', (_, schema, message) => {
  expect(schema.parse(newer(message))).toMatchObject(schema.parse(message) as object)
})

describe('unknown items are dropped, and the known ones stay', () => {
  test('permissions', () => {
    const claims = { aud: 'node:1', jti: 'x'.repeat(16), exp: 2, iat: 1, sub: 'panel', purpose: 'x' }

    expect(Ticket.parse({ ...claims, rights: ['viewServer', 'viewPlayers'] }).rights).toEqual(['viewServer'])
    expect(getSftpPermissions.response.parse({ rights: [['sftpServer', 'viewPlayers'], null] })).toEqual({
      rights: [['sftpServer'], null],
    })
  })

  test('channels, their types and alerts', () => {
    const { channels } = NodeAlerts.parse(alertsWith([{ ...channel, type: 'teams' }, channel]))

    expect(channels.map(({ type, alerts }) => [type, alerts])).toEqual([['webhook', ['crashed']]])
  })

  test('events, which keep their place, so that the number of accepted ones is right', () => {
    const { events } = NodeReport.parse({ ...report, events: [{ ...event, type: 'newEvent' }, event] })

    expect(events?.map((one) => one?.type)).toEqual([undefined, 'crashed'])
  })

  test('changes of files, which keep their place too', () => {
    const { fileChanges } = NodeReport.parse({ ...report, fileChanges: [{ ...change, type: 'newChange' }, change] })

    expect(fileChanges?.map((one) => one?.type)).toEqual([undefined, 'write'])
  })

  test('states and reasons', () => {
    const servers = [
      { id: '0a0a0a0a', status: { ...status, state: 'asleep' } },
      { id: '0b0b0b0b', status: { ...status, lastExit: { at: 'x', reason: 'newReason', code: 0, signal: null } } },
    ]

    const read = NodeReport.parse({ ...report, servers }).servers

    expect(read.map((one) => one.status?.state)).toEqual([undefined, 'online'])
    expect(read[1]?.status?.lastExit?.reason).toBe('unknown')
  })
})

function alertsWith(channels: readonly unknown[]) {
  return { version: '1', node: { id: 1, name: 'n' }, channels, titles: {}, servers: [], lasting: [] }
}
