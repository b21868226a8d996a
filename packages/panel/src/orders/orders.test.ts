import { createHmac } from 'node:crypto'
import { text } from 'node:stream/consumers'
import { otp } from '@innkeeper/contract/accounts/auth'
import { signInByLink } from '@innkeeper/contract/accounts/sign-in-link'
import { listActivity } from '@innkeeper/contract/activity/activity'
import { createAlertChannel } from '@innkeeper/contract/alerts/alerts'
import { toEnvelope } from '@innkeeper/contract/errors/refusal-envelope'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { panelEndpoints } from '@innkeeper/contract/node-link/panel-to-node'
import { putNodePorts } from '@innkeeper/contract/nodes/node-ports'
import * as calls from '@innkeeper/contract/orders/orders'
import { deletePlan, getPlan, listPlans, putPlan } from '@innkeeper/contract/orders/plans'
import { takeExtraPort } from '@innkeeper/contract/servers/extra-ports'
import { deleteServer } from '@innkeeper/contract/servers/servers'
import { suspendServer } from '@innkeeper/contract/servers/suspension'
import { getSelf } from '@innkeeper/contract/settings/panel'
import { postSettings } from '@innkeeper/contract/settings/settings'
import { putTemplate } from '@innkeeper/contract/templates/templates'
import { describe, expect, vi } from 'vitest'
import { HttpReceiver } from '../testing/http-receiver.ts'
import { test as base, TestPanel, type TestUser } from '../testing/test-panel.ts'

const template = {
  type: 'game',
  display: 'Game',
  data: {
    memory: { type: 'integer', value: '1024' },
    port: { type: 'integer', value: '25565' },
    motd: { type: 'string', value: 'Hello', maxLength: 20 },
  },
  environment: { type: 'standard', limits: { memory: '${memory}', disk: 500 } },
  run: { command: 'game --port ${port}', stop: 'stop' },
}
const small = { template: 'game', limits: { memory: 2048, cpu: 100 }, ports: 2, extraPorts: 1, node: 0 }
const large = {
  template: 'game',
  limits: { memory: 8192, disk: 9000 },
  ports: 3,
  backups: { last: 5, maxBytes: 1e9 },
  node: 0,
}
const owner = { email: 'ada@example.org' }
const key = { shop: 'whmcs', order: '1001' }
const dayMs = 24 * 60 * 60 * 1000

interface Fixture {
  readonly testPanel: TestPanel
  readonly admin: TestUser
  /** The client of the shop. */
  readonly shop: TestUser
  pass(ms: number): void
}

const test = base.extend<{ fixture: Fixture }>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads what a fixture needs from its pattern
  fixture: async ({}, use) => {
    let passed = 0
    const pass = (ms: number) => {
      passed += ms
    }
    const testPanel = await TestPanel.start({ now: () => Date.now() + passed, orderPollMs: 100 })
    const admin = await testPanel.admin()
    expect(
      (await testPanel.send(putTemplate, { params: { name: 'game' }, body: template }, admin)).status,
    ).toBeLessThan(300)
    for (const [name, body] of Object.entries({ small, large }))
      expect((await testPanel.send(putPlan, { params: { name }, body }, admin)).status).toBe(204)
    const { client } = await testPanel.createClient(admin)
    await use({ testPanel, admin, shop: client, pass })
    await testPanel.stop()
  },
})

type Input = Partial<Parameters<typeof input>[0]> & Record<string, unknown>
const input = (more: Record<string, unknown> = {}) => ({ plan: 'small', owner, ...more })

const put = ({ testPanel, shop }: Fixture, more: Input = {}, params = key) =>
  testPanel.send(calls.putOrder, { params, body: input(more) as never }, shop)
const get = ({ testPanel, shop }: Fixture, params = key) => testPanel.send(calls.getOrder, { params }, shop)
const end = ({ testPanel, shop }: Fixture, query: { graceDays?: number } = {}) =>
  testPanel.send(calls.endOrder, { params: key, query }, shop)
