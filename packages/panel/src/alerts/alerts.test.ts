import { createHmac, randomUUID } from 'node:crypto'
import { login } from '@innkeeper/contract/accounts/auth'
import { deleteUser, putUserPermissions } from '@innkeeper/contract/accounts/users'
import {
  type AlertChannel,
  alertTypes,
  type ChannelInput,
  createAlertChannel,
  createServerAlertChannel,
  deleteAlertChannel,
  deleteServerAlertChannel,
  listAlertChannels,
  listAlertDeliveries,
  listServerAlertChannels,
  listServerAlertDeliveries,
  putAlertChannel,
  putServerAlertChannel,
  testAlertChannel,
  testServerAlertChannel,
} from '@innkeeper/contract/alerts/alerts'
import { alertRetryDelaysMs } from '@innkeeper/contract/alerts/deliver'
import { listNotifications } from '@innkeeper/contract/alerts/notifications'
import { getAlertId, getDeliveryId, recoveredAfterMs } from '@innkeeper/contract/alerts/rules'
import type { NodeDelivery, NodeEvent } from '@innkeeper/contract/node-link/node-events'
import { reportNode } from '@innkeeper/contract/node-link/node-to-panel'
import { requestPurpose } from '@innkeeper/contract/node-link/ticket'
import { putNodeAvailability } from '@innkeeper/contract/nodes/node-availability'
import type { ServerStatus } from '@innkeeper/contract/servers/status'
import { postSettings } from '@innkeeper/contract/settings/settings'
import { limits } from '@innkeeper/contract/text/limits'
import pino from 'pino'
import { test as base, describe, expect, vi } from 'vitest'
import { createServices, type Services } from '../services.ts'
import { HttpReceiver } from '../testing/http-receiver.ts'
import { MailServer } from '../testing/mail-server.ts'
import { SignedNodeClient } from '../testing/signed-node-client.ts'
import { password, TestPanel, type TestUser } from '../testing/test-panel.ts'
import { pausedAnswer } from './channel-owners.ts'

const log = pino({ level: 'silent' })
const minute = 60_000

/** A panel with a local node and a receiver, and the services of a second panel with the same clock. */
interface Fixture {
  readonly testPanel: TestPanel
  readonly admin: TestUser
  readonly receiver: HttpReceiver
  readonly node: SignedNodeClient
  readonly other: Services
  readonly now: () => number
  readonly pass: (ms: number) => void
}

const test = base.extend<{ fixture: Fixture }>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads what a fixture needs from its pattern
  fixture: async ({}, use) => {
    let passed = 0
    const receiver = await HttpReceiver.start()
    const node = await SignedNodeClient.make()
    const now = () => Date.now() + passed
    const options = { now, log, alertAllow: [receiver.address] }
    const testPanel = await TestPanel.start(options, node.publicKey)
    const localNode = { name: 'LocalNode', socketPath: '', sftpPort: 0 } as const
    const other = await createServices({ ...options, localNode, templatesDir: '', version: '0.0.0-test' }, testPanel.db)
    const pass = (ms: number) => {
      passed += ms
    }
    await use({ testPanel, admin: await testPanel.admin(), receiver, node, other, now, pass })
    await other.nodes.close()
    await testPanel.stop()
    await receiver.stop()
  },
})

const channel = (fields: Partial<ChannelInput> & Pick<ChannelInput, 'target'>): ChannelInput => ({
  name: 'on call',
  type: 'webhook',
  alerts: [...alertTypes],
  servers: [],
  quietHours: null,
  diskFullPercent: 5,
  isEnabled: true,
  ...fields,
})

async function add({ testPanel, admin }: Fixture, body: ChannelInput): Promise<AlertChannel> {
  const { status, answer } = await testPanel.send(createAlertChannel, { body }, admin)
  expect(status).toBe(200)
  return answer
}

const event = (type: NodeEvent['type'], server: string, more: Partial<NodeEvent> = {}): NodeEvent => ({
  id: randomUUID(),
  type,
  server,
  atMs: Date.now(),
  subject: '',
  detail: 'Server exited with code 1',
  ...more,
})

/** `alerts` is the version of the channels of the node. */
async function report(
  fixture: Fixture,
  events: NodeEvent[],
  statuses: Record<string, ServerStatus> = {},
  alerts?: string,
  disk = { total: 100, used: 50 },
) {
  const { testPanel, node, now } = fixture
  const since = '2026-01-01T00:00:00.000Z'
  const body = {
    atMs: now(),
    features: { features: [], environments: ['standard'], os: 'linux', arch: 'amd64', version: '0.0.0-test' },
    machine: {
      startedAt: since,
      cpu: { cores: 2, used: 10 },
      memory: { total: 100, used: 50 },
      disk,
    },
    servers: Object.entries(statuses).map(([id, status]) => ({ id, status })),
    events,
    ...(alerts !== undefined && { alerts }),
  }
  const { method, path } = reportNode
  const iat = Math.floor(now() / 1000)
  const token = await node.token(requestPurpose(method, path), { iat, exp: iat + limits.ticketLifeMs / 1000 })
  const asNode = { id: 0, username: '', email: '', token }
  const { status, answer } = await testPanel.request<typeof reportNode>(method, path, body, asNode)
  expect(status).toBe(200)
  return answer
}

