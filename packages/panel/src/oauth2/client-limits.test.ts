import { once } from 'node:events'
import {
  type ClientLimits,
  listAccountClients,
  putAccountClient,
  putServerClient,
} from '@innkeeper/contract/accounts/oauth2'
import { putServerUser } from '@innkeeper/contract/accounts/server-users'
import { listUsers, putUserPermissions } from '@innkeeper/contract/accounts/users'
import { listNodes } from '@innkeeper/contract/nodes/nodes'
import { closeCodes } from '@innkeeper/contract/servers/live'
import { getServer, listServers, putServerTags } from '@innkeeper/contract/servers/servers'
import { getSelf } from '@innkeeper/contract/settings/panel'
import { expect } from 'vitest'
import { WebSocket } from 'ws'
import { TestPanel, type TestUser, test } from '../testing/test-panel.ts'

const tag = (testPanel: TestPanel, id: string, tags: readonly string[], as: TestUser) =>
  testPanel.send(putServerTags, { params: { id }, body: { tags: [...tags] } }, as)

async function seenServers(testPanel: TestPanel, as: TestUser) {
  const { answer } = await testPanel.send(listServers, { query: { permissions: '' } }, as)
  return Object.fromEntries(answer.servers.map(({ id, permissions }) => [id, permissions]))
}

test('a client has only the permissions that are listed, and never more than its owner', async ({ testPanel }) => {
  const [one, other] = [await testPanel.server(), await testPanel.server()]
  const owner = await testPanel.createUser({ on: { [one]: ['startServer', 'stopServer'], [other]: ['stopServer'] } })
  const limits: ClientLimits = { permissions: ['startServer', 'viewServerConsole'], scopes: ['nodes.view'] }
  const { client } = await testPanel.createClient(owner, undefined, { limits })

  expect(await seenServers(testPanel, client)).toEqual({ [one]: ['startServer'], [other]: [] })
  expect((await testPanel.send(listNodes, {}, client)).refusal).toBe('ErrMissingScope')
})

test('a client of an administrator that may only read nodes can do nothing else', async ({ testPanel }) => {
  const [admin, id] = [await testPanel.admin(), await testPanel.server()]
  const { client } = await testPanel.createClient(admin, undefined, { limits: { scopes: ['nodes.view'] } })
  const user = await testPanel.createUser()

  expect((await testPanel.send(listNodes, {}, client)).status).toBe(200)
  expect((await testPanel.send(listUsers, { query: {} }, client)).refusal).toBe('ErrMissingScope')
  expect(await seenServers(testPanel, client)).toEqual({ [id]: [] })
  const start = await testPanel.request('POST', `/proxy/daemon/server/${id}/start`, undefined, client)
  expect(start.refusal).toBe('ErrMissingScope')
  const { refusal } = await testPanel.send(
    putUserPermissions,
    { params: { id: user.id }, body: { viewNodes: true } },
    client,
  )
  expect(refusal).toBe('ErrMissingScope')
})

test('a client that may manage users on a server gives only what it has itself', async ({ testPanel }) => {
  const [admin, id, { email }] = [await testPanel.admin(), await testPanel.server(), await testPanel.createUser()]
  const limits: ClientLimits = { permissions: ['editServerUsers', 'startServer'] }
  const { client } = await testPanel.createClient(admin, undefined, { limits })
  const put = (body: object) => testPanel.send(putServerUser, { params: { id, email }, body }, client)

  expect((await put({ stopServer: true })).refusal).toBe('ErrMissingScope')
  expect((await put({ startServer: true })).status).toBe(204)
})

test('servers by list and by tag: the tag decides at each request', async ({ testPanel }) => {
  const [admin, listed, tagged, hidden] = [
    await testPanel.admin(),
    await testPanel.server(),
    await testPanel.server(),
    await testPanel.server(),
  ]
  await tag(testPanel, tagged, ['Event'], admin)
  const limits: ClientLimits = { servers: [listed], tags: ['event'], permissions: ['stopServer'] }
  const { client } = await testPanel.createClient(admin, undefined, { limits })

  const before = await seenServers(testPanel, client)
  const foreign = await testPanel.send(getServer, { params: { id: hidden }, query: {} }, client)
  await tag(testPanel, tagged, [], admin)
  const after = await seenServers(testPanel, client)
  const gone = await testPanel.send(getServer, { params: { id: tagged }, query: {} }, client)

  expect(before).toEqual({ [listed]: ['stopServer'], [tagged]: ['stopServer'] })
  expect(after).toEqual({ [listed]: ['stopServer'] })
  expect([foreign.refusal, gone.refusal]).toEqual(['ErrServerNotFound', 'ErrServerNotFound'])
  expect((await testPanel.send(getSelf, {}, client)).answer.scopes).toEqual([])
})