const suspend = ({ testPanel, shop }: Fixture, reason = 'The invoice is not paid.') =>
  testPanel.send(calls.suspendOrder, { params: key, body: { reason } }, shop)
const resume = ({ testPanel, shop }: Fixture) => testPanel.send(calls.resumeOrder, { params: key }, shop)
const link = ({ testPanel, shop }: Fixture, params = key) => testPanel.send(calls.createSignInLink, { params }, shop)

const serverIds = async ({ testPanel: { db } }: Fixture) =>
  (await db.selectFrom('servers').select('id').execute()).map(({ id }) => id)

const definitionOf = ({ testPanel }: Fixture, id = '') => testPanel.node.definitions.get(id) as never as typeof template

describe('an order', () => {
  test('creates the owner and a server with the limits, ports and settings of its plan', async ({ fixture }) => {
    const { testPanel } = fixture

    const { status, answer } = await put(fixture, { name: 'Ada’s'.replace('’', "'"), variables: { motd: 'Welcome' } })

    expect(status).toBe(200)
    expect(answer).toMatchObject({ ...key, plan: 'small', state: 'active', isPending: false })
    expect(answer.owner).toMatchObject({ username: 'ada', email: owner.email })
    expect(answer.server?.name).toBe("Ada's")
    const definition = definitionOf(fixture, answer.server?.id)
    expect(definition.environment.limits).toMatchObject({ memory: 2048, cpu: 100, disk: 500 })
    // A program that gets its limit as a number needs more than that.
    expect(Number(definition.data.memory.value)).toBe(1780)
    expect(definition.data.motd.value).toBe('Welcome')
    expect(Object.keys(definition.data)).toContain('additional_port_1')
    const { rights } = await testPanel.db
      .selectFrom('server_users')
      .select('rights')
      .where('user_id', '=', answer.owner?.id ?? 0)
      .executeTakeFirstOrThrow()
    expect(rights).toContain('startServer')
    expect(rights).not.toContain('deleteServer')
  })

  test('that is sent 20 times at once has one server and one user, and each answer is the same', async ({
    fixture,
  }) => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => put(fixture, { name: 'lobby' })))
    const again = await put(fixture, { name: 'lobby' })

    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    expect(new Set([...answers, again].map(({ answer }) => JSON.stringify(answer))).size).toBe(1)
    expect(await serverIds(fixture)).toHaveLength(1)
    expect(fixture.testPanel.node.definitions.size).toBe(1)
    const users = fixture.testPanel.db.selectFrom('users').select('id').where('email', '=', owner.email)
    expect(await users.execute()).toHaveLength(1)
  })

  test('and others of the same customer at once have one user; a taken name does not stop them', async ({
    fixture,
  }) => {
    const orders = Array.from({ length: 5 }, (_, at) => ({ shop: 'whmcs', order: String(at) }))

    const answers = await Promise.all(orders.map((order) => put(fixture, { name: 'lobby' }, order)))

    expect(answers.map(({ answer }) => answer.state)).toEqual(answers.map(() => 'active'))
    expect(new Set(answers.map(({ answer }) => answer.owner?.id)).size).toBe(1)
    expect(new Set(answers.map(({ answer }) => answer.server?.name)).size).toBe(5)
    const ports = await fixture.testPanel.db.selectFrom('servers').select('port').execute()
    expect(new Set(ports.map(({ port }) => port)).size).toBe(5)
  })

  test('with wrong input is refused and leaves nothing', async ({ fixture }) => {
    const plan = await put(fixture, { plan: 'none' })
    const variable = await put(fixture, { variables: { motd: 'x'.repeat(21) } })
    const unknown = await put(fixture, { variables: { other: 'x' } })
    const email = await put(fixture, { owner: { email: 'nobody' } })

    expect([plan, variable, unknown, email].map(({ status }) => status)).toEqual([400, 400, 400, 400])
    expect([plan.metadata.field, variable.metadata.field]).toEqual(['plan', 'variables.motd'])
    expect((await get(fixture)).status).toBe(404)
    expect(await serverIds(fixture)).toEqual([])
  })

  test('whose node does not respond says so, is kept, and is completed without another call', async ({ fixture }) => {
    const { testPanel } = fixture
    let isDown = true
    testPanel.node.answer(panelEndpoints.createServer, async (request, response) => {
      const definition = JSON.parse(await text(request)) as Record<string, unknown>
      const refusal = new Refusal('ErrServiceNotAvailable')
      if (!isDown) testPanel.node.definitions.set(String(definition.id), definition)
      const [status, body] = isDown ? [refusal.status, toEnvelope(refusal)] : [200, { id: definition.id }]
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    })

    const failed = await put(fixture)
    const waiting = await get(fixture)
    isDown = false
    await testPanel.db.updateTable('orders').set({ next_at: 0 }).execute()

    expect([failed.status, failed.refusal]).toEqual([502, 'ErrServiceNotAvailable'])
    expect(waiting.answer).toMatchObject({
      state: 'creating',
      isPending: true,
      error: { code: 'ErrServiceNotAvailable' },
    })
    await vi.waitFor(async () => expect((await get(fixture)).answer.state).toBe('active'), 10_000)
    expect((await get(fixture)).answer.owner).toEqual(waiting.answer.owner)
    expect(await serverIds(fixture)).toHaveLength(1)
  })

  test('whose panel ended after the node had the server continues with that server', async ({ fixture }) => {
    const { testPanel } = fixture
    const { answer } = await put(fixture)
    const id = answer.server?.id ?? ''
    const request = JSON.stringify(input({ variables: {} }))
    const crashed = { state: 'creating', is_pending: 1, lease: 'x', next_at: 0, request }
    await testPanel.db.updateTable('orders').set(crashed).execute()
    const unfinished = { server_id: id, node_id: 0, created_at: Date.now() }
    await testPanel.db.insertInto('unfinished_servers').values(unfinished).execute()

    const again = await put(fixture)

    expect(again.answer).toMatchObject({ state: 'active', server: { id } })
    expect(await serverIds(fixture)).toEqual([id])
  })
})

