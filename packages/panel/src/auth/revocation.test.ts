import { once } from 'node:events'
import {
  confirmOtp,
  disableOtp,
  endOtherSessions,
  endSession,
  listSessions,
  putSelf,
  startOtp,
} from '@innkeeper/contract/accounts/account'
import { login, logout } from '@innkeeper/contract/accounts/auth'
import { createServerClient, deleteAccountClient, deleteServerClient } from '@innkeeper/contract/accounts/oauth2'
import { resetPassword } from '@innkeeper/contract/accounts/password-reset'
import { createRole, deleteRole, putRole, putUserRoles } from '@innkeeper/contract/accounts/roles'
import { deleteServerUser, putServerUser } from '@innkeeper/contract/accounts/server-users'
import { deleteUser, editUser, putUserPermissions, resetUserOtp } from '@innkeeper/contract/accounts/users'
import { closeCodes } from '@innkeeper/contract/servers/live'
import { getServer, putServerTags } from '@innkeeper/contract/servers/servers'
import { getSelf } from '@innkeeper/contract/settings/panel'
import { Secret, TOTP } from 'otpauth'
import { expect, vi } from 'vitest'
import WebSocket from 'ws'
import { hashToken } from '../security/secrets.ts'
import { password, TestPanel, type TestUser, test } from '../testing/test-panel.ts'

const recovery = 'ABCD-EFGH-JKMN-PQRS'