/** Waits until no delivery is pending. */
async function delivered({ testPanel, admin, other }: Fixture) {
  await other.alertDeliveries.run()
  return await vi.waitFor(async () => {
    const { answer } = await testPanel.send(listAlertDeliveries, {} as never, admin)
    expect(answer.deliveries.filter(({ state }) => state === 'sending')).toEqual([])
    return answer.deliveries
  }, 10_000)
}

describe('a crash', () => {
  test('reaches a webhook, ntfy, Discord, Slack and a mailbox once, though it is reported twice', async ({
    fixture,
  }) => {
    const { testPanel, admin, receiver } = fixture
    const smtp = await MailServer.start()
    const mail = {
      'panel.settings.masterUrl': 'https://panel.example.org',
      'panel.email.provider': 'smtp',
      'panel.email.host': `smtp://127.0.0.1:${smtp.port}`,
      'panel.email.from': 'panel@example.org',
    } as const
    await testPanel.send(postSettings, { body: mail }, admin)
    const { secret } = await add(fixture, channel({ target: `${receiver.url}/hook` }))
    await add(fixture, channel({ type: 'ntfy', target: `${receiver.url.replace('//', '//:tk_1@')}/games` }))
    await add(fixture, channel({ type: 'discord', target: `${receiver.url}/discord` }))
    await add(fixture, channel({ type: 'slack', target: `${receiver.url}/slack` }))
    await add(fixture, channel({ type: 'mail', target: 'ada@example.org' }))
    const server = await testPanel.server({ name: 'lobby <1>' })
    const crash = event('crashed', server)

    expect((await report(fixture, [crash])).events).toBe(1)
    await report(fixture, [crash])
    await Promise.all([delivered(fixture), delivered(fixture)])
    const deliveries = await delivered(fixture)

    expect(deliveries.map(({ state, tries: attempts }) => [state, attempts])).toEqual(
      Array.from({ length: 5 }, () => ['sent', 1]),
    )
    expect(receiver.received.map(({ path }) => path).sort()).toEqual(['/', '/discord', '/hook', '/slack'])
    const at = (path: string) => receiver.received.find((one) => one.path === path)
    const hook = at('/hook')
    expect(JSON.parse(hook?.body ?? '')).toEqual({
      id: hook?.headers['webhook-id'],
      type: 'crashed',
      status: 'firing',
      timestamp: new Date(crash.atMs).toISOString(),
      title: 'Server crashed: lobby <1>',
      detail: 'Server exited with code 1',
      server: { id: server, name: 'lobby <1>' },
      url: `https://panel.example.org/server/${server}`,
    })
    const signed = `${hook?.headers['webhook-id']}.${hook?.headers['webhook-timestamp']}.${hook?.body}`
    const key = Buffer.from(secret.replace('whsec_', ''), 'base64')
    const signature = createHmac('sha256', key).update(signed).digest('base64')
    expect(hook?.headers['webhook-signature']).toBe(`v1,${signature}`)
    expect(JSON.parse(at('/')?.body ?? '')).toMatchObject({ topic: 'games', title: 'Server crashed: lobby <1>' })
    expect(at('/')?.headers.authorization).toBe(`Basic ${Buffer.from(':tk_1').toString('base64')}`)
    expect(JSON.parse(at('/discord')?.body ?? '')).toMatchObject({ allowed_mentions: { parse: [] } })
    expect(JSON.parse(at('/slack')?.body ?? '').text).toMatch(/^\*Server crashed: lobby &lt;1&gt;\*\n/)
    expect(smtp.received).toHaveLength(1)
    expect(smtp.received[0]).toMatchObject({ to: ['ada@example.org'], subject: 'Alert: Server crashed: lobby <1>' })
    expect(smtp.received[0]?.text).toContain('Details: Server exited with code 1')
    await smtp.stop()
  })

  test('is not repeated while it lasts, and is resolved when the server has been online for a while', async ({
    fixture,
  }) => {
    const { testPanel, receiver, other, pass } = fixture
    await add(fixture, channel({ target: receiver.url, alerts: ['crashed'] }))
    const server = await testPanel.server({ name: 'lobby' })
    const status = (state: 'waiting' | 'online', since: number): ServerStatus => ({
      running: state === 'online',
      installing: false,
      state,
      since: new Date(since).toISOString(),
    })
    const begin = Date.now()

    await report(fixture, [event('crashed', server)], { [server]: status('waiting', begin) })
    await report(fixture, [event('crashed', server)], { [server]: status('online', begin) })
    await other.checkAlerts()
    await delivered(fixture)
    expect(receiver.messages.map(({ title }) => title)).toEqual(['Server crashed: lobby'])

    pass(recoveredAfterMs)
    await report(fixture, [], { [server]: status('online', begin) })
    await Promise.all([other.checkAlerts(), other.checkAlerts()])
    await delivered(fixture)
    await report(fixture, [event('crashed', server)], { [server]: status('waiting', begin + recoveredAfterMs) })
    await delivered(fixture)
    expect(receiver.messages.map(({ title, status }) => [title, status])).toEqual([
      ['Server crashed: lobby', 'firing'],
      ['Server crashed: lobby (resolved)', 'resolved'],
      ['Server crashed: lobby', 'firing'],
    ])
  })

  test('about a server that does not respond is resolved when it does again', async ({ fixture }) => {
    const { testPanel, receiver, other } = fixture
    await add(fixture, channel({ target: receiver.url, alerts: ['serverNotResponding'] }))
    const server = await testPanel.server({ name: 'lobby' })
    const since = new Date(0).toISOString()
    const online: ServerStatus = { running: true, installing: false, state: 'online', since }
    const detail = 'The game did not answer a query'

    const hung: ServerStatus = { ...online, notResponding: { since, reason: 'query' } }
    await report(fixture, [event('serverNotResponding', server, { detail })], { [server]: hung })
    await other.checkAlerts()
    await delivered(fixture)
    await report(fixture, [], { [server]: online })
    await other.checkAlerts()
    await delivered(fixture)

    expect(receiver.messages.map(({ title, detail: text }) => [title, text])).toEqual([
      ['Server not responding: lobby', detail],
      ['Server not responding: lobby (resolved)', undefined],
    ])
  })

  test('of a server of another node, or one that the channel does not have, is ignored', async ({ fixture }) => {
    const { testPanel, receiver } = fixture
    const [wanted, unwanted, foreign] = await Promise.all([testPanel.server(), testPanel.server(), testPanel.server()])
    await testPanel.db.updateTable('servers').set({ node_id: 7 }).where('id', '=', foreign).execute()
    await add(fixture, channel({ target: receiver.url, servers: [wanted, foreign] }))
    await add(fixture, channel({ target: receiver.url, alerts: ['nodeOffline'] }))
    await add(fixture, channel({ target: receiver.url, isEnabled: false }))

    await report(fixture, [event('crashed', unwanted), event('crashed', foreign), event('crashed', wanted)])
    await delivered(fixture)

    expect(receiver.messages).toMatchObject([{ server: { id: wanted } }])
  })
})