test('another plan changes limits, ports and backups of the same server, once', async ({ fixture }) => {
  const first = await put(fixture)
  const { id = '' } = first.answer.server ?? {}
  const { testPanel, admin } = fixture
  const ranges = [{ address: '0.0.0.0', from: 9000, to: 9009 }]
  await testPanel.send(putNodePorts, { params: { id: 0 }, body: { ranges } }, admin)
  await testPanel.send(takeExtraPort, { params: { id }, body: {} }, admin)
  const before = definitionOf(fixture, id)

  const { answer } = await put(fixture, { plan: 'large' })
  const again = await put(fixture, { plan: 'large' })

  expect(answer).toMatchObject({ plan: 'large', state: 'active', isPending: false, server: { id } })
  expect(answer.limitsChangedAt).toBeDefined()
  expect(again.answer).toEqual(answer)
  const { environment, data } = definitionOf(fixture, id)
  expect(environment.limits).toMatchObject({ memory: 8192, disk: 9000 })
  expect(environment.limits).not.toHaveProperty('cpu')
  expect(data.port).toEqual(before.data.port)
  expect(data).toMatchObject({ additional_port_1: (before.data as Record<string, unknown>).additional_port_1 })
  const retention = fixture.testPanel.node.received.filter(({ url }) => url.endsWith('/backup/retention/rules'))
  expect(retention.map(({ method }) => method)).toEqual(['PUT'])
  const back = await put(fixture)
  expect(back.answer.plan).toBe('small')
  expect(definitionOf(fixture, id).data).not.toHaveProperty('additional_port_2')
  // What users have taken is theirs.
  expect(definitionOf(fixture, id).data).toMatchObject({ extra_port_1: { value: '9000' } })
})

