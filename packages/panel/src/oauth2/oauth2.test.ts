import { randomUUID } from 'node:crypto'
import { endSession } from '@innkeeper/contract/accounts/account'
import {
  createAccountClient,
  createServerClient,
  deleteAccountClient,
  deleteServerClient,
  listAccountClients,
  listServerClients,
} from '@innkeeper/contract/accounts/oauth2'
import { deleteServerUser, putServerUser } from '@innkeeper/contract/accounts/server-users'
import { listUsers, putUserPermissions } from '@innkeeper/contract/accounts/users'
import { listActivity } from '@innkeeper/contract/activity/activity'
import { getServer, getUsage, listServers } from '@innkeeper/contract/servers/servers'
import { getSelf } from '@innkeeper/contract/settings/panel'
import { postSettings } from '@innkeeper/contract/settings/settings'
import bcrypt from 'bcryptjs'
import { describe, expect } from 'vitest'
import { maxLoginAttempts, maxLoginAttemptsPerAddress } from '../security/rate-limiter.ts'
import { hashToken } from '../security/secrets.ts'
import { TestPanel, test } from '../testing/test-panel.ts'
import { accessTokenLifetimeMs, maxClients } from './clients.ts'

interface Asking {
  readonly basic?: string
  readonly type?: string
  readonly address?: string
}