test('without a channel, problems are notifications with begin and end, for those who may see them', async ({
  fixture,
}) => {
  const { testPanel, admin, other, pass } = fixture
  const [server, hidden] = await Promise.all([testPanel.server({ name: 'lobby' }), testPanel.server()])
  const viewer = await testPanel.createUser({ on: { [server]: ['viewServerStats'] } })
  const keeper = await testPanel.createUser({ on: { [server]: ['viewServerBackups'] } })
  const list = async (user: TestUser) => {
    const { answer } = await testPanel.send(listNotifications, {} as never, user)
    return answer.map(({ type, server: about, node, endedAt }) => [
      type,
      about?.id ?? node?.name,
      endedAt !== undefined,
    ])
  }

  const crashed = event('crashed', server)
  const first = [crashed, event('backupFailed', server), event('taskFailed', server), event('crashed', hidden)]
  await report(
    fixture,
    first.map((one, index) => ({ ...one, atMs: Date.now() - 1_000 * index })),
  )
  await report(fixture, [crashed])
  await report(fixture, [event('taskDone', server)], {}, undefined, { total: 100, used: 99 })
  await other.checkAlerts()

  const all = [
    ['diskFull', 'LocalNode', false],
    ['crashed', server, false],
    ['backupFailed', server, false],
    ['taskFailed', server, true],
    ['crashed', hidden, false],
  ]
  expect(await list(admin)).toEqual(all)
  expect(await list(viewer)).toEqual([['crashed', server, false]])
  expect(await list(keeper)).toEqual(all.slice(1, 3))

  pass(limits.nodeOfflineMs)
  await other.checkAlerts()
  expect(await list(admin)).toEqual([['nodeOffline', 'LocalNode', false], ...all])
})