test('a plan of another template is refused for a server that exists', async ({ fixture }) => {
  const { testPanel, admin } = fixture
  await testPanel.send(putTemplate, { params: { name: 'other' }, body: template }, admin)
  await testPanel.send(putPlan, { params: { name: 'other' }, body: { ...small, template: 'other' } }, admin)
  await put(fixture)

  const refused = await put(fixture, { plan: 'other' })

  expect(refused.refusal).toBe('ErrOrderTemplate')
  expect((await put(fixture)).answer).toMatchObject({ state: 'active', plan: 'small' })
})

describe('the end of an order', () => {
  test('stops and suspends the server at once, and deletes it after the time of grace', async ({ fixture }) => {
    const { testPanel } = fixture
    const { answer } = await put(fixture)
    const id = answer.server?.id ?? ''

    const ended = await end(fixture, { graceDays: 3 })
    const again = await end(fixture)
    const kept = await serverIds(fixture)
    await testPanel.db.updateTable('orders').set({ delete_at: 1, next_at: 1 }).execute()
    await vi.waitFor(async () => expect((await get(fixture)).answer.state).toBe('deleted'), 10_000)

    expect(ended.answer.state).toBe('ended')
    expect(Date.parse(ended.answer.deleteAt ?? '') - Date.now()).toBeGreaterThan(2.9 * dayMs)
    expect(again.answer).toEqual(ended.answer)
    expect(testPanel.node.suspensions.get(id)?.reason).toContain('The order of this server has ended')
    expect(kept).toEqual([id])
    expect(await serverIds(fixture)).toEqual([])
    expect(testPanel.node.definitions.has(id)).toBe(false)
    const anew = await put(fixture)
    expect(anew.answer).toMatchObject({ state: 'active', owner: answer.owner })
    expect(anew.answer.server?.id).not.toBe(id)
  })

  test('is undone by another PUT within the time of grace', async ({ fixture }) => {
    const { testPanel } = fixture
    const { answer } = await put(fixture)
    const id = answer.server?.id ?? ''
    await suspend(fixture)
    await end(fixture)

    const back = await put(fixture, { plan: 'large' })

    expect(back.answer).toMatchObject({ state: 'active', plan: 'large', server: { id } })
    expect(back.answer.deleteAt).toBeUndefined()
    expect(testPanel.node.suspensions.get(id)).toBeNull()
    expect(await serverIds(fixture)).toEqual([id])
  })
})

test('a shop suspends and resumes, but does not end the suspension of an administrator', async ({ fixture }) => {
  const { testPanel, admin } = fixture
  const { answer } = await put(fixture)
  const id = answer.server?.id ?? ''

  const suspended = await suspend(fixture)
  const put2 = await put(fixture)
  const resumed = await resume(fixture)
  await testPanel.send(suspendServer, { params: { id }, body: { reason: 'Abuse' } }, admin)
  const both = await suspend(fixture)
  const still = await resume(fixture)

  expect(suspended.answer).toMatchObject({ state: 'suspended', suspension: 'The invoice is not paid.' })
  expect(put2.answer.state).toBe('suspended')
  expect([resumed.answer.state, resumed.answer.suspension]).toEqual(['active', undefined])
  expect(both.answer).toMatchObject({ state: 'suspended', suspension: 'Abuse' })
  expect(still.answer).toMatchObject({ state: 'active', suspension: 'Abuse' })
  await end(fixture)
  expect((await suspend(fixture)).refusal).toBe('ErrOrderState')
})

test('a server that somebody has deleted is created again with the next PUT', async ({ fixture }) => {
  const { testPanel, admin } = fixture
  const { answer } = await put(fixture)
  await testPanel.send(deleteServer, { params: { id: answer.server?.id ?? '' }, query: {} }, admin)

  const seen = await get(fixture)
  const again = await put(fixture)

  expect(seen.answer.state).toBe('deleted')
  expect(again.answer.state).toBe('active')
  expect(await serverIds(fixture)).toEqual([again.answer.server?.id])
})

