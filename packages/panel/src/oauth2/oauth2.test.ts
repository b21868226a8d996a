import { randomUUID } from 'node:crypto'
import { endSession } from '@innkeeper/contract/account'
import { listActivity } from '@innkeeper/contract/activity'
import { limits } from '@innkeeper/contract/limits'
import {
  createAccountClient,
  createServerClient,
  deleteAccountClient,
  deleteServerClient,
  listAccountClients,
  listServerClients,
} from '@innkeeper/contract/oauth2'
import { getSelf } from '@innkeeper/contract/panel'
import { deleteServerUser, putServerUser } from '@innkeeper/contract/server-users'
import { getServer, getUsage, listServers } from '@innkeeper/contract/servers'
import { postSettings } from '@innkeeper/contract/settings'
import { listUsers, putUserPermissions } from '@innkeeper/contract/users'
import { describe, expect } from 'vitest'
import { House, test } from '../testing/house.ts'

interface Asking {
  readonly basic?: string
  readonly type?: string
  readonly address?: string
}

async function ask(house: House, form: Readonly<Record<string, string>> | string, how: Asking = {}) {
  const { basic, type = 'application/x-www-form-urlencoded', address = '127.0.0.1' } = how
  const response = await house.panel.app.inject({
    method: 'POST',
    url: '/oauth2/token',
    headers: { 'content-type': type, ...(basic === undefined ? {} : { authorization: `Basic ${btoa(basic)}` }) },
    payload: typeof form === 'string' ? form : new URLSearchParams(form).toString(),
    remoteAddress: address,
  })
  return { status: response.statusCode, headers: response.headers, body: response.json<Record<string, unknown>>() }
}

const grant_type = 'client_credentials'

describe('a token', () => {
  test('is given for id and secret in the form, and is never to be stored on the way', async ({ house }) => {
    const { id, secret } = await house.clientOf(await house.admin())

    const { status, body, headers } = await ask(house, { grant_type, client_id: id, client_secret: secret })

    expect(status).toBe(200)
    expect(body).toEqual({
      access_token: expect.stringMatching(/^client\.[\w-]{43}$/),
      token_type: 'Bearer',
      expires_in: 3600,
      scope: 'oauth2.auth',
    })
    expect(headers).toMatchObject({ 'cache-control': 'no-store', pragma: 'no-cache' })
    const kept = await house.db.selectFrom('oauth2_tokens').selectAll().execute()
    expect(JSON.stringify(kept)).not.toContain(String(body.access_token).slice('client.'.length))
    const clients = await house.db.selectFrom('oauth2_clients').selectAll().execute()
    expect(JSON.stringify(clients)).not.toContain(secret)
  })

  test('is given for HTTP Basic, where both parts are form-encoded', async ({ house }) => {
    const { id, secret } = await house.clientOf(await house.admin())
    const encoded = `${id.replaceAll('-', '%2D')}:${secret}`

    for (const basic of [`${id}:${secret}`, encoded]) {
      expect((await ask(house, { grant_type }, { basic })).status).toBe(200)
    }
  })

  test('ends after an hour', async () => {
    let now = Date.now()
    const house = await House.build({ now: () => now })
    const { client } = await house.clientOf(await house.admin())
    now += limits.clientTokenLifeMs - 1_000
    expect((await house.send(getSelf, {}, client)).status).toBe(200)

    now += 2_000

    expect((await house.send(getSelf, {}, client)).status).toBe(401)
    await house.pullDown()
  })

  test('does not pile up for a program that asks again and again', async ({ house }) => {
    const { id, secret } = await house.clientOf(await house.admin())

    for (let at = 0; at < 105; at++) await ask(house, { grant_type, client_id: id, client_secret: secret })

    expect(await house.db.selectFrom('oauth2_tokens').select('id').execute()).toHaveLength(100)
  })
})