async function ask(testPanel: TestPanel, form: Readonly<Record<string, string>> | string, how: Asking = {}) {
  const { basic, type = 'application/x-www-form-urlencoded', address = '127.0.0.1' } = how
  const response = await testPanel.panel.app.inject({
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
  test('is issued for an imported client, whose bcrypt hash is replaced', async ({ testPanel }) => {
    const { id } = await testPanel.createClient(await testPanel.admin())
    const imported = await bcrypt.hash('an imported secret', 4)
    const clients = testPanel.db.selectFrom('oauth2_clients').select('secret').where('id', '=', id)
    await testPanel.db.updateTable('oauth2_clients').set({ secret: imported }).where('id', '=', id).execute()
    const askWith = (client_secret: string) => ask(testPanel, { grant_type, client_id: id, client_secret })

    const wrong = await askWith('another secret')
    const unchanged = await clients.executeTakeFirstOrThrow()
    const right = await askWith('an imported secret')
    const replaced = await clients.executeTakeFirstOrThrow()
    const again = await askWith('an imported secret')

    expect([wrong.status, right.status, again.status]).toEqual([400, 200, 200])
    expect(unchanged.secret).toBe(imported)
    expect(replaced.secret).toBe(hashToken('an imported secret'))
  })

  test('is issued for ID and secret in the form, and is not cacheable', async ({ testPanel }) => {
    const { id, secret } = await testPanel.createClient(await testPanel.admin())

    const { status, body, headers } = await ask(testPanel, { grant_type, client_id: id, client_secret: secret })

    expect(status).toBe(200)
    expect(body).toEqual({
      access_token: expect.stringMatching(/^client\.[\w-]{43}$/),
      token_type: 'Bearer',
      expires_in: 3600,
      scope: 'oauth2.auth',
    })
    expect(headers).toMatchObject({ 'cache-control': 'no-store', pragma: 'no-cache' })
    const kept = await testPanel.db.selectFrom('oauth2_tokens').selectAll().execute()
    expect(JSON.stringify(kept)).not.toContain(String(body.access_token).slice('client.'.length))
    const clients = await testPanel.db.selectFrom('oauth2_clients').selectAll().execute()
    expect(JSON.stringify(clients)).not.toContain(secret)
  })

  test('is issued for HTTP Basic, where both parts are form-encoded', async ({ testPanel }) => {
    const { id, secret } = await testPanel.createClient(await testPanel.admin())
    const encoded = `${id.replaceAll('-', '%2D')}:${secret}`

    for (const basic of [`${id}:${secret}`, encoded]) {
      expect((await ask(testPanel, { grant_type }, { basic })).status).toBe(200)
    }
  })

  test('expires after an hour', async () => {
    let now = Date.now()
    const testPanel = await TestPanel.start({ now: () => now })
    const { client } = await testPanel.createClient(await testPanel.admin())
    now += accessTokenLifetimeMs - 1_000
    expect((await testPanel.send(getSelf, {}, client)).status).toBe(200)

    now += 2_000

    expect((await testPanel.send(getSelf, {}, client)).status).toBe(401)
    await testPanel.stop()
  })

  test('does not accumulate when a program requests many', async ({ testPanel }) => {
    const { id, secret } = await testPanel.createClient(await testPanel.admin())

    for (let at = 0; at < 105; at++) await ask(testPanel, { grant_type, client_id: id, client_secret: secret })

    expect(await testPanel.db.selectFrom('oauth2_tokens').select('id').execute()).toHaveLength(100)
  })
})

describe('errors have the format of RFC 6749', () => {
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
  ] as const)('%j %j', async ([form, how, status, error], { testPanel }) => {
    const { id, secret } = await testPanel.createClient(await testPanel.admin())
    await testPanel.db.deleteFrom('oauth2_tokens').execute()
    const filled = (text: string) => text.replace('ID', id).replace('SECRET', secret)
    const sent =
      typeof form === 'string'
        ? filled(form)
        : Object.fromEntries(Object.entries(form).map(([key, value]) => [key, filled(value)]))
    const basic = 'basic' in how ? { basic: filled(how.basic) } : {}

    const reply = await ask(testPanel, sent, { ...how, ...basic })

    expect([reply.status, reply.body.error]).toEqual([status, error])
    expect(reply.headers['cache-control']).toBe('no-store')
    if (status === 401) expect(reply.headers['www-authenticate']).toBe('Basic realm="oauth2"')
    expect(await testPanel.db.selectFrom('oauth2_tokens').selectAll().execute()).toEqual([])
  })

  test('guesses are rate-limited per address', async ({ testPanel }) => {
    const { id, secret } = await testPanel.createClient(await testPanel.admin())
    const wrong = { grant_type, client_id: id, client_secret: 'guess' }
    for (let tried = 0; tried < maxLoginAttempts; tried++) await ask(testPanel, wrong, { address: '10.6.6.6' })

    const right = { ...wrong, client_secret: secret }
    const guesser = await ask(testPanel, right, { address: '10.6.6.6' })
    const owner = await ask(testPanel, right, { address: '10.0.0.1' })

    expect([guesser.status, guesser.body.error]).toEqual([429, 'temporarily_unavailable'])
    expect(Number(guesser.headers['retry-after'])).toBeGreaterThan(0)
    expect(owner.status).toBe(200)
  })

  test('concurrent guesses do not exceed the limit', async ({ testPanel }) => {
    const { id } = await testPanel.createClient(await testPanel.admin())
    const wrong = { grant_type, client_id: id, client_secret: 'guess' }

    const guesses = Array.from({ length: 3 * maxLoginAttempts }, () => ask(testPanel, wrong, { address: '10.6.6.6' }))
    const statuses = (await Promise.all(guesses)).map(({ status }) => status)

    expect(statuses.filter((status) => status === 400)).toHaveLength(maxLoginAttempts)
    expect(statuses.filter((status) => status === 429)).toHaveLength(2 * maxLoginAttempts)
  })

  test('concurrent guesses at several clients do not exceed the limit of their address', async ({ testPanel }) => {
    const clients = maxLoginAttemptsPerAddress / maxLoginAttempts + 1
    const ids = Array.from({ length: clients }, () => randomUUID())

    const guesses = ids.flatMap((client_id) =>
      Array.from({ length: maxLoginAttempts }, () =>
        ask(testPanel, { grant_type, client_id, client_secret: 'guess' }, { address: '10.6.6.6' }),
      ),
    )
    const statuses = (await Promise.all(guesses)).map(({ status }) => status)

    expect(statuses.filter((status) => status === 400)).toHaveLength(maxLoginAttemptsPerAddress)
  })

  test('a program may request many tokens concurrently, which leaves no counted attempts', async ({ testPanel }) => {
    const { id, secret } = await testPanel.createClient(await testPanel.admin())
    const right = { grant_type, client_id: id, client_secret: secret }

    const responses = Array.from({ length: 3 * maxLoginAttempts }, () => ask(testPanel, right))
    const statuses = (await Promise.all(responses)).map(({ status }) => status)

    expect(new Set(statuses)).toEqual(new Set([200]))
    expect((await testPanel.db.selectFrom('tries').select('count').where('count', '>', 0).execute()).length).toBe(0)
  })

  test('a session is not a client, and a large form is rejected', async ({ testPanel }) => {
    const admin = await testPanel.admin()

    const session = await ask(testPanel, { grant_type, client_id: String(admin.id), client_secret: admin.token })
    const endless = await ask(testPanel, `grant_type=${'x'.repeat(100_000)}`)

    expect(session.body.error).toBe('invalid_client')
    expect(endless.status).toBe(413)
  })
})

