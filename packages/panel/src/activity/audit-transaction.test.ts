import { createHash } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { login, pendingLoginCookie } from '@innkeeper/contract/accounts/auth'
import { createOidcProvider } from '@innkeeper/contract/accounts/oidc'
import {
  startPasskey,
  startPasskeyConfirmation,
  startPasskeyLogin,
  startPasskeyOtp,
} from '@innkeeper/contract/accounts/passkeys'
import { createRole } from '@innkeeper/contract/accounts/roles'
import { addSshKey } from '@innkeeper/contract/accounts/ssh-keys'
import { createAlertChannel, createServerAlertChannel } from '@innkeeper/contract/alerts/alerts'
import { type Endpoint, getPanelUrl } from '@innkeeper/contract/api/endpoint'
import { endpoints } from '@innkeeper/contract/endpoints'
import { createJoinToken } from '@innkeeper/contract/nodes/join-tokens'
import { createNode } from '@innkeeper/contract/nodes/nodes'
import { defaultPlacement } from '@innkeeper/contract/nodes/placement'
import { putOrder, suspendOrder } from '@innkeeper/contract/orders/orders'
import { putPlan } from '@innkeeper/contract/orders/plans'
import { suspendServer } from '@innkeeper/contract/servers/suspension'
import { postSettings } from '@innkeeper/contract/settings/settings'
import { putTheme } from '@innkeeper/contract/settings/themes'
import { putTemplate } from '@innkeeper/contract/templates/templates'
import { writeTar } from '@innkeeper/contract/theme/tar'
import { Secret, TOTP } from 'otpauth'
import pino from 'pino'
import { expect, test as plain } from 'vitest'
import { databaseSnapshot } from '../testing/database-snapshot.ts'
import { addTestPasskey, TestAuthenticator } from '../testing/test-authenticator.ts'
import { password, TestPanel, type TestUser } from '../testing/test-panel.ts'

/** Arguments of a request and its user; the administrator by default. */
interface TestRequest {
  readonly params?: Record<string, unknown>
  readonly body?: unknown
  readonly as?: TestUser | 'nobody'
  readonly cookie?: string
}

interface Fixture {
  readonly testPanel: TestPanel
  readonly admin: TestUser
  readonly server: string
  readonly user: TestUser
}

const getDigest = (text: string) => createHash('sha256').update(text).digest('hex')
const future = Date.now() + 3_600_000
const token = 'a-token-that-only-they-got'
const recovery = 'ABCD-EFGH-JKMN-PQRS'
const newcomer = { username: 'newcomer', email: 'newcomer@example.org', password: 'long enough' }
const definition = { type: 'test', run: {}, data: {} }
const alertChannel = {
  name: 'ops',
  type: 'ntfy' as const,
  target: 'https://ntfy.example.org/ops',
  alerts: ['crashed' as const],
}
const oidcProvider = {
  ...{ name: 'x', issuer: 'https://sso.example.org', clientId: 'x', scopes: '' },
  ...{ createsAccounts: false, isTwoFactor: false },
}
const sshKey = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAILz6rkDKeLiCyOZhYyDaRHq7BPGwIzS2/0AgVkYp7m1s mara@desk'
const archive = Buffer.from(writeTar([{ name: 'theme.json', bytes: Buffer.from('{"colors":{}}') }])).toString('base64')

const orderKey = { shop: 'shop', order: '1' }
const planBody = { template: 'a-name', node: 0 }

async function plan({ testPanel, admin }: Fixture): Promise<void> {
  await testPanel.send(putTemplate, { params: { name: 'a-name' }, body: definition }, admin)
  await testPanel.send(putPlan, { params: { name: 'small' }, body: planBody }, admin)
}

async function order(fixture: Fixture): Promise<void> {
  await plan(fixture)
  const { testPanel, admin } = fixture
  const body = { plan: 'small', owner: { email: 'owner@example.org' } }
  expect((await testPanel.send(putOrder, { params: orderKey, body }, admin)).status).toBe(200)
}