describe('what is wrong is told in the words of RFC 6749', () => {
  test.for([
    [{ client_id: 'ID', client_secret: 'SECRET' }, {}, 400, 'invalid_request'],
    [{ grant_type }, {}, 400, 'invalid_request'],
    [{ grant_type, client_id: 'ID' }, {}, 400, 'invalid_request'],
    [{ grant_type: 'password', username: 'a', password: 'b' }, {}, 400, 'unsupported_grant_type'],
    [{ grant_type: '__proto__' }, {}, 400, 'unsupported_grant_type'],
    [{ grant_type, client_id: 'ID', client_secret: 'wrong' }, {}, 400, 'invalid_client'],
    [{ grant_type, client_id: 'nobody', client_secret: 'SECRET' }, {}, 400, 'invalid_client'],
    [{ grant_type, client_id: "' or 1=1", client_secret: '' }, {}, 400, 'invalid_client'],
    [{ grant_type }, { basic: 'ID:wrong' }, 401, 'invalid_client'],
    [{ grant_type }, { basic: 'no colon' }, 401, 'invalid_client'],
    [{ grant_type }, { basic: '%zz:SECRET' }, 401, 'invalid_client'],
    [{ grant_type, client_id: 'other' }, { basic: 'ID:SECRET' }, 401, 'invalid_client'],
    [{ grant_type, client_secret: 'SECRET' }, { basic: 'ID:SECRET' }, 400, 'invalid_request'],
    [
      'grant_type=client_credentials&grant_type=client_credentials&client_id=ID&client_secret=SECRET',
      {},
      400,
      'invalid_request',
    ],
    ['{"grant_type":"client_credentials"}', { type: 'application/json' }, 400, 'invalid_request'],
    ['', {}, 400, 'invalid_request'],
  ] as const)('%j %j', async ([form, how, status, error], { house }) => {
    const { id, secret } = await house.clientOf(await house.admin())
    await house.db.deleteFrom('oauth2_tokens').execute()
    const filled = (text: string) => text.replace('ID', id).replace('SECRET', secret)
    const sent =
      typeof form === 'string'
        ? filled(form)
        : Object.fromEntries(Object.entries(form).map(([key, value]) => [key, filled(value)]))
    const basic = 'basic' in how ? { basic: filled(how.basic) } : {}

    const reply = await ask(house, sent, { ...how, ...basic })

    expect([reply.status, reply.body.error]).toEqual([status, error])
    expect(reply.headers['cache-control']).toBe('no-store')
    if (status === 401) expect(reply.headers['www-authenticate']).toBe('Basic realm="oauth2"')
    expect(await house.db.selectFrom('oauth2_tokens').selectAll().execute()).toEqual([])
  })

  test('guessing is slowed down for the guesser only', async ({ house }) => {
    const { id, secret } = await house.clientOf(await house.admin())
    const wrong = { grant_type, client_id: id, client_secret: 'guess' }
    for (let tried = 0; tried < limits.loginAttempts; tried++) await ask(house, wrong, { address: '10.6.6.6' })

    const right = { ...wrong, client_secret: secret }
    const guesser = await ask(house, right, { address: '10.6.6.6' })
    const owner = await ask(house, right, { address: '10.0.0.1' })

    expect([guesser.status, guesser.body.error]).toEqual([429, 'temporarily_unavailable'])
    expect(Number(guesser.headers['retry-after'])).toBeGreaterThan(0)
    expect(owner.status).toBe(200)
  })

  test('guesses at the same moment do not pass the limit', async ({ house }) => {
    const { id } = await house.clientOf(await house.admin())
    const wrong = { grant_type, client_id: id, client_secret: 'guess' }

    const guesses = Array.from({ length: 3 * limits.loginAttempts }, () => ask(house, wrong, { address: '10.6.6.6' }))
    const statuses = (await Promise.all(guesses)).map(({ status }) => status)

    expect(statuses.filter((status) => status === 400)).toHaveLength(limits.loginAttempts)
    expect(statuses.filter((status) => status === 429)).toHaveLength(2 * limits.loginAttempts)
  })

  test('guesses at several clients at the same moment do not pass the limit of their address', async ({ house }) => {
    const clients = limits.loginAttemptsPerAddress / limits.loginAttempts + 1
    const ids = Array.from({ length: clients }, () => randomUUID())

    const guesses = ids.flatMap((client_id) =>
      Array.from({ length: limits.loginAttempts }, () =>
        ask(house, { grant_type, client_id, client_secret: 'guess' }, { address: '10.6.6.6' }),
      ),
    )
    const statuses = (await Promise.all(guesses)).map(({ status }) => status)

    expect(statuses.filter((status) => status === 400)).toHaveLength(limits.loginAttemptsPerAddress)
  })

  test('a program may ask for many tokens at the same moment, which leaves no attempts behind', async ({ house }) => {
    const { id, secret } = await house.clientOf(await house.admin())
    const right = { grant_type, client_id: id, client_secret: secret }

    const asked = Array.from({ length: 3 * limits.loginAttempts }, () => ask(house, right))
    const statuses = (await Promise.all(asked)).map(({ status }) => status)

    expect(new Set(statuses)).toEqual(new Set([200]))
    expect((await house.db.selectFrom('tries').select('count').where('count', '>', 0).execute()).length).toBe(0)
  })

  test('a session of a person is no client, and an endless form is not read', async ({ house }) => {
    const admin = await house.admin()

    const session = await ask(house, { grant_type, client_id: String(admin.id), client_secret: admin.token })
    const endless = await ask(house, `grant_type=${'x'.repeat(100_000)}`)

    expect(session.body.error).toBe('invalid_client')
    expect(endless.status).toBe(413)
  })
})

