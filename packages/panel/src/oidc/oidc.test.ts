import { confirmOtp, startOtp } from '@innkeeper/contract/accounts/account'
import { oidcCookie } from '@innkeeper/contract/accounts/auth'
import {
  completeOidcLogin,
  createOidcProvider,
  linkIdentity,
  listIdentities,
  listOidcProviders,
  type OidcProviderInput,
  putOidcProvider,
  startIdentityLink,
  startOidcLogin,
  unlinkIdentity,
} from '@innkeeper/contract/accounts/oidc'
import { listActivity } from '@innkeeper/contract/activity/activity'
import { refusalFrom } from '@innkeeper/contract/errors/refusal-envelope'
import { getConfig, getSelf } from '@innkeeper/contract/settings/panel'
import { Secret, TOTP } from 'otpauth'
import { test as base, expect } from 'vitest'
import { noPassword } from '../database/users.ts'
import { TestOidcProvider } from '../testing/test-oidc-provider.ts'
import { TestPanel, type TestUser } from '../testing/test-panel.ts'

const redirectUrl = 'https://panel.example.org/auth/oidc'

class Site {
  readonly testPanel: TestPanel
  readonly provider: TestOidcProvider
  readonly admin: TestUser
  readonly clock: { offset: number }
  id = ''

  constructor(testPanel: TestPanel, provider: TestOidcProvider, admin: TestUser, clock: { offset: number }) {
    this.testPanel = testPanel
    this.provider = provider
    this.admin = admin
    this.clock = clock
  }

  async setUp(settings: Partial<OidcProviderInput> = {}, { issuer, clientId, clientSecret } = this.provider) {
    const body = {
      ...{ name: 'Keycloak', issuer, clientId, clientSecret, scopes: 'openid email profile' },
      ...{ createsAccounts: false, isTwoFactor: false, ...settings },
    }
    const { status, answer } = await this.testPanel.send(createOidcProvider, { body }, this.admin)
    expect(status).toBe(200)
    return answer.id
  }

  /** Goes to the provider and back. */
  async begin(id = this.id, provider = this.provider) {
    const { path } = startOidcLogin
    const response = await this.testPanel.panel.app.inject({ method: 'POST', url: path.replace(':id', id) })
    const answer = response.json<{ url: string }>()
    const cookie = String(response.headers['set-cookie'] ?? '').split(';')[0] ?? ''
    const refusal = refusalFrom(answer)
    return { cookie, refusal, query: refusal ? '' : await provider.signIn(answer.url) }
  }

  async complete({ query, cookie }: { readonly query: string; readonly cookie: string }) {
    const inject = { method: 'POST', url: completeOidcLogin.path, payload: { query }, headers: { cookie } } as const
    const response = await this.testPanel.panel.app.inject(inject)
    const answer = response.json<{ session?: string; otpNeeded?: boolean }>()
    return { answer, refusal: refusalFrom(answer)?.code }
  }

  async signIn(id = this.id, provider = this.provider) {
    return this.complete(await this.begin(id, provider))
  }

  async link(user: TestUser) {
    const { answer } = await this.testPanel.send(startIdentityLink, { params: { id: this.id } }, user)
    const query = await this.provider.signIn(answer.url)
    return this.testPanel.send(linkIdentity, { body: { query } }, user)
  }

  async whoIs(session: string | undefined): Promise<number> {
    const as = { id: 0, username: '', email: '', token: session ?? '' }
    return (await this.testPanel.send(getSelf, {}, as)).answer.id
  }
}

const test = base.extend<{ site: Site }>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads what a fixture needs from its pattern
  site: async ({}, use) => {
    const clock = { offset: 0 }
    const provider = await TestOidcProvider.start(redirectUrl)
    const testPanel = await TestPanel.start({
      masterUrl: 'https://panel.example.org/',
      oidcAllow: [provider.address],
      now: () => Date.now() + clock.offset,
    })
    const site = new Site(testPanel, provider, await testPanel.admin(), clock)
    site.id = await site.setUp()
    await use(site)
    await testPanel.stop()
    await provider.stop()
  },
})