async function setMasterUrl({ testPanel, admin }: Fixture): Promise<void> {
  const body = { 'panel.settings.masterUrl': 'https://panel.example.org' }
  expect((await testPanel.send(postSettings, { body }, admin)).status).toBe(204)
}

async function passkeyOf(fixture: Fixture, user: TestUser): Promise<TestAuthenticator> {
  await setMasterUrl(fixture)
  return (await addTestPasskey(fixture.testPanel, user)).authenticator
}

async function passkeyId({ testPanel }: Fixture): Promise<string> {
  return (await testPanel.db.selectFrom('passkeys').select('id').executeTakeFirstOrThrow()).id
}

async function role({ testPanel, admin }: Fixture): Promise<string> {
  return (await testPanel.send(createRole, { body: { name: 'Support' } }, admin)).answer.id
}

/** Prepares a successful request for each endpoint, and returns its arguments. */
const requests: Readonly<Record<string, (fixture: Fixture) => Promise<TestRequest> | TestRequest>> = {
  login: ({ user }) => ({ as: 'nobody', body: { email: user.email, password } }),
  async otp({ testPanel, user }) {
    await switchOn(testPanel, user)
    const row = { id: getDigest(token), user_id: user.id, tries: 0, expires_at: future }
    await testPanel.db.insertInto('pending_logins').values(row).execute()
    return { as: 'nobody', cookie: `${pendingLoginCookie}=${token}`, body: { token: recovery } }
  },
  async loginWithPasskey(fixture) {
    const { testPanel, user } = fixture
    const authenticator = await passkeyOf(fixture, user)
    const { answer } = await testPanel.send(startPasskeyLogin, {})
    return { as: 'nobody', body: { passkey: authenticator.get(answer) } }
  },
  async otpWithPasskey(fixture) {
    const { testPanel, user } = fixture
    const authenticator = await passkeyOf(fixture, user)
    const row = { id: getDigest(token), user_id: user.id, tries: 0, expires_at: future }
    await testPanel.db.insertInto('pending_logins').values(row).execute()
    const cookie = `${pendingLoginCookie}=${token}`
    const { path, method } = startPasskeyOtp
    const options = await testPanel.panel.app.inject({ method, url: path, headers: { cookie } })
    return { as: 'nobody', cookie, body: { passkey: authenticator.get(options.json()) } }
  },
  logout: ({ user }) => ({ as: user }),
  async register({ testPanel, admin }) {
    await testPanel.send(postSettings, { body: { 'panel.registrationEnabled': true } }, admin)
    return { as: 'nobody', body: newcomer }
  },
  async acceptInvite(fixture) {
    await invite(fixture)
    const { email, ...who } = newcomer
    return { as: 'nobody', body: { token, email, ...who } }
  },
  async resetPassword({ testPanel, user }) {
    const row = { token: getDigest(token), user_id: user.id, created_at: 0, expires_at: future }
    await testPanel.db.insertInto('password_resets').values(row).execute()
    return { as: 'nobody', body: { token, password: 'another one' } }
  },

  putSelf: () => ({ body: { password, newPassword: 'another one' } }),
  async confirmEmail({ testPanel, user }) {
    const row = { token: getDigest(token), user_id: user.id, expires_at: future }
    await testPanel.db.insertInto('email_confirmations').values(row).execute()
    return { as: user, body: { token } }
  },
  async acceptInviteAsSelf(fixture) {
    const { testPanel, user } = fixture
    await invite(fixture)
    const { email } = newcomer
    await testPanel.db.updateTable('users').set({ email, email_key: email }).where('id', '=', user.id).execute()
    return { as: user, body: { token } }
  },
  startOtp: () => ({}),
  async confirmOtp({ testPanel, admin }) {
    const secret = new Secret({ size: 20 }).base32
    await testPanel.db
      .insertInto('two_factor')
      .values({ user_id: admin.id, secret, is_on: 0, last_step: 0, created_at: 0 })
      .execute()
    return { body: { token: TOTP.generate({ secret: Secret.fromBase32(secret) }) } }
  },
  async disableOtp({ testPanel, admin }) {
    await switchOn(testPanel, admin)
    return { params: { token: recovery } }
  },
  confirmPassword: () => ({ body: { password } }),
  async confirmWithPasskey(fixture) {
    const { testPanel, admin } = fixture
    const authenticator = await passkeyOf(fixture, admin)
    const { answer } = await testPanel.send(startPasskeyConfirmation, {}, admin)
    return { body: { passkey: authenticator.get(answer) } }
  },
  async addPasskey(fixture) {
    await setMasterUrl(fixture)
    const { answer } = await fixture.testPanel.send(startPasskey, {}, fixture.admin)
    return { body: { name: 'laptop', passkey: new TestAuthenticator().create(answer) } }
  },
  async renamePasskey(fixture) {
    await passkeyOf(fixture, fixture.admin)
    return { params: { id: await passkeyId(fixture) }, body: { name: 'desk' } }
  },
  async removePasskey(fixture) {
    await passkeyOf(fixture, fixture.admin)
    return { params: { id: await passkeyId(fixture) } }
  },
  async renewRecoveryCodes({ testPanel, admin }) {
    await switchOn(testPanel, admin)
    return { body: { token: recovery } }
  },
  createAccountClient: () => ({ body: { name: 'a program' } }),
  async putAccountClient({ testPanel, admin }) {
    const { id } = await testPanel.createClient(admin)
    return { params: { id }, body: { name: 'a program', description: '' } }
  },
  deleteAccountClient: async ({ testPanel, admin }) => ({ params: { id: (await testPanel.createClient(admin)).id } }),
  endSession: ({ user }) => ({ as: user, params: { id: getDigest(user.token) } }),
  async endOtherSessions({ testPanel, admin }) {
    await testPanel.send(login, { body: { email: admin.email, password } })
    return {}
  },

  addSshKey: () => ({ body: { key: sshKey, password } }),
  async removeSshKey({ testPanel, admin }) {
    const added = await testPanel.send(addSshKey, { body: { key: sshKey, password } }, admin)
    return { params: { id: added.answer?.id } }
  },
  createDownload: ({ server }) => ({ params: { id: server }, body: { paths: ['server.log'] } }),

  createBackupDownload: ({ server }) => ({ params: { id: server, backup: '0123456789abcdef' }, body: {} }),

  createUser: () => ({ body: newcomer }),
  editUser: ({ user }) => ({ params: { id: user.id }, body: { username: 'renamed' } }),
  deleteUser: ({ user }) => ({ params: { id: user.id } }),
  confirmUserEmail: ({ user }) => ({ params: { id: user.id } }),
  async resetUserOtp({ testPanel, user }) {
    await switchOn(testPanel, user)
    return { params: { id: user.id } }
  },
  putUserPermissions: ({ user }) => ({ params: { id: user.id }, body: { viewNodes: true } }),
  createRole: () => ({ body: { name: 'Support' } }),
  putRole: async (fixture) => ({ params: { id: await role(fixture) }, body: { name: 'Help' } }),
  deleteRole: async (fixture) => ({ params: { id: await role(fixture) } }),
  async putUserRoles(fixture) {
    return { params: { id: fixture.user.id }, body: { roles: [{ role: await role(fixture) }] } }
  },
  async createInvite({ testPanel, admin }) {
    const body = {
      'panel.settings.masterUrl': 'https://panel.example.org',
      'panel.email.provider': 'smtp',
      'panel.email.host': 'smtp://127.0.0.1:9',
      'panel.email.from': 'panel@example.org',
    } as const
    await testPanel.send(postSettings, { body }, admin)
    return { body: { email: newcomer.email } }
  },
  deleteInvite: async (fixture) => ({ params: { id: await invite(fixture) } }),

  async signInByLink({ testPanel, user }) {
    const row = { token: getDigest(token), user_id: user.id, expires_at: future }
    await testPanel.db.insertInto('sign_in_links').values(row).execute()
    return { as: 'nobody', body: { token } }
  },
  async putPlan(fixture) {
    await plan(fixture)
    return { params: { name: 'big' }, body: planBody }
  },
  async deletePlan(fixture) {
    await plan(fixture)
    return { params: { name: 'small' } }
  },
  async endOrder(fixture) {
    await order(fixture)
    return { params: orderKey }
  },
  async suspendOrder(fixture) {
    await order(fixture)
    return { params: orderKey, body: { reason: 'Not paid' } }
  },
  async resumeOrder(fixture) {
    await order(fixture)
    const { testPanel, admin } = fixture
    await testPanel.send(suspendOrder, { params: orderKey, body: { reason: 'Not paid' } }, admin)
    return { params: orderKey }
  },
  async createSignInLink(fixture) {
    await order(fixture)
    return { params: orderKey }
  },

  createServer: () => ({ body: definition }),
  cloneServer: ({ server }) => ({ params: { id: server }, body: { name: 'copy', node: 0 } }),
  cancelMove: async (fixture) => ({ params: { id: await moved(fixture, { state: 'copying' }) } }),
  goBack: async (fixture) => ({ params: { id: await moved(fixture, { state: 'done', copy_node: 0 }) } }),
  deleteFormerCopy: async (fixture) => ({ params: { id: await moved(fixture, { state: 'done', copy_node: 0 }) } }),
  deleteServer: ({ server }) => ({ params: { id: server } }),
  renameServer: ({ server }) => ({ params: { id: server, name: 'lobby' } }),
  putServerTags: ({ server }) => ({ params: { id: server }, body: { tags: ['EU'] } }),
  changeServerTags: ({ server }) => ({ params: { id: server }, body: { add: ['EU'] } }),
  putServerUser: ({ server, user }) => ({ params: { id: server, email: user.email }, body: {} }),
  async deleteServerUser({ testPanel, server, user }) {
    await testPanel.grant(user.id, server, ['startServer'])
    return { params: { id: server, email: user.email } }
  },
  createServerClient: ({ server }) => ({ params: { id: server }, body: { name: 'a program' } }),
  async putServerClient({ testPanel, admin, server }) {
    const { id } = await testPanel.createClient(admin, server)
    return { params: { id: server, clientId: id }, body: { name: 'a program', description: '' } }
  },
  async deleteServerClient({ testPanel, admin, server }) {
    return { params: { id: server, clientId: (await testPanel.createClient(admin, server)).id } }
  },

  putSetting: () => ({ params: { key: 'panel.settings.companyName' }, body: { value: 'Our inn' } }),
  postSettings: () => ({ body: { 'panel.settings.companyName': 'Our inn' } }),
  retryMail: async (fixture) => ({ params: { id: await failedMail(fixture) } }),
  deleteMail: async (fixture) => ({ params: { id: await failedMail(fixture) } }),

  createOidcProvider: () => ({ body: { ...oidcProvider, clientSecret: 'x' } }),
  putOidcProvider: async (fixture) => ({ params: { id: await oidcProviderId(fixture) }, body: oidcProvider }),
  deleteOidcProvider: async (fixture) => ({ params: { id: await oidcProviderId(fixture) } }),
  async unlinkIdentity({ testPanel, admin }) {
    const id = getDigest('identity')
    const row = { id, user_id: admin.id, issuer: 'https://sso.example.org', label: 'x', created_at: 1, used_at: null }
    await testPanel.db.insertInto('identities').values(row).execute()
    return { params: { id } }
  },
  createAlertChannel: () => ({ body: alertChannel }),
  putPanelRetention: () => ({ body: { last: 3 } }),
  putNodeRetention: async (fixture) => ({ params: { id: await node(fixture) }, body: { last: 3 } }),
  putAlertChannel: async (fixture) => ({ params: { id: await channel(fixture) }, body: alertChannel }),
  deleteAlertChannel: async (fixture) => ({ params: { id: await channel(fixture) } }),
  createServerAlertChannel: ({ server }) => ({ params: { id: server }, body: alertChannel }),
  async putServerAlertChannel(fixture) {
    return { params: { id: fixture.server, channel: await serverChannel(fixture) }, body: alertChannel }
  },
  async deleteServerAlertChannel(fixture) {
    return { params: { id: fixture.server, channel: await serverChannel(fixture) } }
  },

  createNode: () => ({ body: { name: 'far', publicHost: 'far.example.org' } }),
  editNode: async (fixture) => ({ params: { id: await node(fixture) }, body: { name: 'farther' } }),
  putNodePorts: async (fixture) => ({ params: { id: await node(fixture) }, body: { ranges: [] } }),
  putNodeAvailability: async (fixture) => ({ params: { id: await node(fixture) }, body: { state: 'draining' } }),
  evacuateNode: async (fixture) => ({ params: { id: await node(fixture) }, body: {} }),
  async cancelEvacuation(fixture) {
    const params = { id: await node(fixture) }
    const row = { id: 'an-evacuation', node_id: params.id, labels: '[]', server_order: 'name', state: 'active' }
    const more = { at_once: 1, leave_backups: 0, user_id: 1, updated_at: Date.now() + 60_000, started_at: 0 }
    await fixture.testPanel.db
      .insertInto('evacuations')
      .values({ ...row, ...more })
      .execute()
    return { params }
  },
  putNodePlacement: async (fixture) => ({ params: { id: await node(fixture) }, body: defaultPlacement }),
  createJoinToken: () => ({ body: { uses: 2, hours: 1 } }),
  async revokeJoinToken({ testPanel, admin }) {
    const { answer } = await testPanel.send(createJoinToken, { body: { uses: 2, hours: 1 } }, admin)
    return { params: { token: answer.id } }
  },
  async createPlacement({ testPanel }) {
    await testPanel.hasResources(0)
    return { body: {} }
  },
  suspendServer: ({ server }) => ({ params: { id: server }, body: { reason: 'Unpaid' } }),
  async endSuspension({ testPanel, admin, server }) {
    await testPanel.send(suspendServer, { params: { id: server }, body: { reason: 'Unpaid' } }, admin)
    return { params: { id: server } }
  },
  async putDnsName(fixture) {
    await dnsName(fixture, null)
    return { params: { id: fixture.server }, body: { label: 'lobby' } }
  },
  async writeDnsName(fixture) {
    await dnsName(fixture, fixture.server)
    return { params: { id: fixture.server } }
  },
  async deleteDnsName(fixture) {
    await dnsName(fixture, fixture.server)
    return { params: { id: fixture.server } }
  },
  putExtraPortLimit: ({ server }) => ({ params: { id: server }, body: { limit: 1 } }),
  createServerInvite: ({ server }) => ({
    params: { id: server },
    body: { email: 'friend@example.org', permissions: { viewServerConsole: true } },
  }),
  registerServer: ({ testPanel }) => {
    testPanel.node.definitions.set('0a0a0a0a', { type: 'echo', run: { command: 'true' } })
    return { params: { id: 0, server: '0a0a0a0a' } }
  },
  deleteNode: async (fixture) => ({ params: { id: await node(fixture) } }),
  replaceNodeSecret: async (fixture) => ({ params: { id: await node(fixture) } }),

  putTemplate: () => ({ params: { name: 'a-name' }, body: definition }),
  uploadTemplate: () => ({ params: { name: 'a-name' }, body: definition }),
  async importTemplate({ testPanel }) {
    const folder = join(testPanel.folder, 'templates', 'chess')
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, 'chess.json'), JSON.stringify(definition))
    return { params: { name: 'chess' } }
  },
  async deleteTemplate({ testPanel }) {
    await testPanel.db
      .insertInto('templates')
      .values({ name: 'a-name', body: JSON.stringify(definition) })
      .execute()
    return { params: { name: 'a-name' } }
  },

  putTheme: () => ({ params: { name: 'Forest' }, body: { archive } }),
  async renameTheme({ testPanel, admin }) {
    await testPanel.send(putTheme, { params: { name: 'Forest' }, body: { archive } }, admin)
    return { params: { name: 'Forest', newName: 'Deep Forest' } }
  },
  async deleteTheme({ testPanel, admin }) {
    await testPanel.send(putTheme, { params: { name: 'Forest' }, body: { archive } }, admin)
    return { params: { name: 'Forest' } }
  },
}

