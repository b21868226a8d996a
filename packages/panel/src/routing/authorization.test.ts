import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { ClientLimits } from '@innkeeper/contract/accounts/oauth2'
import { type Access, type Endpoint, getPanelUrl, requiredUser } from '@innkeeper/contract/api/endpoint'
import {
  type PanelScope,
  panelScopes,
  type RequiredPermission,
  type ServerPermission,
  scopeOfPermission,
  serverPermissionNames,
} from '@innkeeper/contract/api/permissions'
import { endpoints } from '@innkeeper/contract/endpoints'
import { socketPermissions } from '@innkeeper/contract/servers/live'
import { getSelf } from '@innkeeper/contract/settings/panel'
import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest'
import { WebSocket } from 'ws'
import { parsePermissions } from '../access/access.ts'
import { databaseSnapshot } from '../testing/database-snapshot.ts'
import { TestPanel, type TestUser, test } from '../testing/test-panel.ts'
import { registerRoutes } from './route-table.ts'

/** Every endpoint for users, by name. */
const every = endpoints.map(({ name, call }) => [name, call] as const)
const guarded = every.filter(([, { access }]) => access !== 'public' && access !== 'node')
/** Endpoints for nodes. */
const forNodes = every.filter(([, { access }]) => access === 'node')
/** Endpoints that OAuth2 clients may not call. */
const forUsers = every.filter(([, { access }]) => requiredUser(access) !== undefined)
const onServer = every.filter(([, { access }]) => typeof access === 'object' && 'onServer' in access)

const definition = { type: 'test', run: {}, data: {} }
const task = { name: 'Backup', operations: [] }
const email = 'somebody@example.org'
const credential = { id: 'x', rawId: 'x', type: 'public-key' }
const assertion = { ...credential, response: { authenticatorData: 'x', clientDataJSON: 'x', signature: 'x' } }
const oidcProvider = {
  ...{ name: 'x', issuer: 'https://sso.example.org', clientId: 'x', scopes: '' },
  ...{ createsAccounts: false, isTwoFactor: false },
}

const bodies: Readonly<Record<string, unknown>> = {
  createServer: definition,
  putDefinition: definition,
  putData: { data: {} },
  putTemplate: definition,
  putUserSetting: { value: 'x' },
  sendCommand: 'help',
  putSelf: { password: 'x', username: 'another' },
  confirmEmail: { token: 'x' },
  acceptInviteAsSelf: { token: 'x' },
  confirmPassword: { password: 'x' },
  confirmOtp: { token: '000000' },
  addPasskey: { name: 'x', passkey: { ...credential, response: { attestationObject: 'x', clientDataJSON: 'x' } } },
  renamePasskey: { name: 'x' },
  linkIdentity: { query: 'state=link.x' },
  createOidcProvider: { ...oidcProvider, clientSecret: 'x' },
  putOidcProvider: oidcProvider,
  confirmWithPasskey: { passkey: assertion },
  renewRecoveryCodes: { token: '000000' },
  createAccountClient: { name: 'x' },
  createServerClient: { name: 'x' },
  putAccountClient: { name: 'x', description: '' },
  putServerClient: { name: 'x', description: '' },
  putNodePorts: { ranges: [] },
  createJoinToken: { uses: 1, hours: 1 },
  putNodeAvailability: { state: 'draining' },
  evacuateNode: {},
  putNodePlacement: { labels: [], memoryFactor: 1, diskFactor: 1 },
  createPlacement: {},
  takeExtraPort: {},
  editExtraPort: {},
  putExtraPortLimit: { limit: 1 },
  putDnsName: { label: 'lobby' },
  createUser: { username: 'newcomer', email: 'newcomer@example.org', password: 'long enough' },
  editUser: { username: 'renamed' },
  putUserPermissions: {},
  createRole: { name: 'Support' },
  putRole: { name: 'Support' },
  putUserRoles: { roles: [] },
  putServerUser: {},
  putServerTags: { tags: [] },
  changeServerTags: {},
  createInvite: { email: 'invited@example.org' },
  addSshKey: { key: 'x', password: 'x' },
  sftpLogin: { user: email, address: '10.0.0.1', with: { method: 'password', password: 'x' } },
  getSftpPermissions: { grants: [] },
  kickPlayer: { player: 'Steve' },
  banPlayer: { player: 'Steve' },
  unbanPlayer: { player: 'Steve' },
  opPlayer: { player: 'Steve' },
  deopPlayer: { player: 'Steve' },
  whitelistPlayer: { player: 'Steve' },
  unwhitelistPlayer: { player: 'Steve' },
  messagePlayer: { player: 'Steve', message: 'Hello' },
  broadcastMessage: { message: 'Hello' },
  startRestartCountdown: { minutes: [1], message: 'Soon' },
  deletePlayerSessions: { name: 'Steve' },
  createTask: task,
  putTask: task,
  getTaskPermissions: { people: [] },
  putSetting: { value: 'Our inn' },
  postSettings: { 'panel.settings.companyName': 'Our inn' },
  sendTestMail: { to: email },
  archiveFiles: ['a'],
  moveFile: { from: 'a', to: 'b' },
  startFileJob: { kind: 'delete', paths: ['a'] },
  downloadArchive: ['a'],
  createDownload: { paths: ['a'] },
}