describe('a delivery', () => {
  test('that fails is retried with increasing intervals, with the same id, and then fails', async ({ fixture }) => {
    const { testPanel, receiver, other, pass } = fixture
    receiver.statuses.push(...Array.from({ length: alertRetryDelaysMs.length + 1 }, () => 503))
    await add(fixture, channel({ target: receiver.url, alerts: ['outOfMemory'] }))
    const server = await testPanel.server()

    await report(fixture, [event('outOfMemory', server)])
    for (const [index, pause] of [...alertRetryDelaysMs, 0].entries()) {
      await delivered(fixture)
      const [delivery] = await vi.waitFor(async () => {
        const found = await delivered(fixture)
        expect(found[0]?.tries).toBe(index + 1)
        return found
      }, 10_000)
      expect(delivery?.state).toBe(index < alertRetryDelaysMs.length ? 'waiting' : 'failed')
      expect(delivery?.answer).toBe('The service answered 503: ok')
      pass(pause + 1_000)
    }
    await other.alertDeliveries.run()

    expect(receiver.received).toHaveLength(alertRetryDelaysMs.length + 1)
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
  })

  test('waits until the quiet hours end', async ({ fixture }) => {
    const { testPanel, receiver, other, pass } = fixture
    const clock = (at: number) => new Date(at).toISOString().slice(11, 16)
    const quietHours = { from: clock(Date.now() - 5 * minute), to: clock(Date.now() + 10 * minute), timezone: 'UTC' }
    await add(fixture, channel({ target: receiver.url, alerts: ['crashLimit'], quietHours }))

    await report(fixture, [event('crashLimit', await testPanel.server())])
    expect(await delivered(fixture)).toMatchObject([{ state: 'waiting', tries: 0 }])
    expect(receiver.received).toEqual([])

    pass(10 * minute)
    await other.alertDeliveries.run()
    expect(await delivered(fixture)).toMatchObject([{ state: 'sent', type: 'crashLimit' }])
  })
})

test('a node that is silent is reported once, and resolved when it is back', async ({ fixture }) => {
  const { receiver, other, pass } = fixture
  await report(fixture, [])
  await add(fixture, channel({ target: receiver.url }))

  pass(limits.nodeOfflineMs)
  await Promise.all([other.checkAlerts(), other.checkAlerts()])
  await other.checkAlerts()
  await delivered(fixture)
  await report(fixture, [])
  await other.checkAlerts()
  await delivered(fixture)

  expect(receiver.messages.map(({ title }) => title)).toEqual([
    'Node offline: LocalNode',
    'Node offline: LocalNode (resolved)',
  ])
})

test('alerts about a node in maintenance and its servers are not sent; what still holds at its end is', async ({
  fixture,
}) => {
  const { testPanel, admin, receiver, other, now, pass } = fixture
  await add(fixture, channel({ target: receiver.url }))
  const server = await testPanel.server({ name: 'lobby' })
  const before = await report(fixture, [], {}, '')
  const until = new Date(now() + 10 * minute).toISOString()
  const body = { state: 'maintenance', reason: 'New disks', until } as const
  expect((await testPanel.send(putNodeAvailability, { params: { id: 0 }, body }, admin)).status).toBe(204)

  const during = await report(fixture, [event('crashed', server)], {}, before.alerts?.version)
  pass(limits.nodeOfflineMs)
  await other.checkAlerts()
  await delivered(fixture)
  expect(receiver.messages).toEqual([])
  // It does not send them itself either.
  expect([before.alerts?.channels.length, during.alerts?.channels.length]).toEqual([1, 0])

  pass(10 * minute)
  await other.checkAlerts()
  await delivered(fixture)
  expect(receiver.messages.map(({ title }) => title)).toEqual(['Node offline: LocalNode'])
})

test('a server that has nearly reached its limit of disk space is reported once, until it has space again', async ({
  fixture,
}) => {
  const { testPanel, receiver } = fixture
  await add(fixture, channel({ target: receiver.url }))
  const server = await testPanel.server({ name: 'lobby' })
  const detail = '98 of 100 MiB are in use'

  await report(fixture, [event('diskLimitDone', server), event('diskLimit', server, { detail })])
  await report(fixture, [event('diskLimit', server, { detail })])
  await delivered(fixture)
  await report(fixture, [event('diskLimitDone', server)])
  await delivered(fixture)

  expect(receiver.messages.map(({ title, detail: told }) => [title, told])).toEqual([
    ['Server disk limit almost reached: lobby', detail],
    ['Server disk limit almost reached: lobby (resolved)', undefined],
  ])
})

test('a failed task and a failed backup are resolved by the next success', async ({ fixture }) => {
  const { testPanel, receiver } = fixture
  await add(fixture, channel({ target: receiver.url }))
  const server = await testPanel.server({ name: 'lobby' })

  await report(fixture, [event('taskFailed', server, { subject: 'a' }), event('taskFailed', server, { subject: 'b' })])
  await report(fixture, [event('backupFailed', server)])
  await delivered(fixture)
  await report(fixture, [event('taskDone', server, { subject: 'a' }), event('backupDone', server)])
  await delivered(fixture)

  expect(receiver.messages.map(({ title }) => title).sort()).toEqual([
    'Backup failed: lobby',
    'Backup failed: lobby (resolved)',
    'Task failed: lobby',
    'Task failed: lobby',
    'Task failed: lobby (resolved)',
  ])
})

test('a sign-in from a new place is reported, but not the first one', async ({ fixture }) => {
  const { testPanel, receiver } = fixture
  await add(fixture, channel({ target: receiver.url }))
  const { email, username, id } = await testPanel.createUser()
  const signIn = async () => expect((await testPanel.send(login, { body: { email, password } })).status).toBe(200)

  await signIn()
  await signIn()
  await delivered(fixture)
  expect(receiver.received).toEqual([])
  await testPanel.db.updateTable('activity').set({ address: '198.51.100.7' }).where('user_id', '=', id).execute()
  await signIn()
  await signIn()
  await delivered(fixture)

  expect(receiver.messages).toMatchObject([
    { type: 'newSignIn', title: 'Sign-in from a new location', detail: `${username} signed in from 127.0.0.1` },
  ])
})