describe('clients', () => {
  test('of the account and of a server are apart, and their secret is shown once', async ({ house }) => {
    const [admin, id] = [await house.admin(), await house.server()]
    const account = await house.send(createAccountClient, { body: { name: ' Bot ', description: 'it' } }, admin)
    const server = await house.send(createServerClient, { params: { id }, body: {} }, admin)

    const [ofAccount, ofServer] = [
      await house.send(listAccountClients, {}, admin),
      await house.send(listServerClients, { params: { id } }, admin),
    ]

    expect(account.answer.secret).toMatch(/^[\w-]{43}$/)
    expect(ofAccount.answer).toEqual([{ client_id: account.answer.id, name: 'Bot', description: 'it' }])
    expect(ofServer.answer).toEqual([{ client_id: server.answer.id, name: '', description: '' }])
  })

  test('of others, or for something else, are as absent as none', async ({ house }) => {
    const id = await house.server()
    const [owner, other] = [await house.person({ on: { [id]: [] } }), await house.person({ on: { [id]: [] } })]
    const { answer: account } = await house.send(createAccountClient, { body: {} }, owner)
    const { answer: server } = await house.send(createServerClient, { params: { id }, body: {} }, owner)

    const replies = [
      await house.send(deleteAccountClient, { params: { id: account.id } }, other),
      await house.send(deleteAccountClient, { params: { id: server.id } }, owner),
      await house.send(deleteServerClient, { params: { id, clientId: account.id } }, owner),
      await house.send(deleteServerClient, { params: { id, clientId: server.id } }, other),
      await house.send(deleteAccountClient, { params: { id: 'none' } }, owner),
    ]

    expect(replies.map(({ status, refusal }) => [status, refusal])).toEqual(Array(5).fill([404, 'ErrClientNotFound']))
    expect((await house.send(listServerClients, { params: { id } }, other)).answer).toEqual([])
    expect(await house.db.selectFrom('oauth2_clients').selectAll().execute()).toHaveLength(2)
  })

  test('that are deleted end with their tokens, at once', async ({ house }) => {
    const admin = await house.admin()
    const { id, client } = await house.clientOf(admin)
    expect((await house.send(getSelf, {}, client)).status).toBe(200)

    const { status } = await house.send(deleteAccountClient, { params: { id } }, admin)

    expect(status).toBe(204)
    expect((await house.send(getSelf, {}, client)).status).toBe(401)
  })

  test('that are deleted twice at the same time are told of by one mail, and named', async ({ house }) => {
    const admin = await house.admin()
    const mail = { 'panel.email.provider': 'smtp', 'panel.email.host': 'smtp://127.0.0.1:1' }
    await house.send(postSettings, { body: { ...mail, 'panel.email.from': 'panel@example.org' } }, admin)
    const { answer } = await house.send(createAccountClient, { body: { name: 'Bot' } }, admin)

    const removing = [1, 2].map(() => house.send(deleteAccountClient, { params: { id: answer.id } }, admin))
    const statuses = (await Promise.all(removing)).map(({ status }) => status)

    expect(statuses.toSorted()).toEqual([204, 404])
    const mails = await house.db.selectFrom('mails').select('kind').where('kind', '=', 'oauthDeleted').execute()
    expect(mails).toHaveLength(1)
    const { activity } = (await house.send(listActivity, { query: { action: 'client.delete' } }, admin)).answer
    expect(activity.filter(({ result }) => result === 'done').map(({ target }) => target)).toEqual(['Bot'])
  })

  test('are not made without end', async ({ house }) => {
    const admin = await house.admin()
    for (let at = 0; at < limits.clientsPerOwner; at++) await house.send(createAccountClient, { body: {} }, admin)

    const { status, refusal } = await house.send(createAccountClient, { body: {} }, admin)

    expect([status, refusal]).toEqual([409, 'ErrTooMany'])
  })

  test.for([{ user_id: 1 }, { server_id: 'x' }, { secret: 'mine' }, { id: 'mine' }])(
    'are not made with %j',
    async (body, { house }) => {
      const { status } = await house.ask('POST', '/api/self/oauth2', body, await house.admin())

      expect(status).toBe(400)
    },
  )
})