/** A server with a move of another panel. */
async function moved(
  { testPanel, server, admin }: Fixture,
  { state, copy_node = null }: { readonly state: string; readonly copy_node?: number | null },
): Promise<string> {
  const at = Date.now() + 60_000
  const times = { started_at: at, updated_at: at, copy_until: copy_node === null ? null : at }
  const ids = { server_id: server, id: 'a-move', from_node: 0, to_node: 1, user_id: admin.id, copy_node }
  await testPanel.db.deleteFrom('moves').execute()
  await testPanel.db
    .insertInto('moves')
    .values({ ...ids, ...times, state, data: '{}', reservation: '' })
    .execute()
  return server
}

/** A name below a zone whose server does not respond. */
async function dnsName({ testPanel, admin }: Fixture, server: string | null): Promise<void> {
  const body = {
    'panel.settings.masterUrl': 'http://192.0.2.7',
    'panel.dns.provider': 'powerdns',
    'panel.dns.zone': 'play.example.org',
    'panel.dns.url': 'http://127.0.0.1:9',
    'panel.dns.key': 'key',
  } as const
  await testPanel.send(postSettings, { body }, admin)
  const times = { attempts: 0, checked_at: null, next_at: Date.now() + 600_000, lease: '' }
  await testPanel.db
    .insertInto('dns_names')
    .values({ label: 'lobby', server_id: server, state: 'correct', written: null, found: null, error: null, ...times })
    .execute()
}