test('a mail that fails is reported', async ({ fixture }) => {
  const { testPanel, admin, receiver, other } = fixture
  await add(fixture, channel({ target: receiver.url }))
  const body = {
    'panel.settings.masterUrl': 'https://panel.example.org',
    'panel.email.provider': 'smtp',
    'panel.email.host': 'smtp://127.0.0.1:9',
    'panel.email.from': 'panel@example.org',
  } as const
  await testPanel.send(postSettings, { body }, admin)

  const expired = { token: 'x', until: '2026-01-01T00:00:00.000Z' }
  await other.mail.queue(testPanel.db, 'passwordReset', { to: 'ada@example.org' }, expired)
  await other.mailDeliveries.run()
  await delivered(fixture)

  expect(receiver.messages).toMatchObject([
    { type: 'mailFailed', title: 'Email not sent', detail: 'ada@example.org: Its link has expired.' },
  ])
})

test('what a node has sent without the panel is recorded, and the panel sends the rest once', async ({ fixture }) => {
  const { testPanel, admin, receiver } = fixture
  const byNode = await add(fixture, channel({ target: `${receiver.url}/by-node` }))
  const rest = await add(fixture, channel({ target: `${receiver.url}/rest` }))
  const server = await testPanel.server({ name: 'lobby' })
  const crash = event('crashed', server)
  const alert = await getAlertId(0, crash.id)
  const sent = (isResolved: boolean): NodeDelivery => ({
    alert,
    type: 'crashed',
    channel: byNode.id,
    isResolved,
    state: 'sent',
    tries: 2,
    atMs: crash.atMs,
    answer: 'ok',
  })
  const recovery = event('serverRecovered', server, { deliveries: [sent(true)] })

  await report(fixture, [{ ...crash, deliveries: [sent(false)] }, recovery])
  await report(fixture, [{ ...crash, deliveries: [sent(false)] }, recovery])
  await delivered(fixture)

  const { answer } = await testPanel.send(listAlertDeliveries, {} as never, admin)
  const log = answer.deliveries.map((one) => [one.channelId, one.isResolved, one.state, one.tries, one.isByNode])
  expect(log).toHaveLength(4)
  expect(log).toEqual(
    expect.arrayContaining([
      [byNode.id, false, 'sent', 2, true],
      [byNode.id, true, 'sent', 2, true],
      [rest.id, false, 'sent', 1, false],
      [rest.id, true, 'sent', 1, false],
    ]),
  )
  expect(receiver.received.map(({ path }) => path)).toEqual(['/rest', '/rest'])
  expect(receiver.messages[0]).toMatchObject({ id: await getDeliveryId(alert, rest.id, false) })
})

test('a node records no deliveries about servers of others', async ({ fixture }) => {
  const { testPanel, receiver, now } = fixture
  const { id } = await add(fixture, channel({ target: receiver.url }))
  const [own, foreign] = await Promise.all([testPanel.server(), testPanel.server()])
  await testPanel.db.updateTable('servers').set({ node_id: 7 }).where('id', '=', foreign).execute()
  const alert = await getAlertId(7, 'an event')
  const about = { type: 'crashed' as const, id: alert, server: { id: foreign, name: 'lobby' } }
  await fixture.other.alerts.report(about)
  const delivery = { alert, type: 'crashed', channel: id, isResolved: false, state: 'failed' } as const

  const lie = event('crashed', own, { deliveries: [{ ...delivery, tries: 1, atMs: now(), answer: '' }] })
  await report(fixture, [{ ...lie, server: foreign }, lie])
  await delivered(fixture)

  const ids = receiver.messages.map(({ server }) => (server as { id: string }).id)
  expect(ids).toContain(foreign)
})

test('a node gets the channels that concern it when they change, and none of other nodes', async ({ fixture }) => {
  const { testPanel, admin, receiver } = fixture
  const [own, foreign] = await Promise.all([testPanel.server({ name: 'lobby' }), testPanel.server()])
  await testPanel.db.updateTable('servers').set({ node_id: 7 }).where('id', '=', foreign).execute()
  const alerts = ['crashed', 'diskFull', 'newSignIn'] as const
  const mine = await add(fixture, channel({ target: receiver.url, servers: [own, foreign], alerts: [...alerts] }))
  await add(fixture, channel({ target: receiver.url, servers: [foreign], alerts: ['crashed'] }))
  await add(fixture, channel({ target: receiver.url, alerts: ['newSignIn'] }))
  await add(fixture, channel({ target: 'ada@example.org', type: 'mail' }))
  const crash = event('crashed', own)

  const first = (await report(fixture, [crash], {}, '')).alerts
  const same = (await report(fixture, [], {}, first?.version)).alerts
  const silent = (await report(fixture, [])).alerts
  await delivered(fixture)
  const later = (await report(fixture, [], {}, first?.version)).alerts
  const params = { id: mine.id }
  expect((await testPanel.send(deleteAlertChannel, { params }, admin)).status).toBe(204)
  const last = (await report(fixture, [], {}, later?.version)).alerts

  const id = await getAlertId(0, crash.id)
  expect(first).toMatchObject({
    node: { id: 0, name: 'LocalNode' },
    servers: [{ id: own, name: 'lobby' }],
    channels: [{ id: mine.id, secret: mine.secret, servers: [own], alerts: ['crashed', 'diskFull'] }],
    lasting: [{ key: `crashed:${own}`, id, informed: [], waiting: [mine.id] }],
  })
  expect(first?.channels).toHaveLength(1)
  expect([same, silent]).toEqual([undefined, undefined])
  expect(later?.lasting).toMatchObject([{ id, informed: [mine.id], waiting: [] }])
  expect(last).toMatchObject({ version: '', channels: [], lasting: [] })
})