/** Test data: a server with a user, a template, and a user without permissions. */
interface Fixture {
  readonly server: string
  readonly memberId: number
  readonly outsiderId: number
}

async function setUp(testPanel: TestPanel): Promise<Fixture> {
  const server = await testPanel.server()
  const { id: memberId } = await testPanel.createUser({ on: { [server]: [] } })
  await testPanel.db.updateTable('users').set({ email, email_key: email }).where('id', '=', memberId).execute()
  await testPanel.db
    .insertInto('templates')
    .values({ name: 'a-name', body: JSON.stringify(definition) })
    .execute()
  const { id: outsiderId } = await testPanel.createUser()
  return { server, memberId, outsiderId }
}

function requestFor(
  [name, call]: readonly [string, Endpoint],
  { server, outsiderId }: Fixture,
): [Endpoint['method'], string, unknown] {
  const isOfServer = typeof call.access === 'object' && 'onServer' in call.access
  const params = {
    id: isOfServer ? server : call.path.startsWith('/api/users/') ? outsiderId : '0'.repeat(64),
    name: 'a-name',
    key: name === 'putUserSetting' ? 'dark' : 'panel.settings.companyName',
    token: '000000',
    email,
    clientId: 'none',
    path: 'a/b.txt',
    job: 'none',
    task: 'none',
    upload: '0'.repeat(32),
    ticket: 'none',
  }
  const query = name === 'getUsage' ? { ids: server } : name === 'checkPort' ? { port: 1 } : {}
  return [call.method, getPanelUrl(call, { params, query }), bodies[name]]
}

/** A response to HEAD has no body, and so no code. */
const coded = ([, { method }]: readonly [string, Endpoint], code: string) => (method === 'HEAD' ? undefined : code)

/** A user with one permission or scope, or none. */
interface Holder {
  readonly name: string
  readonly scopes: readonly PanelScope[]
  /** The user's permissions on the server; `undefined` when the user cannot see it. */
  readonly permissions: readonly ServerPermission[] | undefined
  /** A role gives them, for all servers or for those with a tag that the server has. */
  readonly byRole?: 'everywhere' | 'tag'
}

const holders: readonly Holder[] = [
  { name: 'nothing', scopes: [], permissions: undefined },
  { name: 'viewServer', scopes: [], permissions: [] },
  ...panelScopes.map((scope) => ({ name: scope, scopes: [scope], permissions: undefined })),
  ...serverPermissionNames.map((permission) => ({ name: permission, scopes: [], permissions: [permission] })),
  { name: 'a role for all servers', scopes: ['users.view'], permissions: ['startServer'], byRole: 'everywhere' },
  { name: 'a role by tag', scopes: ['templates.view'], permissions: ['editServerUsers'], byRole: 'tag' },
  { name: 'servers.delete and viewServer', scopes: ['servers.delete'], permissions: [] },
  { name: 'servers.edit.admin and viewServer', scopes: ['servers.edit.admin'], permissions: [] },
]

/** The expected rules, from the table and section 6 of the specification, written independently of the code. */
function verdict(access: Access, { scopes, permissions }: Holder): 'allowed' | 'ErrMissingScope' | 'ErrServerNotFound' {
  if (typeof access === 'string' || scopes.includes('servers.admin')) return 'allowed'
  if ('scope' in access) {
    const enough = [access.scope, ...(access.orScope ? [access.orScope] : [])]
    return enough.some((scope) => scopes.includes(scope)) ? 'allowed' : 'ErrMissingScope'
  }
  const held: RequiredPermission[] = permissions === undefined ? [] : ['viewServer', ...permissions]
  if (scopes.includes('servers.view')) held.push('viewServer', 'viewServerStats')
  if (scopes.includes('servers.delete')) held.push('viewServer', 'deleteServer')
  if (scopes.includes('servers.edit.admin')) held.push('viewServer', 'editServerData')
  if (held.length === 0) return 'ErrServerNotFound'
  return held.includes(access.onServer) ? 'allowed' : 'ErrMissingScope'
}