/** Excluded: endpoints that change nothing in the database, those for nodes, and the one that needs an empty panel. */
const others = [
  // Their node stores them.
  'takeExtraPort',
  'editExtraPort',
  'releaseExtraPort',
  // It is stored before anything is done, see orders.test.ts.
  'putOrder',
  'cancelClone',
  // They use up what works once before the provider is asked, see oidc.test.ts.
  'completeOidcLogin',
  'linkIdentity',
  // It needs two nodes that respond, see the slow tests.
  'moveServer',
  'createBackupTarget',
  'editBackupTarget',
  'deleteBackupTarget',
  'testBackupTarget',
  'putDefaultBackupTargets',
  'stopUnregisteredServer',
  'forgotPassword',
  'sendTestMail',
  'testAlertChannel',
  'testServerAlertChannel',
  'token',
  'sftpLogin',
  'enrolNode',
  'joinNode',
  'setup',
]

plain('every endpoint that changes the panel is tested', () => {
  const recorded = endpoints.filter(
    ({ call }) => call.via === 'panel' && call.method !== 'GET' && call.audit !== undefined,
  )

  expect(recorded.map(({ name }) => name).toSorted()).toEqual([...Object.keys(requests), ...others].toSorted())
})

const test = plain.extend<{ fixture: Fixture }>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads what a fixture needs from its pattern
  fixture: async ({}, use) => {
    // Expected errors are not logged.
    const testPanel = await TestPanel.start({ log: pino({ level: 'silent' }) })
    const [admin, server, user] = [await testPanel.admin(), await testPanel.server(), await testPanel.createUser()]
    await use({ testPanel, admin, server, user })
    await testPanel.stop()
  },
})

