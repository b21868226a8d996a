import { once } from 'node:events'
import { acceptInvite } from '@innkeeper/contract/accounts/invites'
import {
  createServerInvite,
  deleteServerUser,
  listServerUsers,
  putServerUser,
} from '@innkeeper/contract/accounts/server-users'
import { listActivity } from '@innkeeper/contract/activity/activity'
import { closeCodes } from '@innkeeper/contract/servers/live'
import { getServer, listServers } from '@innkeeper/contract/servers/servers'
import { expect, vi } from 'vitest'
import { WebSocket } from 'ws'
import { TestPanel, type TestUser, test } from '../testing/test-panel.ts'

const hourMs = 3_600_000
const inHours = (hours: number) => new Date(Date.now() + hours * hourMs).toISOString()

async function untilOf(testPanel: TestPanel, id: string, email: string, as: TestUser) {
  const { answer } = await testPanel.send(listServerUsers, { params: { id }, query: { self: '' } }, as)
  return answer.find((user) => user.email === email)?.until
}

test('access ends at its time: requests at once, open sockets within five seconds, and the activity has it', async () => {
  let now = Date.now()
  const testPanel = await TestPanel.start({ now: () => now })
  const [admin, id] = [await testPanel.admin(), await testPanel.server()]
  const user = await testPanel.createUser({ on: { [id]: ['viewServerConsole'] } })
  const { client } = await testPanel.createClient(user, id)
  const body = { viewServerConsole: true, until: inHours(1) }
  await testPanel.send(putServerUser, { params: { id, email: user.email }, body }, admin)
  const { url } = await testPanel.panel.listen()
  const socket = new WebSocket(`${url.replace('http', 'ws')}/proxy/daemon/socket/${id}`, {
    headers: { authorization: `Bearer ${user.token}` },
  })
  await once(socket, 'open')
  const closed = once(socket, 'close')

  now += hourMs + 1_000
  const at = performance.now()
  const responses = [user, client].map((as) => testPanel.send(getServer, { params: { id }, query: {} }, as))
  const [ofUser, ofClient] = await Promise.all(responses)
  const { answer: list } = await testPanel.send(listServers, { query: {} }, user)
  const [code] = await closed

  expect(ofUser?.refusal).toBe('ErrServerNotFound')
  expect(ofClient?.status).toBeGreaterThanOrEqual(401)
  expect(list.servers).toEqual([])
  expect([code, performance.now() - at < 5_000]).toEqual([closeCodes.revoked, true])
  await vi.waitFor(async () => {
    const query = { server: id, action: 'server.user.expire' }
    const { answer } = await testPanel.send(listActivity, { query }, admin)
    expect(answer.activity).toMatchObject([{ target: user.email, result: 'done' }])
  }, 5_000)
  expect(await testPanel.db.selectFrom('oauth2_clients').selectAll().execute()).toEqual([])
  expect(await untilOf(testPanel, id, user.email, admin)).toBeUndefined()
  await testPanel.stop()
})

test('the end of access stays unless a request changes it', async ({ testPanel }) => {
  const [admin, id] = [await testPanel.admin(), await testPanel.server()]
  const { email } = await testPanel.createUser({ on: { [id]: [] } })
  const put = (body: object) => testPanel.send(putServerUser, { params: { id, email }, body }, admin)
  const until = inHours(1)

  expect((await put({ until: inHours(-1) })).refusal).toBe('ErrFieldNotFuture')
  await put({ startServer: true, until })
  await put({ stopServer: true })
  expect(await untilOf(testPanel, id, email, admin)).toBe(until)
  await put({ stopServer: true, until: null })
  expect(await untilOf(testPanel, id, email, admin)).toBeUndefined()
})

test('who has access until a time cannot give any beyond it, nor to themselves', async ({ testPanel }) => {
  const [admin, id] = [await testPanel.admin(), await testPanel.server()]
  const owner = await testPanel.createUser({ on: { [id]: ['editServerUsers', 'startServer'] } })
  const [friend, other] = [await testPanel.createUser(), await testPanel.createUser({ on: { [id]: [] } })]
  const granted = { editServerUsers: true, startServer: true, until: inHours(2) }
  await testPanel.send(putServerUser, { params: { id, email: owner.email }, body: granted }, admin)
  const put = async (email: string, body: object) =>
    (await testPanel.send(putServerUser, { params: { id, email }, body }, owner)).refusal

  expect(await put(friend.email, { startServer: true })).toBe('ErrFieldTooLarge')
  expect(await put(friend.email, { startServer: true, until: inHours(3) })).toBe('ErrFieldTooLarge')
  expect(await put(owner.email, { ...granted, until: null })).toBe('ErrFieldTooLarge')
  expect(await put(other.email, { startServer: true })).toBe('ErrFieldTooLarge')
  expect(await put(other.email, { startServer: true, until: inHours(1) })).toBeUndefined()
  expect(await put(friend.email, { startServer: true, until: inHours(1) })).toBeUndefined()
  const link = { email: 'new@example.org', permissions: { startServer: true } }
  expect((await testPanel.send(createServerInvite, { params: { id }, body: link }, owner)).refusal).toBe(
    'ErrFieldTooLarge',
  )
  await testPanel.send(deleteServerUser, { params: { id, email: friend.email } }, owner)
})

test('an invitation can give access until a time, and gives none after it', async () => {
  let now = Date.now()
  const testPanel = await TestPanel.start({ now: () => now })
  const [admin, id, ended] = [await testPanel.admin(), await testPanel.server(), await testPanel.server()]
  const invite = async (server: string, email: string, hours: number) => {
    const body = { email, permissions: { startServer: true, until: inHours(hours) } }
    const { answer } = await testPanel.send(createServerInvite, { params: { id: server }, body }, admin)
    return new URLSearchParams(answer.path.split('?')[1]).get('token') ?? ''
  }
  const accept = (token: string, email: string, username: string) =>
    testPanel.send(acceptInvite, { body: { token, email, username, password: 'long enough' } })
  const [first, second] = [await invite(id, 'a@example.org', 5), await invite(ended, 'b@example.org', 1)]
  const { answer: pending } = await testPanel.send(listServerUsers, { params: { id }, query: {} }, admin)

  now += 2 * hourMs
  await accept(first, 'a@example.org', 'first')
  await accept(second, 'b@example.org', 'second')

  expect(await untilOf(testPanel, id, 'a@example.org', admin)).toBe(pending[0]?.until)
  expect(await untilOf(testPanel, ended, 'b@example.org', admin)).toBeUndefined()
  const { answer } = await testPanel.send(listServerUsers, { params: { id: ended }, query: {} }, admin)
  expect(answer.map(({ email }) => email)).toEqual([])
  await testPanel.stop()
})
