import { disableOtp } from '@innkeeper/contract/accounts/account'
import { login } from '@innkeeper/contract/accounts/auth'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { sendCommand } from '@innkeeper/contract/servers/node-servers'
import { getSelf } from '@innkeeper/contract/settings/panel'
import { secretSettings } from '@innkeeper/contract/settings/settings'
import { beforeEach, expect, test, vi } from 'vitest'
import { FakePanel } from '../testing/fake-panel.ts'
import { getRequestDetails, redact, request, sessionLost } from './request.ts'
import { storeToken } from './token.ts'

let panel: FakePanel
beforeEach(() => {
  panel = new FakePanel()
  vi.stubGlobal('fetch', panel.fetch)
})

const readFailure = (asking: Promise<unknown>) =>
  asking.then(
    () => undefined,
    (error: unknown) => error,
  )

test('a refusal keeps its code and values, and the record hides passwords and the token', async () => {
  storeToken('secret-token-of-mara')
  panel.respond(login, new Refusal('ErrFieldRequired', { field: 'email' }))

  const failure = await readFailure(request(login, { body: { email: '', password: 'hunter22' } }))

  expect(failure).toBeInstanceOf(Refusal)
  expect(failure).toMatchObject({ code: 'ErrFieldRequired', metadata: { field: 'email' } })
  expect(getRequestDetails(failure)).toMatchObject({ method: 'POST', path: '/auth/login', status: 400 })
  expect(getRequestDetails(failure)?.body).toEqual({ email: '', password: '********' })
  expect(getRequestDetails(failure)?.authorization).toBe('Bearer secret…')
})

test('the record hides a code in the path', async () => {
  panel.respond(disableOtp, new Refusal('ErrNoPermission'))

  const failure = await readFailure(request(disableOtp, { params: { token: '123456' } }))

  expect(getRequestDetails(failure)?.path).toBe('/api/self/otp/********')
})

test.each(secretSettings)('the secret setting %s is hidden', (key) => {
  expect(redact({ [key]: 'hunter22', 'panel.email.host': 'mail' })).toEqual({
    [key]: '********',
    'panel.email.host': 'mail',
  })
})

test('the value of a secret variable is hidden, and its description is not', () => {
  const variable = { type: 'string', value: 'hunter22' }

  expect(redact({ data: { 'rcon-password': variable, motd: variable } })).toEqual({
    data: { 'rcon-password': { ...variable, value: '********' }, motd: variable },
  })
})

test('a refusal whose code this version does not know keeps its code and message', async () => {
  const error = { code: 'ErrMoonFull', msg: 'The ${thing} is full', metadata: { thing: 'moon' } }
  vi.stubGlobal('fetch', async () => Response.json({ error }, { status: 409 }))

  expect(await readFailure(request(getSelf, {}))).toMatchObject({
    code: 'ErrUnknownError',
    message: 'The moon is full',
    unknown: { code: 'ErrMoonFull' },
  })
})

test.each([403, 404, 413, 502])(
  'a page of a proxy with status %i is an unknown error, and no answer of the panel',
  async (status) => {
    vi.stubGlobal('fetch', async () => new Response('<h1>No</h1>', { status }))

    const failure = await readFailure(request(getSelf, {}))

    expect(failure).toMatchObject({ code: 'ErrUnknownError' })
    expect(getRequestDetails(failure)?.status).toBe(status)
  },
)

test('only the status 401 of a proxy has its meaning: the session is lost', async () => {
  vi.stubGlobal('fetch', async () => new Response('<h1>Sign in</h1>', { status: 401 }))

  expect(await readFailure(request(getSelf, {}))).toMatchObject({ code: 'ErrSessionTimedOut' })
})

test('a network error and a refusal are different errors', async () => {
  vi.stubGlobal('fetch', async () => {
    throw new TypeError('Failed to fetch')
  })

  const failure = await readFailure(request(getSelf, {}))

  expect(getRequestDetails(failure)?.status).toBe(0)
})

test('an answer that does not match its schema is an error', async () => {
  vi.stubGlobal('fetch', async () => new Response('{"id":"one"}', { status: 200 }))

  expect(await readFailure(request(getSelf, {}))).toMatchObject({ code: 'ErrUnknownError' })
})

test('a lost session is announced with the token that was lost', async () => {
  storeToken('old')
  panel.respond(getSelf, new Refusal('ErrSessionTimedOut'))
  const lost = new Promise((resolve) => sessionLost.on(resolve))

  await readFailure(request(getSelf, {}))

  expect(await lost).toBe('old')
})

test('an expired session is reported after the token was removed', async () => {
  panel.respond(getSelf, new Refusal('ErrSessionTimedOut'))
  const lost = new Promise((resolve) => sessionLost.on(resolve))

  await readFailure(request(getSelf, {}))

  expect(await lost).toBeUndefined()
})

test('a text body is sent unchanged', async () => {
  const sent: RequestInit[] = []
  vi.stubGlobal('fetch', async (_: string, init: RequestInit) => {
    sent.push(init)
    return new Response(null, { status: 204 })
  })

  await request(sendCommand, { params: { id: '0a1b2c3d' }, body: 'say hello' })

  expect(sent[0]?.body).toBe('say hello')
  expect(new Headers(sent[0]?.headers).get('content-type')).toBe('text/plain')
})