test('an identity signs in after its user has linked it, until it is unlinked', async ({ site }) => {
  const { testPanel } = site
  const user = await testPanel.createUser()
  expect((await site.signIn()).refusal).toBe('ErrOidcUnknown')

  expect((await site.link(user)).status).toBe(204)

  const { answer } = await site.signIn()
  expect(await site.whoIs(answer.session)).toBe(user.id)
  const [identity] = (await testPanel.send(listIdentities, {}, user)).answer
  expect(identity).toMatchObject({ provider: 'Keycloak', issuer: site.provider.issuer, usedAt: expect.any(String) })
  const { activity } = (await testPanel.send(listActivity, { query: {} }, site.admin)).answer
  expect(activity.map(({ action }) => action)).toEqual(expect.arrayContaining(['session.oidc', 'identity.link']))

  const unlinked = await testPanel.send(unlinkIdentity, { params: { id: identity?.id ?? '' } }, user)
  expect(unlinked.status).toBe(204)
  expect((await site.signIn()).refusal).toBe('ErrOidcUnknown')
})

test('another account cannot link the same identity, nor complete a link that somebody else began', async ({
  site,
}) => {
  const [first, second] = [await site.testPanel.createUser(), await site.testPanel.createUser()]
  await site.link(first)

  expect((await site.link(second)).refusal).toBe('ErrIdentityTaken')
  const { answer } = await site.testPanel.send(startIdentityLink, { params: { id: site.id } }, first)
  const query = await site.provider.signIn(answer.url)
  expect((await site.testPanel.send(linkIdentity, { body: { query } }, second)).refusal).toBe('ErrOidcExpired')
})

test('a new account needs a verified address that no account has', async ({ site }) => {
  const { provider, testPanel } = site
  const id = await site.setUp({ createsAccounts: true })
  const existing = await testPanel.createUser()
  provider.account = { sub: 'a', email: existing.email, email_verified: true }
  expect((await site.signIn(id)).refusal).toBe('ErrOidcEmailTaken')
  provider.account = { sub: 'b', email: 'b@example.org', email_verified: false }
  expect((await site.signIn(id)).refusal).toBe('ErrOidcUnverified')

  provider.account = { sub: 'c', email: 'c@example.org', email_verified: true, preferred_username: existing.username }
  const { answer } = await site.signIn(id)

  const userId = await site.whoIs(answer.session)
  const row = await testPanel.db.selectFrom('users').selectAll().where('id', '=', userId).executeTakeFirstOrThrow()
  expect(row).toMatchObject({ email: 'c@example.org', username: `${existing.username}-2`, password: noPassword })
  expect(row.email_confirmed_at).not.toBeNull()
  expect(await site.whoIs((await site.signIn(id)).answer.session)).toBe(userId)
  const user = { id: userId, username: row.username, email: row.email, token: answer.session ?? '' }
  const [identity] = (await testPanel.send(listIdentities, {}, user)).answer
  const unlinked = await testPanel.send(unlinkIdentity, { params: { id: identity?.id ?? '' } }, user)
  expect(unlinked.refusal).toBe('ErrLastIdentity')
})

test('the same subject and address at another provider is another identity', async ({ site }) => {
  const user = await site.testPanel.createUser()
  await site.link(user)
  await using stack = new AsyncDisposableStack()
  const other = await TestOidcProvider.start(redirectUrl)
  stack.defer(() => other.stop())
  other.account = { sub: site.provider.account.sub, email: user.email, email_verified: true }
  const testPanel = await TestPanel.start({
    databaseUrl: site.testPanel.databaseUrl,
    masterUrl: 'https://panel.example.org',
    oidcAllow: [other.address],
  })
  stack.defer(() => testPanel.stop())
  const elsewhere = new Site(testPanel, other, site.admin, site.clock)

  const id = await elsewhere.setUp({ name: 'Other', createsAccounts: true })

  expect((await elsewhere.signIn(id, other)).refusal).toBe('ErrOidcEmailTaken')
})