async function userWith(
  { scopes, permissions, byRole }: Holder,
  testPanel: TestPanel,
  server: string,
): Promise<TestUser> {
  if (byRole === undefined)
    return await testPanel.createUser({ scopes, on: permissions === undefined ? {} : { [server]: permissions } })
  const [user, id] = [await testPanel.createUser(), randomUUID()]
  const key = byRole === 'tag' ? `tag-${id}` : ''
  const role = { id, name: id, name_key: id, description: '', scopes: scopes.join(' ') }
  await testPanel.db
    .insertInto('roles')
    .values({ ...role, rights: permissions?.join(' ') ?? '', created_at: 0 })
    .execute()
  await testPanel.db
    .insertInto('role_grants')
    .values({ role_id: id, user_id: user.id, tag_key: key, tag: key, source: 'manual' })
    .execute()
  if (key !== '')
    await testPanel.db.insertInto('server_tags').values({ server_id: server, tag_key: key, tag: key }).execute()
  return user
}

test('every endpoint is tested', () => {
  expect(every.length).toBeGreaterThan(80)
  expect(onServer.length).toBeGreaterThan(22)
  expect(every.map(([name]) => name)).toEqual(expect.arrayContaining(Object.keys(bodies)))
})

test('the start fails when an endpoint has no handler, or a handler is not in the list', () => {
  const registerRoute = () => undefined

  expect(() => registerRoutes(registerRoute, registerRoute, () => undefined)).toThrow(
    /^No handler for .*renameServer.*\.$/,
  )
  expect(() =>
    registerRoutes(registerRoute, registerRoute, (one) => one({ ...getSelf } as never, () => undefined as never)),
  ).toThrow('GET /api/self is not in the list of endpoints, or is registered twice.')
})

const clients = new Map<string, TestUser>()

/** A client of an administrator that may do everything except what this access rule requires. */
async function clientWithout(testPanel: TestPanel, access: Exclude<Access, string>): Promise<TestUser> {
  const key = JSON.stringify(access)
  const known = clients.get(key)
  if (known) return known
  const required: readonly string[] =
    'scope' in access ? [access.scope, access.orScope ?? ''] : [access.onServer, ...(scopesWith[access.onServer] ?? [])]
  const limits: ClientLimits = {
    scopes: panelScopes.filter((scope) => scope !== 'servers.admin' && !required.includes(scope)),
    permissions: serverPermissionNames.filter((permission) => !required.includes(permission)),
    ...(required.includes('viewServer') && { servers: [] }),
  }
  const { client } = await testPanel.createClient(await testPanel.admin(), undefined, { limits })
  clients.set(key, client)
  return client
}

/** Scopes that include a permission on every server. */
const scopesWith: Partial<Record<RequiredPermission, readonly PanelScope[]>> = {
  viewServerStats: ['servers.view'],
  deleteServer: ['servers.delete'],
  editServerData: ['servers.edit.admin'],
}