describe('a sign-in link', () => {
  const tokenOf = (path: string) => new URLSearchParams(path.split('#')[1]).get('token') ?? ''
  const open = ({ testPanel }: Fixture, path: string) =>
    testPanel.send(signInByLink, { body: { token: tokenOf(path) } })

  test('signs the owner in, once and within 60 seconds', async ({ fixture }) => {
    const { testPanel, pass, admin } = fixture
    await put(fixture)
    const { answer } = await link(fixture)
    const late = await link(fixture)

    const [one, other] = await Promise.all([open(fixture, answer.path), open(fixture, answer.path)])
    pass(60_001)
    const expired = await open(fixture, late.answer.path)

    expect([one.status, other.status].sort()).toEqual([200, 400])
    const session = (one.answer.session ?? other.answer.session) as string
    const self = await testPanel.send(getSelf, {}, { ...admin, token: session })
    expect(self.answer).toMatchObject({ username: 'ada' })
    expect(expired.refusal).toBe('ErrTokenInvalid')
    const { activity } = (await testPanel.send(listActivity, { query: {} }, admin)).answer
    expect(activity.map(({ action }) => action)).toEqual(expect.arrayContaining(['order.signIn', 'session.link']))
  })

  test('is refused for accounts that the shop has not created, and for those with permissions', async ({ fixture }) => {
    const { testPanel, admin } = fixture
    const user = await testPanel.createUser()
    const [ofUser, ofAdmin] = [
      { shop: 'whmcs', order: 'user' },
      { shop: 'whmcs', order: 'admin' },
    ]
    await put(fixture, { owner: { email: user.email } }, ofUser)
    await put(fixture, { owner: { email: admin.email } }, ofAdmin)
    const { answer } = await put(fixture)
    const before = await link(fixture)
    const scope = { user_id: answer.owner?.id ?? 0, scope: 'servers.create' }
    await testPanel.db.insertInto('user_scopes').values(scope).execute()

    const answers = [await link(fixture, ofUser), await link(fixture, ofAdmin), await link(fixture)]

    expect(answers.map(({ refusal }) => refusal)).toEqual(answers.map(() => 'ErrNoPermission'))
    expect((await open(fixture, before.answer.path)).refusal).toBe('ErrNoPermission')
  })

  test('does not replace the two-factor code', async ({ fixture }) => {
    const { testPanel } = fixture
    const { answer } = await put(fixture)
    const factor = { user_id: answer.owner?.id ?? 0, secret: 'JBSWY3DPEHPK3PXP', is_on: 1, last_step: 0, created_at: 0 }
    await testPanel.db.insertInto('two_factor').values(factor).execute()
    const { path } = (await link(fixture)).answer

    const opened = await open(fixture, path)

    expect(opened.answer).toEqual({ otpNeeded: true })
    expect((await testPanel.send(otp, { body: { token: '000000' } })).status).toBe(400)
  })
})

test('a new owner gets a mail with a link to set a password; an unconfirmed account does not get the server', async ({
  fixture,
}) => {
  const { testPanel, admin } = fixture
  const body = {
    'panel.settings.masterUrl': 'https://panel.example.org',
    'panel.email.provider': 'smtp',
    'panel.email.host': 'smtp://127.0.0.1:9',
    'panel.email.from': 'panel@example.org',
  } as const
  await testPanel.send(postSettings, { body }, admin)
  const squatter = await testPanel.createUser()
  const unconfirmed = { email: owner.email, email_key: owner.email, email_confirmed_at: null }
  await testPanel.db.updateTable('users').set(unconfirmed).where('id', '=', squatter.id).execute()

  const { answer } = await put(fixture)

  expect(answer.owner?.id).not.toBe(squatter.id)
  const mails = await testPanel.db.selectFrom('mails').select('kind').where('recipient', '=', owner.email).execute()
  expect(mails.map(({ kind }) => kind).sort()).toEqual(['accountCreation', 'addedToServer', 'passwordReset'])
  expect(await testPanel.db.selectFrom('password_resets').select('user_id').execute()).toEqual([
    { user_id: answer.owner?.id },
  ])
})