/** Opens a socket with a credential, and resolves to the close event. */
async function watch(url: string, server: string, { token }: TestUser) {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/proxy/daemon/socket/${server}`, {
    headers: { authorization: `Bearer ${token}` },
  })
  await once(socket, 'open')
  const watched: { closeReason: string | undefined; at: number; readonly socket: WebSocket } = {
    closeReason: undefined,
    at: 0,
    socket,
  }
  socket.once('close', (code, reason) => {
    watched.closeReason = `${code} ${reason}`
    watched.at = performance.now()
  })
  return watched
}

test('revoking a permission ends requests immediately and open sockets within five seconds', async ({ testPanel }) => {
  const server = await testPanel.server()
  const { url } = await testPanel.panel.listen()
  const admin = await testPanel.admin()
  const fellow = () => testPanel.createUser({ on: { [server]: ['viewServerConsole', 'startServer'] } })
  const loginAgain = async (user: TestUser) => {
    const { answer } = await testPanel.send(login, { body: { email: user.email, password } })
    return { ...user, token: answer.session ?? '' }
  }
  const on = (user: TestUser) => ({ params: { id: user.id } })
  const at = (user: TestUser) => ({ params: { id: server, email: user.email } })
  const guard = async ({ id }: TestUser) => {
    const row = { user_id: id, secret: 'A', is_on: 1, last_step: 0, created_at: 0 }
    await testPanel.db.insertInto('two_factor').values(row).execute()
    const hash = hashToken(recovery.replaceAll('-', ''))
    await testPanel.db.insertInto('recovery_codes').values({ user_id: id, hash }).execute()
  }

  const withRole = async (tag?: string) => {
    const user = await testPanel.createUser()
    const body = { name: user.email, permissions: ['viewServerConsole' as const, 'startServer' as const] }
    const { id: role } = (await testPanel.send(createRole, { body }, admin)).answer
    const roles = [{ role, ...(tag !== undefined && { tag }) }]
    await testPanel.send(putUserRoles, { ...on(user), body: { roles } }, admin)
    return { user, role, name: user.email }
  }

  /** Ways to revoke: the credential that ends, and the action. */
  const cases: Record<string, () => Promise<readonly [TestUser, () => Promise<{ status: number }>]>> = {
    logout: async () => {
      const user = await fellow()
      return [user, () => testPanel.send(logout, {}, user)]
    },
    'own new password': async () => {
      const user = await fellow()
      const other = await loginAgain(user)
      const body = { password, newPassword: 'another password' }
      return [other, () => testPanel.send(putSelf, { body }, user)]
    },
    'two-factor switched on': async () => {
      const user = await fellow()
      const other = await loginAgain(user)
      const { secret } = (await testPanel.send(startOtp, {}, user)).answer
      const token = () => TOTP.generate({ secret: Secret.fromBase32(secret) })
      return [other, () => testPanel.send(confirmOtp, { body: { token: token() } }, user)]
    },
    'two-factor switched off': async () => {
      const user = await fellow()
      const other = await loginAgain(user)
      await guard(user)
      return [other, () => testPanel.send(disableOtp, { params: { token: recovery } }, user)]
    },
    'two-factor reset by an administrator': async () => {
      const user = await fellow()
      await guard(user)
      return [user, () => testPanel.send(resetUserOtp, on(user), admin)]
    },
    'password reset with a link': async () => {
      const [user, token] = [await fellow(), 'a-token-that-only-they-got']
      const row = { token: hashToken(token), user_id: user.id, created_at: 0, expires_at: Date.now() + 60_000 }
      await testPanel.db.insertInto('password_resets').values(row).execute()
      return [user, () => testPanel.send(resetPassword, { body: { token, password: 'another one' } })]
    },
    'all other sessions ended': async () => {
      const user = await fellow()
      return [await loginAgain(user), () => testPanel.send(endOtherSessions, {}, user)]
    },
    'session ended from another session': async () => {
      const user = await fellow()
      const other = await loginAgain(user)
      const { answer } = await testPanel.send(listSessions, {}, other)
      const id = answer.find(({ isCurrent }) => isCurrent)?.id ?? ''
      return [other, () => testPanel.send(endSession, { params: { id } }, user)]
    },
    'password set by an administrator': async () => {
      const user = await fellow()
      return [user, () => testPanel.send(editUser, { ...on(user), body: { password: 'another one' } }, admin)]
    },
    'user deleted': async () => {
      const user = await fellow()
      return [user, () => testPanel.send(deleteUser, on(user), admin)]
    },
    'access removed': async () => {
      const user = await fellow()
      return [user, () => testPanel.send(deleteServerUser, at(user), admin)]
    },
    'one permission revoked': async () => {
      const user = await fellow()
      return [user, () => testPanel.send(putServerUser, { ...at(user), body: { viewServerConsole: true } }, admin)]
    },
    'role taken away': async () => {
      const { user } = await withRole()
      return [user, () => testPanel.send(putUserRoles, { ...on(user), body: { roles: [] } }, admin)]
    },
    'role changed': async () => {
      const { user, role, name } = await withRole()
      const body = { name, permissions: ['viewServerConsole' as const] }
      return [user, () => testPanel.send(putRole, { params: { id: role }, body }, admin)]
    },
    'role deleted': async () => {
      const { user, role } = await withRole()
      return [user, () => testPanel.send(deleteRole, { params: { id: role } }, admin)]
    },
    'tag of the role removed from the server': async () => {
      await testPanel.send(putServerTags, { params: { id: server }, body: { tags: ['event'] } }, admin)
      const { user } = await withRole('event')
      return [user, () => testPanel.send(putServerTags, { params: { id: server }, body: { tags: [] } }, admin)]
    },
    'administrator demoted': async () => {
      const user = await testPanel.admin()
      return [user, () => testPanel.send(putUserPermissions, { ...on(user), body: {} }, admin)]
    },
    'client deleted': async () => {
      const user = await fellow()
      const { id, client } = await testPanel.createClient(user)
      return [client, () => testPanel.send(deleteAccountClient, { params: { id } }, user)]
    },
    'client of the server deleted': async () => {
      const user = await fellow()
      const { id, client } = await testPanel.createClient(user, server)
      return [client, () => testPanel.send(deleteServerClient, { params: { id: server, clientId: id } }, user)]
    },
    'owner of a client deleted': async () => {
      const user = await fellow()
      const { client } = await testPanel.createClient(user)
      return [client, () => testPanel.send(deleteUser, on(user), admin)]
    },
  }
  const prepared = await Promise.all(
    Object.entries(cases).map(async ([name, prepare]) => {
      const [loser, revoke] = await prepare()
      return { name, loser, revoke, watched: await watch(url, server, loser) }
    }),
  )
  const bystander = await watch(url, server, await fellow())

  const done = new Map<string, number>()
  for (const { name, revoke } of prepared) {
    expect([200, 204], name).toContain((await revoke()).status)
    done.set(name, performance.now())
  }
  const start = async ({ name, loser }: (typeof prepared)[number]) => {
    const reply = await testPanel.request('POST', `/proxy/daemon/server/${server}/start`, undefined, loser)
    return [name, [401, 403, 404].includes(reply.status)]
  }
  const refused = await Promise.all(prepared.map(start))
  expect(refused).toEqual(prepared.map(({ name }) => [name, true]))
  expect(testPanel.node.received.filter(({ method }) => method === 'POST')).toEqual([])

  await vi.waitUntil(() => prepared.every(({ watched }) => watched.closeReason !== undefined), { timeout: 10_000 })
  for (const { name, watched } of prepared) expect(watched.at - (done.get(name) ?? 0), name).toBeLessThan(5_000)
  expect(prepared.map(({ name, watched }) => [name, watched.closeReason])).toEqual(
    prepared.map(({ name }) => [name, `${closeCodes.revoked} access ended`]),
  )
  expect(bystander.socket.readyState).toBe(WebSocket.OPEN)
  bystander.socket.terminate()
})

test('a revocation by another panel takes effect after the cache lifetime', async () => {
  let now = Date.now()
  const testPanel = await TestPanel.start({ now: () => now })
  const other = await TestPanel.start({ databaseUrl: testPanel.databaseUrl, now: () => now })
  const [admin, id] = [await testPanel.admin(), await testPanel.server()]
  const user = await testPanel.createUser({ on: { [id]: [] } })
  const { id: clientId, client } = await testPanel.createClient(user)
  for (const as of [user, client]) expect((await other.send(getSelf, {}, as)).status).toBe(200)

  await testPanel.send(deleteAccountClient, { params: { id: clientId } }, user)
  await testPanel.send(deleteUser, { params: { id: user.id } }, admin)
  now += 1_000

  for (const as of [user, client]) expect((await other.send(getSelf, {}, as)).status).toBe(401)
  await other.stop()
  await testPanel.stop()
})

test('a cross-site request cannot use the cookies of a browser', async ({ testPanel }) => {
  const [admin, id] = [await testPanel.admin(), await testPanel.server()]
  const headers = {
    cookie: `innkeeper_session=${admin.token}; innkeeper_login=${admin.token}`,
    origin: 'https://evil.example',
    'content-type': 'text/plain',
  }

  for (const [method, url, payload] of [
    ['POST', '/api/self/oauth2', '{}'],
    ['POST', `/api/servers/${id}/oauth2`, '{}'],
    ['DELETE', `/api/users/${admin.id}`, ''],
    ['PUT', '/api/self', '{"username":"pwned"}'],
    ['POST', '/auth/reauth', ''],
    ['POST', '/auth/otp', '{"token":"000000"}'],
  ] as const) {
    const response = await testPanel.panel.app.inject({ method, url, payload, headers })
    expect([400, 401], url).toContain(response.statusCode)
    expect(response.headers).not.toHaveProperty('access-control-allow-origin')
    expect(response.headers).not.toHaveProperty('set-cookie')
  }
  expect((await testPanel.send(getServer, { params: { id }, query: {} }, admin)).status).toBe(200)
  expect((await testPanel.send(createServerClient, { params: { id }, body: {} }, admin)).status).toBe(200)
})