/** Rejected requests change nothing, so one panel is enough for all of them. */
describe('a rejected request has no effect', () => {
  let testPanel: TestPanel
  let where: Fixture
  let before: unknown
  let users: readonly TestUser[]
  let ofAccount: TestUser
  let ofOther: TestUser

  beforeAll(async () => {
    testPanel = await TestPanel.start()
    where = await setUp(testPanel)
    users = await Promise.all(holders.map((holder) => userWith(holder, testPanel, where.server)))
    ofAccount = (await testPanel.createClient(await testPanel.admin())).client
    ofOther = (await testPanel.createClient(await testPanel.admin(), await testPanel.server())).client
    for (const [, { access }] of guarded) {
      if (typeof access !== 'string') await clientWithout(testPanel, access)
    }
    before = await databaseSnapshot(testPanel)
  })
  afterEach(() => {
    expect(testPanel.node.received).toEqual([])
  })
  afterAll(() => testPanel.stop())

  test.for(guarded)('%s without a credential', async (named) => {
    const { status, refusal, headers } = await testPanel.request(...requestFor(named, where))

    expect([status, refusal]).toEqual([401, coded(named, 'ErrSessionTimedOut')])
    expect(headers['www-authenticate']).toBe('Bearer realm=""')
  })

  test.for(forNodes)('%s by a client that is not a node', async (named) => {
    const everybody = [undefined, ...users, ofAccount, ofOther]
    for (const who of everybody) {
      expect((await testPanel.request(...requestFor(named, where), who)).refusal).toBe('ErrTokenInvalid')
    }
  })

  test.for(guarded)('%s with any single permission except the required one', async (named) => {
    const { access } = named[1]
    for (const [at, holder] of holders.entries()) {
      const expected = verdict(access, holder)
      if (expected === 'allowed') continue
      const { status, refusal, metadata } = await testPanel.request(...requestFor(named, where), users[at])
      expect([status, refusal], holder.name).toEqual([
        expected === 'ErrMissingScope' ? 403 : 404,
        coded(named, expected),
      ])
      if (coded(named, expected) === 'ErrMissingScope')
        expect(metadata, holder.name).toEqual({ scope: scopeIn(access) })
    }
  })

  test.for(onServer)('%s on a server of other users, which responds as if it did not exist', async (named) => {
    const hidden = await testPanel.request(...requestFor(named, where), users[0])
    const absent = await testPanel.request(...requestFor(named, { ...where, server: '00000000' }), users[0])

    expect([hidden.status, hidden.answer]).toEqual([absent.status, absent.answer])
  })

  test.for(onServer)('%s on a server that does not exist, for an administrator', async (named) => {
    const admin = users[holders.findIndex(({ scopes }) => scopes.includes('servers.admin'))]

    expect((await testPanel.request(...requestFor(named, { ...where, server: '00000000' }), admin)).refusal).toBe(
      coded(named, 'ErrServerNotFound'),
    )
    expect((await testPanel.request(...requestFor(named, { ...where, server: 'not-an-id' }), admin)).status).toBe(404)
  })

  test.for(forUsers)('%s by an OAuth2 client of an administrator', async (named) => {
    expect((await testPanel.request(...requestFor(named, where), ofAccount)).refusal).toBe('ErrNoPermission')
  })

  test.for(guarded)('%s by a client of an administrator without the required permission only', async (named) => {
    const { access } = named[1]
    if (typeof access === 'string' || forUsers.includes(named)) return

    const { refusal } = await testPanel.request(...requestFor(named, where), await clientWithout(testPanel, access))

    const isVisible = 'onServer' in access && access.onServer === 'viewServer'
    expect(refusal).toBe(coded(named, isVisible ? 'ErrServerNotFound' : 'ErrMissingScope'))
  })

  test.for(guarded)('%s by a client of another server', async (named) => {
    const { access } = named[1]

    const { refusal, answer } = await testPanel.request(...requestFor(named, where), ofOther)

    if (access === 'session') expect(JSON.stringify(answer)).not.toContain(where.server)
    else if (forUsers.includes(named)) expect(refusal).toBe('ErrNoPermission')
    else {
      const code = typeof access === 'object' && 'scope' in access ? 'ErrMissingScope' : 'ErrServerNotFound'
      expect(refusal).toBe(coded(named, code))
    }
  })

  test('no rejected request changed the database', async () => {
    expect(await databaseSnapshot(testPanel)).toEqual(before)
  })
})

/** Each request has a server and a user of its own, so one panel is enough for all of them. */
describe('an authorized request is not rejected', () => {
  const no = ['ErrMissingScope', 'ErrServerNotFound', 'ErrSessionTimedOut', 'ErrNoPermission']
  let testPanel: TestPanel
  let where: Fixture

  beforeAll(async () => {
    testPanel = await TestPanel.start()
    where = await setUp(testPanel)
  })
  afterAll(() => testPanel.stop())

  test.for(guarded)(
    '%s with the permission, for an administrator, and by an OAuth2 client of an administrator',
    async (named) => {
      const { id: outsiderId } = await testPanel.createUser()
      for (const holder of holders) {
        if (verdict(named[1].access, holder) !== 'allowed') continue
        const server = await testPanel.server()
        const who = await userWith(holder, testPanel, server)
        const { status, refusal } = await testPanel.request(...requestFor(named, { ...where, server, outsiderId }), who)
        expect(status, `${holder.name}: ${refusal}`).not.toBe(500)
        expect(no, holder.name).not.toContain(refusal)
      }
      if (forUsers.includes(named)) return
      const { client } = await testPanel.createClient(await testPanel.admin())
      const { refusal } = await testPanel.request(
        ...requestFor(named, { ...where, server: await testPanel.server(), outsiderId }),
        client,
      )
      expect(no, 'a client').not.toContain(refusal)
    },
  )
})

test.for(serverPermissionNames)(
  'a ticket of a live socket has %s only if it decides about messages, and no other permission',
  async (permission, { testPanel }) => {
    const server = await testPanel.server()
    const user = await testPanel.createUser({ on: { [server]: [permission] } })

    const { url } = await testPanel.panel.listen()
    const headers = { authorization: `Bearer ${user.token}` }
    const socket = new WebSocket(`${url.replace('http', 'ws')}/proxy/daemon/socket/${server}`, { headers })
    await once(socket, 'open')
    socket.terminate()

    const expected = socketPermissions.has(permission) ? ['viewServer', permission].sort() : ['viewServer']
    expect([...(testPanel.node.received[0]?.ticket.rights ?? [])].sort()).toEqual(expected)
  },
)

test('unknown permissions are ignored', () => {
  expect(parsePermissions('admin viewServer __proto__ constructor startServer')).toEqual(['startServer'])
})

function scopeIn(access: Access): string {
  if (typeof access === 'string') return ''
  return 'scope' in access ? access.scope : scopeOfPermission[access.onServer]
}