test('the disk of a node is reported to each channel at its own threshold', async ({ fixture }) => {
  const { admin, testPanel, receiver, other } = fixture
  const of = (diskFullPercent: number) =>
    add(fixture, channel({ target: `${receiver.url}/${diskFullPercent}`, alerts: ['diskFull'], diskFullPercent }))
  const [, late] = [await of(40), await of(5)]
  const gibi = 1024 ** 3
  const withFree = (free: number) =>
    report(fixture, [], {}, undefined, { total: 100 * gibi, used: (100 - free) * gibi })
  const paths = () => receiver.received.map(({ path, body }) => `${path} ${JSON.parse(body).status}`).sort()

  await withFree(30)
  await other.checkAlerts()
  await other.checkAlerts()
  await delivered(fixture)
  expect(paths()).toEqual(['/40 firing'])
  expect(receiver.messages[0]).toMatchObject({ detail: '30.0 % is free: 30.0 of 100.0 GiB' })
  await withFree(3)
  await other.checkAlerts()
  await delivered(fixture)
  expect(paths()).toEqual(['/40 firing', '/5 firing'])
  await testPanel.send(deleteAlertChannel, { params: { id: late.id } }, admin)
  await withFree(50)
  await other.checkAlerts()
  await delivered(fixture)

  expect(paths()).toEqual(['/40 firing', '/40 resolved', '/5 firing'])
  expect(await testPanel.db.selectFrom('alerts').selectAll().execute()).toEqual([])
})

describe('a channel', () => {
  test('can be tested, changed and deleted', async ({ fixture }) => {
    const { testPanel, admin, receiver } = fixture
    const { id, secret } = await add(fixture, channel({ target: `${receiver.url}/a`, isEnabled: false }))
    const params = { id }

    expect((await testPanel.send(testAlertChannel, { params }, admin)).answer).toEqual({
      delivered: true,
      answer: 'The service answered 200: ok',
    })
    expect(receiver.messages).toMatchObject([{ type: 'test', title: 'Test message' }])
    const body = channel({ target: `${receiver.url}/b`, alerts: ['diskFull'], name: 'disks' })
    expect((await testPanel.send(putAlertChannel, { params, body }, admin)).status).toBe(204)
    expect((await testPanel.send(listAlertChannels, {} as never, admin)).answer).toEqual([
      {
        id,
        secret,
        version: expect.any(String),
        host: receiver.address,
        ...body,
        owner: { id: admin.id, username: admin.username },
      },
    ])
    expect((await testPanel.send(deleteAlertChannel, { params }, admin)).status).toBe(204)
    expect((await testPanel.send(testAlertChannel, { params }, admin)).status).toBe(404)
  })

  test('a channel is not replaced by a request with an outdated version', async ({ fixture }) => {
    const { testPanel, admin, receiver } = fixture
    const server = await testPanel.server({ name: 'lobby' })
    const body = channel({ target: receiver.url })
    const { servers: _, diskFullPercent: __, ...rest } = { ...body, alerts: ['crashed' as const] }
    const own = await testPanel.send(createServerAlertChannel, { params: { id: server }, body: rest }, admin)
    const shared = await add(fixture, body)
    const put = (name: string, headers?: Record<string, string>) =>
      testPanel.send(putAlertChannel, { params: { id: shared.id }, body: { ...body, name } }, admin, headers)
    const putOwn = (name: string, headers?: Record<string, string>) => {
      const params = { id: server, channel: own.answer.id }
      return testPanel.send(putServerAlertChannel, { params, body: { ...rest, name } }, admin, headers)
    }

    for (const [send, version] of [
      [put, shared.version],
      [putOwn, own.answer.version],
    ] as const) {
      const seen = { 'if-match': `"${version}"` }
      const [current, outdated, any] = [await send('theirs', seen), await send('mine', seen), await send('any')]

      expect([current.status, any.status]).toEqual([204, 204])
      expect([outdated.status, outdated.refusal]).toEqual([412, 'ErrStaleVersion'])
    }
  })

  test.for([
    'http://127.0.0.1:1/',
    'http://[::1]/',
    'http://192.168.1.1/hook',
    'http://169.254.169.254/latest',
    'ftp://example.org/',
    'not a url',
  ])('with the URL %s is refused', async (target, { fixture }) => {
    const { testPanel, admin } = fixture

    const { refusal, metadata } = await testPanel.send(createAlertChannel, { body: channel({ target }) }, admin)

    expect([refusal, metadata.field]).toEqual(['ErrFieldInvalid', 'target'])
  })

  test('whose host name resolves to a private address gets no request', async ({ fixture }) => {
    const { testPanel, admin, receiver } = fixture
    const port = receiver.address.split(':')[1]
    const { id } = await add(fixture, channel({ target: `http://localhost:${Number(port) + 1}/` }))

    const { answer } = await testPanel.send(testAlertChannel, { params: { id } }, admin)

    expect(answer.delivered).toBe(false)
    expect(answer.answer).toMatch(/^localhost is not on the public internet/)
  })

  test('is only for administrators', async ({ fixture }) => {
    const { testPanel, receiver } = fixture
    const user = await testPanel.createUser({ scopes: ['panel.settings'] })

    expect((await testPanel.send(listAlertChannels, {} as never, user)).status).toBe(403)
    const { status } = await testPanel.send(createAlertChannel, { body: channel({ target: receiver.url }) }, user)
    expect(status).toBe(403)
  })
})