describe('clients', () => {
  test('of the account and of a server are separate, and their secret is returned once', async ({ testPanel }) => {
    const [admin, id] = [await testPanel.admin(), await testPanel.server()]
    const account = await testPanel.send(createAccountClient, { body: { name: ' Bot ', description: 'it' } }, admin)
    const server = await testPanel.send(createServerClient, { params: { id }, body: {} }, admin)

    const [ofAccount, ofServer] = [
      await testPanel.send(listAccountClients, {}, admin),
      await testPanel.send(listServerClients, { params: { id } }, admin),
    ]

    expect(account.answer.secret).toMatch(/^[\w-]{43}$/)
    expect(ofAccount.answer).toMatchObject([{ client_id: account.answer.id, name: 'Bot', description: 'it' }])
    expect(ofServer.answer).toMatchObject([{ client_id: server.answer.id, name: '', description: '' }])
  })

  test('of other users, or of another server, are not found', async ({ testPanel }) => {
    const id = await testPanel.server()
    const [owner, other] = [
      await testPanel.createUser({ on: { [id]: [] } }),
      await testPanel.createUser({ on: { [id]: [] } }),
    ]
    const { answer: account } = await testPanel.send(createAccountClient, { body: {} }, owner)
    const { answer: server } = await testPanel.send(createServerClient, { params: { id }, body: {} }, owner)

    const replies = [
      await testPanel.send(deleteAccountClient, { params: { id: account.id } }, other),
      await testPanel.send(deleteAccountClient, { params: { id: server.id } }, owner),
      await testPanel.send(deleteServerClient, { params: { id, clientId: account.id } }, owner),
      await testPanel.send(deleteServerClient, { params: { id, clientId: server.id } }, other),
      await testPanel.send(deleteAccountClient, { params: { id: 'none' } }, owner),
    ]

    expect(replies.map(({ status, refusal }) => [status, refusal])).toEqual(Array(5).fill([404, 'ErrClientNotFound']))
    expect((await testPanel.send(listServerClients, { params: { id } }, other)).answer).toEqual([])
    expect(await testPanel.db.selectFrom('oauth2_clients').selectAll().execute()).toHaveLength(2)
  })

  test('that are deleted end with their tokens immediately', async ({ testPanel }) => {
    const admin = await testPanel.admin()
    const { id, client } = await testPanel.createClient(admin)
    expect((await testPanel.send(getSelf, {}, client)).status).toBe(200)

    const { status } = await testPanel.send(deleteAccountClient, { params: { id } }, admin)

    expect(status).toBe(204)
    expect((await testPanel.send(getSelf, {}, client)).status).toBe(401)
  })

  test('that are deleted twice concurrently cause one mail with their name', async ({ testPanel }) => {
    const admin = await testPanel.admin()
    const mail = { 'panel.email.provider': 'smtp', 'panel.email.host': 'smtp://127.0.0.1:1' }
    await testPanel.send(postSettings, { body: { ...mail, 'panel.email.from': 'panel@example.org' } }, admin)
    const { answer } = await testPanel.send(createAccountClient, { body: { name: 'Bot' } }, admin)

    const removing = [1, 2].map(() => testPanel.send(deleteAccountClient, { params: { id: answer.id } }, admin))
    const statuses = (await Promise.all(removing)).map(({ status }) => status)

    expect(statuses.toSorted()).toEqual([204, 404])
    const mails = await testPanel.db.selectFrom('mails').select('kind').where('kind', '=', 'oauthDeleted').execute()
    expect(mails).toHaveLength(1)
    const { activity } = (await testPanel.send(listActivity, { query: { action: 'client.delete' } }, admin)).answer
    expect(activity.filter(({ result }) => result === 'done').map(({ target }) => target)).toEqual(['Bot'])
  })

  test('have a maximum number', async ({ testPanel }) => {
    const admin = await testPanel.admin()
    for (let at = 0; at < maxClients; at++) await testPanel.send(createAccountClient, { body: {} }, admin)

    const { status, refusal } = await testPanel.send(createAccountClient, { body: {} }, admin)

    expect([status, refusal]).toEqual([409, 'ErrTooMany'])
  })

  test.for([{ user_id: 1 }, { server_id: 'x' }, { secret: 'mine' }, { id: 'mine' }])(
    'cannot be created with %j',
    async (body, { testPanel }) => {
      const { status } = await testPanel.request('POST', '/api/self/oauth2', body, await testPanel.admin())

      expect(status).toBe(400)
    },
  )
})

