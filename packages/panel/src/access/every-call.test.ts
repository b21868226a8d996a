import { type Access, type Call, panelUrlOf } from '@innkeeper/contract/call'
import {
  type PanelScope,
  panelScopes,
  type ServerFlag,
  type ServerRight,
  scopeOfRight,
  serverFlags,
} from '@innkeeper/contract/permissions'
import { describe, expect } from 'vitest'
import type { Tables } from '../database/schema.ts'
import { type House, type Person, test } from '../testing/house.ts'
import { parseRights } from './access.ts'
import { serveTable, table } from './table.ts'

/** Every call that people can make, by its name. */
const every = [...table]
const guarded = every.filter(([, { access }]) => access !== 'public')
const onServer = every.filter(([, { access }]) => typeof access === 'object' && 'onServer' in access)

const definition = { type: 'test', run: {}, data: {} }
const email = 'somebody@example.org'
const bodies: Readonly<Record<string, unknown>> = {
  createServer: definition,
  putDefinition: definition,
  putData: { data: {} },
  putTemplate: definition,
  putUserSetting: { value: 'x' },
  sendCommand: 'help',
  putSelf: { password: 'x', username: 'another' },
  confirmOtp: { token: '000000' },
  renewRecoveryCodes: { token: '000000' },
  createAccountClient: { name: 'x' },
  createServerClient: { name: 'x' },
  createUser: { username: 'newcomer', email: 'newcomer@example.org', password: 'long enough' },
  editUser: { username: 'renamed' },
  putUserPermissions: {},
  putServerUser: {},
  createInvite: { email: 'invited@example.org' },
  putSetting: { value: 'Our inn' },
  postSettings: { 'panel.settings.companyName': 'Our inn' },
  sendTestMail: { to: email },
}

/** What a walk is done in: a server with somebody on it, a template, and a person who may nothing. */
interface Scene {
  readonly server: string
  readonly somebody: number
  readonly nobody: number
}

async function scene(house: House): Promise<Scene> {
  const server = await house.server()
  const { id: somebody } = await house.person({ on: { [server]: [] } })
  await house.db.updateTable('users').set({ email, email_key: email }).where('id', '=', somebody).execute()
  await house.db
    .insertInto('templates')
    .values({ name: 'a-name', body: JSON.stringify(definition) })
    .execute()
  const { id: nobody } = await house.person()
  return { server, somebody, nobody }
}

function asking([name, call]: readonly [string, Call], { server, nobody }: Scene): [Call['method'], string, unknown] {
  const isOfServer = typeof call.access === 'object' && 'onServer' in call.access
  const params = {
    id: isOfServer ? server : call.path.startsWith('/api/users/') ? nobody : '0'.repeat(64),
    name: 'a-name',
    key: name === 'putUserSetting' ? 'dark' : 'panel.settings.companyName',
    token: '000000',
    email,
    clientId: 'none',
  }
  const query = name === 'getUsage' ? { ids: server } : {}
  return [call.method, panelUrlOf(call, { params, query }), bodies[name]]
}

/** Somebody with one single right, or none. */
interface Holder {
  readonly name: string
  readonly scopes: readonly PanelScope[]
  /** Their flags on the server; `undefined` when they cannot see it. */
  readonly flags: readonly ServerFlag[] | undefined
}

const holders: readonly Holder[] = [
  { name: 'nothing', scopes: [], flags: undefined },
  { name: 'viewServer', scopes: [], flags: [] },
  ...panelScopes.map((scope) => ({ name: scope, scopes: [scope], flags: undefined })),
  ...serverFlags.map((flag) => ({ name: flag, scopes: [], flags: [flag] })),
  { name: 'servers.delete and viewServer', scopes: ['servers.delete'], flags: [] },
  { name: 'servers.edit.admin and viewServer', scopes: ['servers.edit.admin'], flags: [] },
]

/** What the table and section 6 of the specification say, written down once more and apart from the code. */
function verdict(access: Access, { scopes, flags }: Holder): 'allowed' | 'ErrMissingScope' | 'ErrServerNotFound' {
  if (typeof access === 'string' || scopes.includes('servers.admin')) return 'allowed'
  if ('scope' in access) return scopes.includes(access.scope) ? 'allowed' : 'ErrMissingScope'
  if (flags === undefined) return 'ErrServerNotFound'
  const held: ServerRight[] = ['viewServer', ...flags]
  if (scopes.includes('servers.delete')) held.push('deleteServer')
  if (scopes.includes('servers.edit.admin')) held.push('editServerData')
  return held.includes(access.onServer) ? 'allowed' : 'ErrMissingScope'
}

const personWith = ({ scopes, flags }: Holder, house: House, server: string): Promise<Person> =>
  house.person({ scopes, on: flags === undefined ? {} : { [server]: flags } })

/** Everything that a call could change. */
async function contents(house: House): Promise<unknown> {
  const tables: readonly (keyof Tables)[] = [
    'users',
    'user_scopes',
    'user_settings',
    'servers',
    'server_users',
    'templates',
    'settings',
    'two_factor',
    'recovery_codes',
    'oauth2_clients',
    'oauth2_tokens',
    'invites',
    'mails',
  ]
  const rows = await Promise.all(tables.map((name) => house.db.selectFrom(name).selectAll().execute()))
  const { length: sessions } = await house.db.selectFrom('sessions').select('id').execute()
  return { rows, sessions, definitions: [...house.node.definitions] }
}

test('the walk meets every call', () => {
  expect(every.length).toBeGreaterThan(80)
  expect(onServer.length).toBeGreaterThan(22)
  for (const name of Object.keys(bodies)) expect(table.has(name), name).toBe(true)
})