describe('a channel of a server', () => {
  const { servers: _servers, diskFullPercent: _percent, ...fields } = channel({ target: '' })
  const own = (target: string) => ({ ...fields, target, alerts: ['crashed' as const] })

  test('gets the alerts of that server only, and is edited by its users', async ({ fixture }) => {
    const { testPanel, admin, receiver } = fixture
    const [server, other] = await Promise.all([testPanel.server(), testPanel.server()])
    const owner = await testPanel.createUser({ on: { [server]: ['editServerData'] } })
    const params = { id: server }
    const body = own(`${receiver.url}/own`)

    const { answer } = await testPanel.send(createServerAlertChannel, { params, body }, owner)
    await report(fixture, [event('crashed', other), event('crashed', server)])
    await delivered(fixture)

    expect(receiver.messages).toMatchObject([{ server: { id: server } }])
    const { answer: log } = await testPanel.send(listServerAlertDeliveries, { params, query: {} }, owner)
    expect(log.deliveries).toMatchObject([{ channelId: answer.id, state: 'sent' }])
    expect((await testPanel.send(listAlertDeliveries, {} as never, admin)).answer.deliveries).toEqual([])
    expect((await testPanel.send(listAlertChannels, {} as never, admin)).answer).toEqual([])
    const onChannel = { params: { id: server, channel: answer.id } }
    expect((await testPanel.send(testServerAlertChannel, onChannel, owner)).answer.delivered).toBe(true)
    const fromOther = { params: { id: other, channel: answer.id } }
    expect((await testPanel.send(deleteServerAlertChannel, fromOther, admin)).status).toBe(404)
    expect((await testPanel.send(deleteServerAlertChannel, onChannel, owner)).status).toBe(204)
  })

  test('cannot be added without permission, and sends mail only to the own address', async ({ fixture }) => {
    const { testPanel, receiver } = fixture
    const server = await testPanel.server()
    const params = { id: server }
    const viewer = await testPanel.createUser({ on: { [server]: ['viewServerConsole'] } })
    const owner = await testPanel.createUser({ on: { [server]: ['editServerData'] } })
    const mail = (target: string) => ({ ...own(target), type: 'mail' as const })
    const create = async (body: ReturnType<typeof own>, as: TestUser) =>
      await testPanel.send(createServerAlertChannel, { params, body }, as)

    expect((await create(own(receiver.url), viewer)).status).toBe(403)
    expect((await create(own('http://10.0.0.1/'), owner)).refusal).toBe('ErrFieldInvalid')
    expect((await create(mail('someone@example.org'), owner)).refusal).toBe('ErrFieldInvalid')
    expect((await create(mail(owner.email), owner)).status).toBe(200)
  })
})