test.for(Object.keys(requests))(
  '%s is rolled back when its entry cannot be written, and recorded once when it can',
  async (name, { fixture }) => {
    const { testPanel } = fixture
    const call = endpoints.find((named) => named.name === name)?.call as Endpoint
    const request = (await requests[name]?.(fixture)) ?? {}
    const before = await readRows(testPanel)
    const action = call.audit ?? ''
    const written = () =>
      testPanel.db
        .selectFrom('activity')
        .select('username')
        .where('action', '=', action)
        .where('result', '=', 'done')
        .orderBy('id')
        .execute()
    const earlier = (await written()).length

    await testPanel.db.schema.alterTable('activity').renameTo('activity_away').execute()
    const failed = await make(fixture, call, request)
    await testPanel.db.schema.alterTable('activity_away').renameTo('activity').execute()
    const after = await readRows(testPanel)
    const done = await make(fixture, call, request)

    expect(failed).toBe(500)
    expect(after).toEqual(before)
    expect(done).toBe(call.status)
    const entries = (await written()).slice(earlier)
    expect(entries).toEqual([{ username: expect.stringMatching(/./) }])
  },
)

/** Data of the node, not of the database. */
async function readRows(testPanel: TestPanel) {
  const { rows, sessions } = await databaseSnapshot(testPanel)
  return { rows, sessions }
}