describe('what a client may do', () => {
  test('is what its owner may currently do', async ({ testPanel }) => {
    const [admin, owner] = [await testPanel.admin(), await testPanel.createUser({ scopes: ['users.view'] })]
    const { client } = await testPanel.createClient(owner)
    expect((await testPanel.send(listUsers, { query: {} }, client)).status).toBe(200)

    await testPanel.send(putUserPermissions, { params: { id: owner.id }, body: {} }, admin)

    expect((await testPanel.send(listUsers, { query: {} }, client)).refusal).toBe('ErrMissingScope')
  })

  test("on a server is limited to its owner's permissions there", async ({ testPanel }) => {
    const [id, other, admin] = [await testPanel.server(), await testPanel.server(), await testPanel.admin()]
    const owner = await testPanel.createUser({
      scopes: ['users.view'],
      on: { [id]: ['startServer'], [other]: ['startServer'] },
    })
    const { client } = await testPanel.createClient(owner, id)
    const start = (server: string) =>
      testPanel.request('POST', `/proxy/daemon/server/${server}/start`, undefined, client)

    const view = await testPanel.send(getServer, { params: { id }, query: { perms: '' } }, client)
    expect(view.answer.permissions).toMatchObject({ startServer: true })
    expect(view.answer.permissions).not.toHaveProperty('stopServer')
    expect((await start(id)).status).toBe(202)
    expect((await start(other)).refusal).toBe('ErrServerNotFound')
    expect((await testPanel.send(listUsers, { query: {} }, client)).refusal).toBe('ErrMissingScope')
    const { servers, paging } = (await testPanel.send(listServers, { query: {} }, client)).answer
    expect([servers.map((server) => server.id), paging.total]).toEqual([[id], 1])
    const usage = await testPanel.send(getUsage, { query: { ids: `${id},${other}` } }, client)
    expect(usage.answer.map((one) => one.id)).toEqual([id])

    await testPanel.send(deleteServerUser, { params: { id, email: owner.email } }, admin)
    expect((await start(id)).status).toBe(401)
  })

  test('for an administrator on a server is everything there, and nothing else', async ({ testPanel }) => {
    const [id, other, admin] = [await testPanel.server(), await testPanel.server(), await testPanel.admin()]
    const { client } = await testPanel.createClient(admin, id)

    const view = await testPanel.send(getServer, { params: { id }, query: { perms: '' } }, client)

    expect(view.answer.permissions).toMatchObject({ admin: true, deleteServer: true })
    expect((await testPanel.send(getServer, { params: { id: other }, query: {} }, client)).status).toBe(404)
    expect((await testPanel.send(listServers, { query: {} }, client)).answer.servers).toHaveLength(1)
  })

  test("on a server does not exceed its owner's permissions there", async ({ testPanel }) => {
    const id = await testPanel.server()
    const owner = await testPanel.createUser({ on: { [id]: ['editServerUsers', 'startServer'] } })
    const [{ client }, guest] = [await testPanel.createClient(owner, id), await testPanel.createUser()]
    const params = { id, email: guest.email }

    const more = await testPanel.send(putServerUser, { params, body: { stopServer: true } }, client)
    const same = await testPanel.send(putServerUser, { params, body: { startServer: true } }, client)

    expect([more.refusal, same.status]).toEqual(['ErrMissingScope', 204])
  })

  test('never includes changing the account, its sessions or its clients', async ({ testPanel }) => {
    const admin = await testPanel.admin()
    const { client } = await testPanel.createClient(admin)
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
      const { status, refusal, headers } = await testPanel.request(method, url, body, client)
      expect([status, refusal], url).toEqual([403, 'ErrNoPermission'])
      expect(headers).not.toHaveProperty('set-cookie')
    }
    const end = await testPanel.send(endSession, { params: { id: '0'.repeat(64) } }, client)
    expect(end.refusal).toBe('ErrNoPermission')
  })
})