test('the second factor is asked, unless the provider counts as two', async ({ site }) => {
  const user = await site.testPanel.createUser()
  await site.link(user)
  const { secret } = (await site.testPanel.send(startOtp, {}, user)).answer
  const token = TOTP.generate({ secret: Secret.fromBase32(secret) })
  await site.testPanel.send(confirmOtp, { body: { token } }, user)

  expect((await site.signIn()).answer).toMatchObject({ otpNeeded: true })
  const id = await site.setUp({ name: 'Both', isTwoFactor: true })
  expect(await site.whoIs((await site.signIn(id)).answer.session)).toBe(user.id)
})

test('of 20 sign-ins at once with one code one works, and none in another browser', async ({ site }) => {
  await site.link(await site.testPanel.createUser())
  const begun = await site.begin()

  expect((await site.complete({ ...begun, cookie: `${oidcCookie}=another` })).refusal).toBe('ErrOidcExpired')
  const replies = await Promise.all(Array.from({ length: 20 }, () => site.complete(begun)))

  expect(replies.filter(({ answer }) => answer.session !== undefined)).toHaveLength(1)
  expect(new Set(replies.map(({ refusal }) => refusal))).toEqual(new Set([undefined, 'ErrOidcExpired']))
})

test('a code for another sign-in, a wrong nonce and a refusal at the provider do not sign in', async ({ site }) => {
  await site.link(await site.testPanel.createUser())
  const [one, two] = [await site.begin(), await site.begin()]
  const mixed = new URLSearchParams(one.query)
  mixed.set('code', new URLSearchParams(two.query).get('code') ?? '')
  // PKCE: the provider knows the verifier of the other sign-in.
  expect((await site.complete({ ...one, query: mixed.toString() })).refusal).toBe('ErrOidcRefused')

  const begun = await site.begin()
  await site.testPanel.db.updateTable('oidc_requests').set({ nonce: 'another' }).execute()
  expect((await site.complete(begun)).refusal).toBe('ErrOidcInvalid')

  const denied = await site.begin()
  const refusal = new URLSearchParams(denied.query)
  refusal.delete('code')
  refusal.set('error', 'access_denied')
  expect((await site.complete({ ...denied, query: refusal.toString() })).refusal).toBe('ErrOidcRefused')
})

test('clocks may differ a little, and new keys of the provider work at once', async ({ site }) => {
  await site.link(await site.testPanel.createUser())
  // ID tokens live for 60 s.
  site.clock.offset = 100_000
  expect((await site.signIn()).answer.session).toBeDefined()
  site.clock.offset = 200_000
  expect((await site.signIn()).refusal).toBe('ErrOidcClock')
  site.clock.offset = 0

  await site.provider.rotateKeys()

  expect((await site.signIn()).answer.session).toBeDefined()
})

test('a provider that cannot be reached, or has a private address, is named with the cause', async ({ site }) => {
  const gone = await TestOidcProvider.start(redirectUrl)
  const body = { name: 'Gone', issuer: gone.issuer, clientId: 'x', clientSecret: 'y', scopes: '' }
  const input = { ...body, createsAccounts: false, isTwoFactor: false }
  expect((await site.testPanel.send(createOidcProvider, { body: input }, site.admin)).refusal).toBe('ErrFieldInvalid')
  await gone.stop()

  await site.provider.stop()

  expect((await site.begin()).refusal).toMatchObject({ code: 'ErrOidcUnavailable', metadata: { provider: 'Keycloak' } })
})

test('the secret is never shown, and stays with its issuer and client', async ({ site }) => {
  const { answer, status } = await site.testPanel.send(listOidcProviders, {}, site.admin)
  expect(status).toBe(200)
  expect(JSON.stringify(answer)).not.toContain(site.provider.clientSecret)
  expect(answer[0]?.redirectUrl).toBe(redirectUrl)
  const { config } = { config: (await site.testPanel.send(getConfig, {})).answer }
  expect(config.oidcProviders).toEqual([{ id: site.id, name: 'Keycloak' }])

  const change = { name: 'K', issuer: site.provider.issuer, clientId: 'other', scopes: '' }
  const body = { ...change, createsAccounts: false, isTwoFactor: false }
  const moved = await site.testPanel.send(putOidcProvider, { params: { id: site.id }, body }, site.admin)
  expect(moved.refusal).toBe('ErrFieldRequired')
})