async function make(
  { testPanel, admin }: Fixture,
  call: Endpoint,
  { params = {}, body, as, cookie }: TestRequest,
): Promise<number> {
  const who = as === 'nobody' ? undefined : (as ?? admin)
  const response = await testPanel.panel.app.inject({
    method: call.method,
    url: getPanelUrl(call, { params }),
    headers: {
      ...(who ? { authorization: `Bearer ${who.token}` } : {}),
      ...(cookie === undefined ? {} : { cookie }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    payload: body === undefined ? undefined : JSON.stringify(body),
  })
  return response.statusCode
}

async function switchOn(testPanel: TestPanel, { id }: TestUser): Promise<void> {
  const secret = new Secret({ size: 20 }).base32
  const row = { user_id: id, secret, is_on: 1, last_step: 0, created_at: 0 }
  await testPanel.db.insertInto('two_factor').values(row).execute()
  const hash = getDigest(recovery.replaceAll('-', ''))
  await testPanel.db.insertInto('recovery_codes').values({ user_id: id, hash }).execute()
}

async function node({ testPanel, admin }: Fixture): Promise<number> {
  const { answer } = await testPanel.send(createNode, { body: { name: 'far', publicHost: 'far.example.org' } }, admin)
  return answer.id
}

async function channel({ testPanel, admin }: Fixture): Promise<string> {
  return (await testPanel.send(createAlertChannel, { body: alertChannel }, admin)).answer.id
}

async function oidcProviderId({ testPanel, admin }: Fixture): Promise<string> {
  const body = { ...oidcProvider, clientSecret: 'x' }
  return (await testPanel.send(createOidcProvider, { body }, admin)).answer.id
}

async function serverChannel({ testPanel, admin, server }: Fixture): Promise<string> {
  const request = { params: { id: server }, body: alertChannel }
  return (await testPanel.send(createServerAlertChannel, request, admin)).answer.id
}

async function invite({ testPanel, admin }: Fixture): Promise<string> {
  const { email } = newcomer
  const row = { id: crypto.randomUUID(), email, email_key: email, token: getDigest(token), invited_by: admin.id }
  await testPanel.db
    .insertInto('invites')
    .values({ ...row, created_at: 0, expires_at: future })
    .execute()
  return row.id
}

async function failedMail({ testPanel, admin }: Fixture): Promise<string> {
  const id = crypto.randomUUID()
  await testPanel.db
    .insertInto('mails')
    .values({
      id,
      kind: 'accountCreation',
      recipient: admin.email,
      recipient_key: admin.email,
      sender_id: null,
      language: 'en_US',
      facts: '{}',
      state: 'failed',
      tries: 1,
      created_at: 0,
      next_at: 0,
      ended_at: 0,
      lease: '',
      last_error: 'no',
    })
    .execute()
  return id
}