describe('the owner of a channel', () => {
  const { servers: _servers, diskFullPercent: _percent, ...fields } = channel({ target: '' })
  const own = (target: string) => ({ ...fields, target, alerts: ['crashed' as const] })

  test('must still have the permission when an alert is raised, delivered or given to a node', async ({ fixture }) => {
    const { testPanel, admin, receiver } = fixture
    const server = await testPanel.server()
    const params = { id: server }
    const owner = await testPanel.createUser({ on: { [server]: ['editServerData'] } })
    const { answer } = await testPanel.send(
      createServerAlertChannel,
      { params, body: own(`${receiver.url}/own`) },
      owner,
    )
    expect((await report(fixture, [], {}, '')).alerts?.channels).toMatchObject([{ id: answer.id }])
    await report(fixture, [event('crashed', server, { subject: 'waits' })])

    await testPanel.grant(owner.id, server, ['viewServerConsole'])
    await fixture.other.alertDeliveries.run()
    await report(fixture, [event('crashed', server, { subject: 'new' })])

    expect((await report(fixture, [], {}, '')).alerts?.channels ?? []).toEqual([])
    const { deliveries } = (await testPanel.send(listServerAlertDeliveries, { params, query: {} }, admin)).answer
    expect(deliveries.map(({ state, answer: why }) => [state, why])).toEqual([['failed', pausedAnswer]])
    expect(receiver.messages).toEqual([])
    const listed = await testPanel.send(listServerAlertChannels, { params }, admin)
    expect(listed.answer).toMatchObject([{ owner: { username: owner.username }, paused: 'ownerLacksPermission' }])
    const onChannel = { params: { id: server, channel: answer.id } }
    expect((await testPanel.send(testServerAlertChannel, onChannel, admin)).answer).toEqual({
      delivered: false,
      answer: pausedAnswer,
    })

    await testPanel.grant(owner.id, server, ['editServerData'])
    expect((await testPanel.send(listServerAlertChannels, { params }, admin)).answer[0]?.paused).toBeUndefined()
  })

  test('is an administrator for the channels of administrators, and may be deleted', async ({ fixture }) => {
    const { testPanel, admin, receiver } = fixture
    const former = await testPanel.admin()
    const body = channel({ target: `${receiver.url}/all` })
    await testPanel.send(createAlertChannel, { body }, former)
    const paused = async () => (await testPanel.send(listAlertChannels, {} as never, admin)).answer[0]?.paused
    expect(await paused()).toBeUndefined()

    await testPanel.send(putUserPermissions, { params: { id: former.id }, body: { viewServers: true } }, admin)
    expect(await paused()).toBe('ownerLacksPermission')
    await testPanel.send(deleteUser, { params: { id: former.id } }, admin)
    expect(await paused()).toBe('ownerDeleted')

    const [{ id = '' } = {}] = (await testPanel.send(listAlertChannels, {} as never, admin)).answer
    await testPanel.send(putAlertChannel, { params: { id }, body }, admin)
    const [taken] = (await testPanel.send(listAlertChannels, {} as never, admin)).answer
    expect([taken?.owner?.id, taken?.paused]).toEqual([admin.id, undefined])
  })

  test('and administrators alone get target and secret; others edit without them', async ({ fixture }) => {
    const { testPanel, admin, receiver } = fixture
    const server = await testPanel.server()
    const params = { id: server }
    const on = { [server]: ['editServerData'] } as const
    const [owner, editor] = [await testPanel.createUser({ on }), await testPanel.createUser({ on })]
    const target = `${receiver.url}/secret`
    const created = await testPanel.send(createServerAlertChannel, { params, body: own(target) }, owner)
    const { id, secret } = created.answer
    const seenBy = async (who: TestUser) => {
      const { answer } = await testPanel.send(listServerAlertChannels, { params }, who)
      return {
        target: answer[0]?.target,
        secret: answer[0]?.secret,
        host: answer[0]?.host,
        owner: answer[0]?.owner?.id,
      }
    }
    const put = async (who: TestUser, body: object) =>
      await testPanel.send(putServerAlertChannel, { params: { id: server, channel: id }, body: body as never }, who)
    const host = receiver.address
    const hidden = { target: undefined, secret: '', host, owner: owner.id }

    expect(await seenBy(editor)).toEqual(hidden)
    const { target: _target, ...rest } = own('')
    expect((await put(editor, { ...rest, name: 'renamed' })).status).toBe(204)
    expect(await seenBy(editor)).toEqual(hidden)
    for (const who of [owner, admin]) expect(await seenBy(who)).toEqual({ target, secret, host, owner: owner.id })

    const otherType = await put(editor, { ...rest, type: 'slack' })
    expect([otherType.refusal, otherType.metadata.field]).toEqual(['ErrFieldRequired', 'target'])
    expect((await put(editor, own(`${receiver.url}/editor`))).status).toBe(204)
    const taken = await seenBy(editor)
    expect(taken).toMatchObject({ target: `${receiver.url}/editor`, owner: editor.id })
    expect(taken.secret).not.toBe(secret)
  })

  test('is unknown for channels of earlier releases, which stay in use, until a user sets the target', async ({
    fixture,
  }) => {
    const { testPanel, admin, receiver } = fixture
    const server = await testPanel.server()
    const editor = await testPanel.createUser({ on: { [server]: ['editServerData'] } })
    const params = { id: server }
    await testPanel.send(createServerAlertChannel, { params, body: own(receiver.url) }, admin)
    await testPanel.db.updateTable('alert_channels').set({ owner_id: null }).execute()

    await report(fixture, [event('crashed', server)])
    await delivered(fixture)

    expect(receiver.messages).toHaveLength(1)
    const [seen] = (await testPanel.send(listServerAlertChannels, { params }, editor)).answer
    expect(seen).toMatchObject({ secret: '', host: receiver.address })
    expect([seen?.target, seen?.owner, seen?.paused]).toEqual([undefined, undefined, undefined])
  })
})