test('only administrators and their clients use orders and plans', async ({ fixture }) => {
  const { testPanel, admin } = fixture
  const user = await testPanel.createUser({ scopes: ['servers.create', 'users.edit'] })

  const refused = await testPanel.send(calls.putOrder, { params: key, body: input() as never }, user)
  const list = await testPanel.send(listPlans, {}, user)

  expect([refused.status, list.status]).toEqual([403, 403])
  expect((await testPanel.send(listPlans, {}, admin)).answer.plans.map(({ name }) => name)).toEqual(['large', 'small'])
})

test('a plan has a version, an existing template and enough ports', async ({ fixture }) => {
  const { testPanel, admin } = fixture
  const params = { name: 'small' }
  const { headers } = await testPanel.send(getPlan, { params }, admin)

  const template404 = await testPanel.send(putPlan, { params, body: { ...small, template: 'none' } }, admin)
  const negative = await testPanel.send(putPlan, { params, body: { ...small, limits: { memory: -1 } } }, admin)
  const changed = await testPanel.send(putPlan, { params, body: { ...small, graceDays: 1 } }, admin)
  const stale = await testPanel.send(putPlan, { params, body: small }, admin, { 'if-match': String(headers.etag) })

  expect([template404.refusal, negative.status, changed.status]).toEqual(['ErrNoTemplate', 400, 204])
  expect(stale.refusal).toBe('ErrStaleVersion')
  expect((await testPanel.send(deletePlan, { params }, admin)).status).toBe(204)
  const deleted = await testPanel.send(putPlan, { params, body: small }, admin, { 'if-match': String(headers.etag) })
  expect(deleted.refusal).toBe('ErrStaleVersion')
  expect((await put(fixture)).metadata.field).toBe('plan')
})

test('signed webhooks say what happened to an order, and are sent again when they are not accepted', async () => {
  const receiver = await HttpReceiver.start()
  const testPanel = await TestPanel.start({ alertAllow: [receiver.address], orderPollMs: 100 })
  const admin = await testPanel.admin()
  await testPanel.send(putTemplate, { params: { name: 'game' }, body: template }, admin)
  for (const [name, body] of Object.entries({ small, large }))
    await testPanel.send(putPlan, { params: { name }, body }, admin)
  const fixture: Fixture = { testPanel, admin, shop: admin, pass: () => {} }
  const body = { name: 'Shop', type: 'webhook' as const, target: receiver.url, alerts: ['order' as const] }
  const channel = (await testPanel.send(createAlertChannel, { body }, admin)).answer
  receiver.statuses.push(503)

  await put(fixture)
  await put(fixture)
  await put(fixture, { plan: 'large' })
  for (const step of [suspend, suspend, resume, resume, end, end]) await step(fixture)
  const { db } = testPanel
  await vi.waitFor(async () => {
    await db.updateTable('alert_deliveries').set({ next_at: 0 }).where('state', '=', 'waiting').execute()
    const sent = db.selectFrom('alert_deliveries').select('id').where('state', '=', 'sent')
    expect(await sent.execute()).toHaveLength(5)
  }, 20_000)

  const events = receiver.messages.map(({ order }) => order as { event: string })
  expect(new Set(events.map(({ event }) => event))).toEqual(
    new Set(['created', 'changed', 'suspended', 'resumed', 'ended']),
  )
  expect(receiver.received).toHaveLength(6)
  expect(receiver.messages[0]).toMatchObject({ type: 'order', order: { ...key, event: expect.any(String) } })
  const secret = Buffer.from((channel.secret ?? '').replace('whsec_', ''), 'base64')
  for (const { headers, body: text } of receiver.received) {
    const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${text}`
    const signature = createHmac('sha256', secret).update(signed).digest('base64')
    expect(headers['webhook-signature']).toBe(`v1,${signature}`)
  }
  await testPanel.stop()
  await receiver.stop()
})
