import { once } from 'node:events'
import { login, logout } from '@innkeeper/contract/accounts/auth'
import { setup } from '@innkeeper/contract/accounts/sign-up'
import { enrolNode, getSftpPermissions } from '@innkeeper/contract/node-link/node-to-panel'
import { requestPurpose } from '@innkeeper/contract/node-link/ticket'
import { closeCodes } from '@innkeeper/contract/servers/live'
import { stopServer } from '@innkeeper/contract/servers/node-servers'
import { listServers } from '@innkeeper/contract/servers/servers'
import { getSelf } from '@innkeeper/contract/settings/panel'
import { test as base, describe, expect, vi } from 'vitest'
import WebSocket from 'ws'
import { maxLoginAttempts } from './security/rate-limiter.ts'
import { SignedNodeClient } from './testing/signed-node-client.ts'
import { TestPanel, type TestUser } from './testing/test-panel.ts'

/** Two panels on one database, each with its own connections, as behind a load balancer. */
const test = base.extend<{ one: TestPanel; other: TestPanel }>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads what a fixture needs from its pattern
  one: async ({}, use) => {
    const testPanel = await TestPanel.start()
    await use(testPanel)
    await testPanel.stop()
  },
  other: async ({ one }, use) => {
    const testPanel = await TestPanel.start({ databaseUrl: one.databaseUrl })
    await use(testPanel)
    await testPanel.stop()
  },
})

const keeper = { username: 'keeper', email: 'keeper@example.org', password: 'long enough' }
const revokedWithinMs = 2_000

describe('revoking on one panel', () => {
  test('a session of one panel is valid on the other, and invalid after logging out', async ({ one, other }) => {
    await one.send(setup, { body: { code: other.panel.setupCode ?? '', ...keeper } })
    const { answer } = await one.send(login, { body: keeper })
    const user: TestUser = { id: 1, ...keeper, token: answer.session ?? '' }
    for (const testPanel of [one, other]) expect((await testPanel.send(getSelf, {}, user)).status).toBe(200)

    await other.send(logout, {}, user)

    await expectWithin(revokedWithinMs, async () => (await one.send(getSelf, {}, user)).refusal, 'ErrSessionTimedOut')
    expect((await other.send(getSelf, {}, user)).refusal).toBe('ErrSessionTimedOut')
  })

  test('a permission revoked in the database is revoked for requests to every panel', async ({ one, other }) => {
    const id = await one.server()
    const user = await one.createUser({ on: { [id]: ['stopServer'] } })
    const stop = (testPanel: TestPanel) => testPanel.send(stopServer, { params: { id }, query: {} }, user)
    expect((await stop(one)).status).toBeLessThan(300)

    await other.db.deleteFrom('server_users').where('user_id', '=', user.id).execute()

    await expectWithin(revokedWithinMs, async () => (await stop(one)).refusal, 'ErrServerNotFound')
  })

  test('an open socket on the other panel is closed within five seconds, with the reason', async ({ one, other }) => {
    const [admin, id] = [await one.admin(), await one.server()]
    const { url } = await one.panel.listen()
    const headers = { authorization: `Bearer ${admin.token}` }
    const socket = new WebSocket(`${url.replace('http', 'ws')}/proxy/daemon/socket/${id}`, { headers })
    await once(socket, 'open')

    await other.send(logout, {}, admin)

    const [code, reason] = await once(socket, 'close', { signal: AbortSignal.timeout(5_000) })
    expect([code, String(reason)]).toEqual([closeCodes.revoked, 'access ended'])
  })

  test('a deleted user is logged out on every panel', async ({ one, other }) => {
    const admin = await one.admin()
    expect((await one.send(listServers, { query: {} }, admin)).status).toBe(200)

    await other.db.deleteFrom('users').where('id', '=', admin.id).execute()

    await expectWithin(
      revokedWithinMs,
      async () => (await one.send(listServers, { query: {} }, admin)).refusal,
      'ErrSessionTimedOut',
    )
  })
})

describe('rate limits are shared by panels', () => {
  test('guesses on both panels are counted together', async ({ one, other }) => {
    const guess = (testPanel: TestPanel) =>
      testPanel.send(login, { body: { email: keeper.email, password: 'a wrong one' } })

    const replies = []
    for (let tried = 0; tried <= maxLoginAttempts; tried++) replies.push(await guess(tried % 2 ? one : other))

    expect(replies.map(({ status }) => status)).toEqual([...Array<number>(maxLoginAttempts).fill(400), 429])
  })

  test('of two concurrent setups on two panels one creates the administrator', async ({ one, other }) => {
    const code = other.panel.setupCode ?? ''
    const late = { ...keeper, username: 'late', email: 'late@example.org' }

    const replies = await Promise.all([
      one.send(setup, { body: { code, ...keeper } }),
      other.send(setup, { body: { code, ...late } }),
    ])

    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409])
    expect(await one.db.selectFrom('users').selectAll().execute()).toHaveLength(1)
  })

  test('wrong secrets of nodes on all panels are counted together', async ({ one, other }) => {
    const joinRequest = {
      nodeId: 1,
      key: 'k'.repeat(43),
      certificate: '',
      nonce: 'something never used',
      proof: 'wrong',
    }
    const statuses: number[] = []
    for (let tried = 0; tried < 61; tried++)
      statuses.push((await (tried % 2 ? one : other).send(enrolNode, { body: joinRequest })).status)

    expect(statuses.slice(0, 60).every((status) => status === 400)).toBe(true)
    expect(statuses[60]).toBe(429)
    expect((await other.send(enrolNode, { body: joinRequest })).status).toBe(429)
  })

  test("a node's token is accepted once by any panel", async ({ one, other }) => {
    const node = await SignedNodeClient.make()
    const key = { node_id: node.nodeId, jwk: JSON.stringify(node.publicKey), created_at: Date.now() }
    await one.db.insertInto('node_keys').values(key).execute()
    const { method, path } = getSftpPermissions
    const token = await node.token(requestPurpose(method, path))
    const ask = (testPanel: TestPanel) =>
      testPanel.request<typeof getSftpPermissions>(
        method,
        path,
        { grants: [] },
        { id: 0, username: '', email: '', token },
      )

    expect((await ask(one)).status).toBe(200)
    expect((await ask(other)).refusal).toBe('ErrTokenInvalid')
    expect((await ask(one)).refusal).toBe('ErrTokenInvalid')
  })

  test('panels that start concurrently with settings for the first administrator create one', async ({ one }) => {
    const deps = { databaseUrl: one.databaseUrl, admin: keeper }

    const houses = await Promise.all([TestPanel.start(deps), TestPanel.start(deps), TestPanel.start(deps)])

    expect(await one.db.selectFrom('users').selectAll().execute()).toHaveLength(1)
    expect(new Set(houses.map(({ panel }) => JSON.stringify(panel.publicJwk))).size).toBe(1)
    for (const testPanel of houses) await testPanel.stop()
  })
})

async function expectWithin<T>(timeout: number, ask: () => Promise<T>, expected: T): Promise<void> {
  await vi.waitFor(async () => expect(await ask()).toBe(expected), { timeout, interval: 100 })
}