test('a call of the table that nobody serves stops the start, and so does one that is in no table', () => {
  const serve = () => undefined

  expect(() => serveTable(serve, serve, () => undefined)).toThrow(/^Nobody serves .*renameServer.*\.$/)
  expect(() =>
    serveTable(serve, serve, (one) => one({ ...table.get('getSelf') } as never, () => undefined as never)),
  ).toThrow('GET /api/self is not in the table, or is served twice.')
})

describe('without a credential', () => {
  test.for(guarded)('%s is refused', async (named, { house }) => {
    const where = await scene(house)
    const before = await contents(house)

    const { status, refusal, headers } = await house.ask(...asking(named, where))

    expect([status, refusal]).toEqual([401, 'ErrSessionTimedOut'])
    expect(headers['www-authenticate']).toBe('Bearer realm=""')
    expect(house.node.taken).toEqual([])
    expect(await contents(house)).toEqual(before)
  })
})

describe('with one single right', () => {
  test.for(guarded)('%s is answered as the table says, and refused without effect', async (named, { house }) => {
    const [, call] = named
    const where = await scene(house)
    const refused = holders.filter((holder) => verdict(call.access, holder) !== 'allowed')
    const people = await Promise.all(refused.map((holder) => personWith(holder, house, where.server)))
    const before = await contents(house)

    for (const [at, holder] of refused.entries()) {
      const { status, refusal, metadata } = await house.ask(...asking(named, where), people[at])
      const expected = verdict(call.access, holder)
      expect([status, refusal], holder.name).toEqual([expected === 'ErrMissingScope' ? 403 : 404, expected])
      if (expected === 'ErrMissingScope') expect(metadata, holder.name).toEqual({ scope: scopeIn(call.access) })
    }
    expect(house.node.taken).toEqual([])
    expect(await contents(house)).toEqual(before)

    for (const holder of holders) {
      if (verdict(call.access, holder) !== 'allowed') continue
      // What one did does not stand in the way of the next.
      const server = await house.server()
      const who = await personWith(holder, house, server)
      if (named[0] === 'deleteServerUser') await house.give(where.somebody, server, [])
      const { status, refusal } = await house.ask(...asking(named, { ...where, server }), who)
      expect(status, `${holder.name}: ${refusal}`).not.toBe(500)
      expect(['ErrMissingScope', 'ErrServerNotFound', 'ErrSessionTimedOut', 'ErrNoPermission']).not.toContain(refusal)
    }
  })
})

describe('for an OAuth2 client of an administrator', () => {
  test.for(guarded)('%s is allowed unless only a person may', async (named, { house }) => {
    const [, { access }] = named
    const where = await scene(house)
    const { client } = await house.clientOf(await house.admin())

    const { refusal } = await house.ask(...asking(named, where), client)

    const isForPeople = access === 'person' || (typeof access === 'object' && access.by === 'person')
    if (isForPeople) expect(refusal).toBe('ErrNoPermission')
    else expect(['ErrMissingScope', 'ErrServerNotFound', 'ErrNoPermission']).not.toContain(refusal)
  })

  test.for(guarded)('%s reaches nothing but the server that the client is for', async (named, { house }) => {
    const [, { access }] = named
    const [where, other] = [await scene(house), await house.server()]
    const { client } = await house.clientOf(await house.admin(), other)
    const before = await contents(house)

    const { refusal, answer } = await house.ask(...asking(named, where), client)

    if (access === 'session') expect(JSON.stringify(answer)).not.toContain(where.server)
    else if (access === 'person') expect(refusal).toBe('ErrNoPermission')
    else if (typeof access === 'object' && access.by === 'person') expect(refusal).toBe('ErrNoPermission')
    else expect(refusal).toBe(typeof access === 'object' && 'scope' in access ? 'ErrMissingScope' : 'ErrServerNotFound')
    expect(house.node.taken).toEqual([])
    expect(await contents(house)).toEqual(before)
  })
})

describe('for an administrator', () => {
  test.for(onServer)('%s on a server that does not exist is not found', async (named, { house }) => {
    const [admin, where] = [await house.admin(), await scene(house)]

    expect((await house.ask(...asking(named, { ...where, server: '00000000' }), admin)).refusal).toBe(
      'ErrServerNotFound',
    )
    expect((await house.ask(...asking(named, { ...where, server: 'not-an-id' }), admin)).status).toBe(404)
  })
})

test.for(onServer)('%s on a server of others answers as if there were none', async (named, { house }) => {
  const [person, where] = [await house.person(), await scene(house)]

  const hidden = await house.ask(...asking(named, where), person)
  const absent = await house.ask(...asking(named, { ...where, server: '00000000' }), person)

  expect([hidden.status, hidden.answer]).toEqual([absent.status, absent.answer])
})

test.for(serverFlags)('a live socket carries %s to the node, and no other right', async (flag, { house }) => {
  const server = await house.server()
  const person = await house.person({ on: { [server]: [flag] } })

  // Without a handshake it is no socket; the node is asked for the status instead.
  await house.ask('GET', `/proxy/daemon/server/${server}/status`, undefined, person)

  expect([...(house.node.taken[0]?.ticket.rights ?? [])].sort()).toEqual(['viewServer', flag].sort())
})

test('rights that nobody knows are none', () => {
  expect(parseRights('admin viewServer __proto__ constructor startServer')).toEqual(['startServer'])
})

function scopeIn(access: Access): string {
  if (typeof access === 'string') return ''
  return 'scope' in access ? access.scope : scopeOfRight[access.onServer]
}
