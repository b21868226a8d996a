import { once } from 'node:events'
import {
  confirmOtp,
  disableOtp,
  endOtherSessions,
  endSession,
  listSessions,
  putSelf,
  startOtp,
} from '@innkeeper/contract/account'
import { login, logout } from '@innkeeper/contract/auth'
import { closeCodes } from '@innkeeper/contract/live'
import { createServerClient, deleteAccountClient, deleteServerClient } from '@innkeeper/contract/oauth2'
import { getSelf } from '@innkeeper/contract/panel'
import { resetPassword } from '@innkeeper/contract/password-reset'
import { deleteServerUser, putServerUser } from '@innkeeper/contract/server-users'
import { getServer } from '@innkeeper/contract/servers'
import { deleteUser, editUser, putUserPermissions, resetUserOtp } from '@innkeeper/contract/users'
import { Secret, TOTP } from 'otpauth'
import { expect, vi } from 'vitest'
import WebSocket from 'ws'
import { House, type Person, password, test } from '../testing/house.ts'
import { digestOf } from './secrets.ts'

const recovery = 'ABCD-EFGH-JKMN-PQRS'

/** Opens a socket of a credential, and says how it was closed. */
async function watch(url: string, server: string, { token }: Person) {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/proxy/daemon/socket/${server}`, {
    headers: { authorization: `Bearer ${token}` },
  })
  await once(socket, 'open')
  const watched: { told: string | undefined; at: number; readonly socket: WebSocket } = {
    told: undefined,
    at: 0,
    socket,
  }
  socket.once('close', (code, reason) => {
    watched.told = `${code} ${reason}`
    watched.at = performance.now()
  })
  return watched
}

test('whatever takes a right away ends requests at once and open sockets within five seconds', async ({ house }) => {
  const server = await house.server()
  const { url } = await house.panel.listen()
  const admin = await house.admin()
  const fellow = () => house.person({ on: { [server]: ['viewServerConsole', 'startServer'] } })
  const again = async (person: Person) => {
    const { answer } = await house.send(login, { body: { email: person.email, password } })
    return { ...person, token: answer.session ?? '' }
  }
  const on = (person: Person) => ({ params: { id: person.id } })
  const at = (person: Person) => ({ params: { id: server, email: person.email } })
  const guard = async ({ id }: Person) => {
    const row = { user_id: id, secret: 'A', is_on: 1, last_step: 0, created_at: 0 }
    await house.db.insertInto('two_factor').values(row).execute()
    const hash = digestOf(recovery.replaceAll('-', ''))
    await house.db.insertInto('recovery_codes').values({ user_id: id, hash }).execute()
  }

  /** Each way: the credential that loses, and what somebody does. */
  const ways: Record<string, () => Promise<readonly [Person, () => Promise<{ status: number }>]>> = {
    logout: async () => {
      const person = await fellow()
      return [person, () => house.send(logout, {}, person)]
    },
    'own new password': async () => {
      const person = await fellow()
      const other = await again(person)
      const body = { password, newPassword: 'another password' }
      return [other, () => house.send(putSelf, { body }, person)]
    },
    'two-factor switched on': async () => {
      const person = await fellow()
      const other = await again(person)
      const { secret } = (await house.send(startOtp, {}, person)).answer
      const token = () => TOTP.generate({ secret: Secret.fromBase32(secret) })
      return [other, () => house.send(confirmOtp, { body: { token: token() } }, person)]
    },
    'two-factor switched off': async () => {
      const person = await fellow()
      const other = await again(person)
      await guard(person)
      return [other, () => house.send(disableOtp, { params: { token: recovery } }, person)]
    },
    'two-factor taken off by an administrator': async () => {
      const person = await fellow()
      await guard(person)
      return [person, () => house.send(resetUserOtp, on(person), admin)]
    },
    'password set with the link of a mail': async () => {
      const [person, token] = [await fellow(), 'a-token-that-only-they-got']
      const row = { token: digestOf(token), user_id: person.id, created_at: 0, expires_at: Date.now() + 60_000 }
      await house.db.insertInto('password_resets').values(row).execute()
      return [person, () => house.send(resetPassword, { body: { token, password: 'another one' } })]
    },
    'all other sessions ended': async () => {
      const person = await fellow()
      return [await again(person), () => house.send(endOtherSessions, {}, person)]
    },
    'session ended from elsewhere': async () => {
      const person = await fellow()
      const other = await again(person)
      const { answer } = await house.send(listSessions, {}, other)
      const id = answer.find(({ isCurrent }) => isCurrent)?.id ?? ''
      return [other, () => house.send(endSession, { params: { id } }, person)]
    },
    'password set by an administrator': async () => {
      const person = await fellow()
      return [person, () => house.send(editUser, { ...on(person), body: { password: 'another one' } }, admin)]
    },
    'person deleted': async () => {
      const person = await fellow()
      return [person, () => house.send(deleteUser, on(person), admin)]
    },
    'access removed': async () => {
      const person = await fellow()
      return [person, () => house.send(deleteServerUser, at(person), admin)]
    },
    'one flag taken': async () => {
      const person = await fellow()
      return [person, () => house.send(putServerUser, { ...at(person), body: { viewServerConsole: true } }, admin)]
    },
    'administrator demoted': async () => {
      const person = await house.admin()
      return [person, () => house.send(putUserPermissions, { ...on(person), body: {} }, admin)]
    },
    'client deleted': async () => {
      const person = await fellow()
      const { id, client } = await house.clientOf(person)
      return [client, () => house.send(deleteAccountClient, { params: { id } }, person)]
    },
    'client of the server deleted': async () => {
      const person = await fellow()
      const { id, client } = await house.clientOf(person, server)
      return [client, () => house.send(deleteServerClient, { params: { id: server, clientId: id } }, person)]
    },
    'owner of a client deleted': async () => {
      const person = await fellow()
      const { client } = await house.clientOf(person)
      return [client, () => house.send(deleteUser, on(person), admin)]
    },
  }
  const prepared = await Promise.all(
    Object.entries(ways).map(async ([name, prepare]) => {
      const [loser, act] = await prepare()
      return { name, loser, act, watched: await watch(url, server, loser) }
    }),
  )
  const bystander = await watch(url, server, await fellow())

  const done = new Map<string, number>()
  for (const { name, act } of prepared) {
    expect([200, 204], name).toContain((await act()).status)
    done.set(name, performance.now())
  }
  const start = async ({ name, loser }: (typeof prepared)[number]) => {
    const reply = await house.ask('POST', `/proxy/daemon/server/${server}/start`, undefined, loser)
    return [name, [401, 403, 404].includes(reply.status)]
  }
  const refused = await Promise.all(prepared.map(start))
  expect(refused).toEqual(prepared.map(({ name }) => [name, true]))
  expect(house.node.taken.filter(({ method }) => method === 'POST')).toEqual([])

  await vi.waitUntil(() => prepared.every(({ watched }) => watched.told !== undefined), { timeout: 10_000 })
  for (const { name, watched } of prepared) expect(watched.at - (done.get(name) ?? 0), name).toBeLessThan(5_000)
  expect(prepared.map(({ name, watched }) => [name, watched.told])).toEqual(
    prepared.map(({ name }) => [name, `${closeCodes.revoked} access ended`]),
  )
  expect(bystander.socket.readyState).toBe(WebSocket.OPEN)
  bystander.socket.terminate()
})

test('what another panel on the database took away is gone after the cache at the latest', async () => {
  let now = Date.now()
  const house = await House.build({ now: () => now })
  const other = await House.build({ databaseUrl: house.databaseUrl, now: () => now })
  const [admin, id] = [await house.admin(), await house.server()]
  const person = await house.person({ on: { [id]: [] } })
  const { id: clientId, client } = await house.clientOf(person)
  for (const as of [person, client]) expect((await other.send(getSelf, {}, as)).status).toBe(200)

  await house.send(deleteAccountClient, { params: { id: clientId } }, person)
  await house.send(deleteUser, { params: { id: person.id } }, admin)
  now += 1_000

  for (const as of [person, client]) expect((await other.send(getSelf, {}, as)).status).toBe(401)
  await other.pullDown()
  await house.pullDown()
})

test('a request of another site cannot act with the cookies of a browser', async ({ house }) => {
  const [admin, id] = [await house.admin(), await house.server()]
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
    const response = await house.panel.app.inject({ method, url, payload, headers })
    expect([400, 401], url).toContain(response.statusCode)
    expect(response.headers).not.toHaveProperty('access-control-allow-origin')
    expect(response.headers).not.toHaveProperty('set-cookie')
  }
  expect((await house.send(getServer, { params: { id }, query: {} }, admin)).status).toBe(200)
  expect((await house.send(createServerClient, { params: { id }, body: {} }, admin)).status).toBe(200)
})