describe('what a client may do', () => {
  test('is what its owner may at that moment', async ({ house }) => {
    const [admin, owner] = [await house.admin(), await house.person({ scopes: ['users.view'] })]
    const { client } = await house.clientOf(owner)
    expect((await house.send(listUsers, { query: {} }, client)).status).toBe(200)

    await house.send(putUserPermissions, { params: { id: owner.id }, body: {} }, admin)

    expect((await house.send(listUsers, { query: {} }, client)).refusal).toBe('ErrMissingScope')
  })

  test('of a server is what its owner may there, and nothing elsewhere', async ({ house }) => {
    const [id, other, admin] = [await house.server(), await house.server(), await house.admin()]
    const owner = await house.person({
      scopes: ['users.view'],
      on: { [id]: ['startServer'], [other]: ['startServer'] },
    })
    const { client } = await house.clientOf(owner, id)
    const start = (server: string) => house.ask('POST', `/proxy/daemon/server/${server}/start`, undefined, client)

    const view = await house.send(getServer, { params: { id }, query: { perms: '' } }, client)
    expect(view.answer.permissions).toMatchObject({ startServer: true })
    expect(view.answer.permissions).not.toHaveProperty('stopServer')
    expect((await start(id)).status).toBe(202)
    expect((await start(other)).refusal).toBe('ErrServerNotFound')
    expect((await house.send(listUsers, { query: {} }, client)).refusal).toBe('ErrMissingScope')
    const { servers, paging } = (await house.send(listServers, { query: {} }, client)).answer
    expect([servers.map((server) => server.id), paging.total]).toEqual([[id], 1])
    const usage = await house.send(getUsage, { query: { ids: `${id},${other}` } }, client)
    expect(usage.answer.map((one) => one.id)).toEqual([id])

    await house.send(deleteServerUser, { params: { id, email: owner.email } }, admin)
    expect((await start(id)).status).toBe(401)
  })

  test('of an administrator on a server is everything there, and no more', async ({ house }) => {
    const [id, other, admin] = [await house.server(), await house.server(), await house.admin()]
    const { client } = await house.clientOf(admin, id)

    const view = await house.send(getServer, { params: { id }, query: { perms: '' } }, client)

    expect(view.answer.permissions).toMatchObject({ admin: true, deleteServer: true })
    expect((await house.send(getServer, { params: { id: other }, query: {} }, client)).status).toBe(404)
    expect((await house.send(listServers, { query: {} }, client)).answer.servers).toHaveLength(1)
  })

  test('of a server gives nobody more than its owner has there', async ({ house }) => {
    const id = await house.server()
    const owner = await house.person({ on: { [id]: ['editServerUsers', 'startServer'] } })
    const [{ client }, guest] = [await house.clientOf(owner, id), await house.person()]
    const params = { id, email: guest.email }

    const more = await house.send(putServerUser, { params, body: { stopServer: true } }, client)
    const same = await house.send(putServerUser, { params, body: { startServer: true } }, client)

    expect([more.refusal, same.status]).toEqual(['ErrMissingScope', 204])
  })

  test('is never to change the account, its sessions or its clients', async ({ house }) => {
    const admin = await house.admin()
    const { client } = await house.clientOf(admin)
    const calls = [
      ['PUT', '/api/self', { password: 'x', newPassword: 'long enough' }],
      ['GET', '/api/self/sessions', undefined],
      ['POST', '/api/self/otp', undefined],
      ['POST', '/api/self/oauth2', {}],
      ['GET', '/api/self/oauth2', undefined],
      ['POST', '/auth/reauth', undefined],
      ['POST', '/auth/logout', undefined],
    ] as const

    for (const [method, url, body] of calls) {
      const { status, refusal, headers } = await house.ask(method, url, body, client)
      expect([status, refusal], url).toEqual([403, 'ErrNoPermission'])
      expect(headers).not.toHaveProperty('set-cookie')
    }
    const end = await house.send(endSession, { params: { id: '0'.repeat(64) } }, client)
    expect(end.refusal).toBe('ErrNoPermission')
  })
})