test('addresses, pause and end refuse new and existing tokens', async () => {
  let now = Date.now()
  const testPanel = await TestPanel.start({ now: () => now })
  const admin = await testPanel.admin()
  const { id, secret, client } = await testPanel.createClient(admin)
  const put = (change: object) =>
    testPanel.send(putAccountClient, { params: { id }, body: { name: '', description: '', ...change } }, admin)
  const attempt = async () => {
    const payload = new URLSearchParams({ grant_type: 'client_credentials', client_id: id, client_secret: secret })
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const token = await testPanel.panel.app.inject({
      method: 'POST',
      url: '/oauth2/token',
      headers,
      payload: String(payload),
    })
    return [token.statusCode, (await testPanel.send(getSelf, {}, client)).status]
  }

  expect(await attempt()).toEqual([200, 200])
  await put({ limits: { networks: ['192.0.2.0/24', '2001:db8::/32'] } })
  expect(await attempt()).toEqual([400, 401])
  await put({ limits: { networks: ['127.0.0.0/8'] } })
  expect(await attempt()).toEqual([200, 200])
  await put({ isPaused: true })
  expect(await attempt()).toEqual([400, 401])
  await put({ until: new Date(now + 60_000).toISOString() })
  expect(await attempt()).toEqual([200, 200])
  now += 61_000
  expect(await attempt()).toEqual([400, 401])
  expect((await put({ until: new Date(now).toISOString() })).refusal).toBe('ErrFieldNotFuture')
  expect((await put({ limits: { networks: ['192.0.2.0/33'] } })).status).toBe(400)
  await testPanel.stop()
})

test('an open socket ends within five seconds when the limits of its client exclude it', async ({ testPanel }) => {
  const [admin, id] = [await testPanel.admin(), await testPanel.server()]
  const { url } = await testPanel.panel.listen()
  const changes = [{ limits: { networks: ['192.0.2.1'] } }, { limits: { servers: [] } }, { isPaused: true }]
  const watched = await Promise.all(
    changes.map(async (change) => {
      const created = await testPanel.createClient(admin)
      const headers = { authorization: `Bearer ${created.client.token}` }
      const socket = new WebSocket(`${url.replace('http', 'ws')}/proxy/daemon/socket/${id}`, { headers })
      await once(socket, 'open')
      return { change, id: created.id, closed: once(socket, 'close') }
    }),
  )

  const at = performance.now()
  for (const { change, id: clientId } of watched) {
    const body = { name: '', description: '', ...change }
    await testPanel.send(putAccountClient, { params: { id: clientId }, body }, admin)
  }
  const codes = await Promise.all(watched.map(async ({ closed }) => (await closed)[0]))

  expect(codes).toEqual(changes.map(() => closeCodes.revoked))
  expect(performance.now() - at).toBeLessThan(5_000)
})

test('a client of a server has no other servers, tags or scopes, but may have fewer permissions', async ({
  testPanel,
}) => {
  const [admin, id] = [await testPanel.admin(), await testPanel.server()]
  const { id: clientId, client } = await testPanel.createClient(admin, id)
  const put = (limits: ClientLimits) =>
    testPanel.send(putServerClient, { params: { id, clientId }, body: { name: '', description: '', limits } }, admin)

  expect((await put({ tags: ['event'] })).refusal).toBe('ErrFieldInvalid')
  expect((await put({ scopes: [] })).refusal).toBe('ErrFieldInvalid')
  expect((await put({ permissions: ['startServer'] })).status).toBe(204)
  expect(await seenServers(testPanel, client)).toEqual({ [id]: ['startServer'] })
})

test('the last use is shown, and the first one from another network is reported once', async ({ testPanel }) => {
  const admin = await testPanel.admin()
  const { client } = await testPanel.createClient(admin)
  const useFrom = (remoteAddress: string) =>
    testPanel.panel.app.inject({
      method: 'GET',
      url: '/api/self',
      headers: { authorization: `Bearer ${client.token}` },
      remoteAddress,
    })
  const networks = () => testPanel.db.selectFrom('oauth2_client_networks').select('network').execute()
  const list = async () => (await testPanel.send(listAccountClients, {}, admin)).answer

  const [unused] = await list()
  for (const address of ['192.0.2.1', '192.0.2.1', '2001:db8::1', '2001:db8::2']) await useFrom(address)
  const [used] = await list()

  expect([unused?.lastUsedAt, used?.lastUsedAt]).toEqual([undefined, expect.stringMatching(/^\d{4}-/)])
  expect((await networks()).map(({ network }) => network).sort()).toEqual(['192.0.2.1', '2001:db8:0:0::/64'])
})
