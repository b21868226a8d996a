import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { confirmOtp, putSelf, startOtp } from '@innkeeper/contract/accounts/account'
import { login } from '@innkeeper/contract/accounts/auth'
import { createRole, putRole, putUserRoles } from '@innkeeper/contract/accounts/roles'
import { addSshKey, listSshKeys, removeSshKey } from '@innkeeper/contract/accounts/ssh-keys'
import { listActivity } from '@innkeeper/contract/activity/activity'
import type { ServerPermission } from '@innkeeper/contract/api/permissions'
import {
  getSftpPermissions,
  type SftpGrant,
  type SftpLogin,
  sftpLogin,
} from '@innkeeper/contract/node-link/node-to-panel'
import { getSftpUser } from '@innkeeper/contract/node-link/sftp'
import { getAudience, requestPurpose } from '@innkeeper/contract/node-link/ticket'
import { putServerTags } from '@innkeeper/contract/servers/servers'
import { Secret, TOTP } from 'otpauth'
import { test as base, describe, expect } from 'vitest'
import { maxLoginAttemptsPerAccount } from '../auth/password-verifier.ts'
import { maxLoginAttempts, maxLoginAttemptsPerAddress } from '../security/rate-limiter.ts'
import { SignedNodeClient } from '../testing/signed-node-client.ts'
import { password, TestPanel, type TestUser } from '../testing/test-panel.ts'

interface Fixture {
  readonly testPanel: TestPanel
  readonly node: SignedNodeClient
  readonly server: string
}

const test = base.extend<{ fixture: Fixture }>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads what a fixture needs from its pattern
  fixture: async ({}, use) => {
    const node = await SignedNodeClient.make()
    const testPanel = await TestPanel.start({}, node.publicKey)
    await use({ testPanel, node, server: await testPanel.server() })
    await testPanel.stop()
  },
})

const from = '203.0.113.7'

const createUser = (
  { testPanel, server }: Fixture,
  permissions: readonly ServerPermission[] = ['sftpServer'],
): Promise<TestUser> => testPanel.createUser({ on: { [server]: permissions } })

/** Attempts a login on the server, with the account's password by default. */
function logIn({ testPanel, node, server }: Fixture, { email }: Pick<TestUser, 'email'>, how: Partial<SftpLogin> = {}) {
  const credentials: SftpLogin = {
    user: getSftpUser(email, server),
    address: from,
    with: { method: 'password', password },
    ...how,
  }
  return node.request(testPanel, sftpLogin, { body: credentials })
}

async function readGrant(fixture: Fixture, user: TestUser, how: Partial<SftpLogin> = {}): Promise<SftpGrant> {
  const { answer } = await logIn(fixture, user, how)
  if (answer.is !== 'granted') throw new Error(`no grant: ${JSON.stringify(answer)}`)
  return answer.grant
}

const currentPermissions = async ({ testPanel, node }: Fixture, grants: SftpGrant[]) =>
  (await node.request(testPanel, getSftpPermissions, { body: { grants } })).answer.rights

/** Enables two-factor, and returns a generator of codes for consecutive time steps. */
async function withCodes({ testPanel }: Fixture, user: TestUser): Promise<(step: number) => string> {
  const { answer } = await testPanel.send(startOtp, {}, user)
  const totp = new TOTP({ algorithm: 'SHA1', digits: 6, period: 30, secret: Secret.fromBase32(answer.secret) })
  const code = (step: number) => totp.generate({ timestamp: Date.now() + step * 30_000 })
  await testPanel.send(confirmOtp, { body: { token: code(-1) } }, user)
  return code
}

function newKey({ testPanel }: Fixture): { line: string; wire: string } {
  const path = join(testPanel.folder, randomBytes(4).toString('hex'))
  execFileSync('ssh-keygen', ['-q', '-N', '', '-t', 'ed25519', '-f', path])
  const line = readFileSync(`${path}.pub`, 'utf8')
  return { line, wire: line.split(' ')[1] ?? '' }
}

const withKey = (key: string, isSigned = true): Partial<SftpLogin> => ({ with: { method: 'key', key, isSigned } })

describe('an SFTP login', () => {
  test('is granted with the password and the permission, and returns the permissions', async ({ fixture }) => {
    const user = await createUser(fixture, ['sftpServer', 'putServerFiles'])

    const { answer } = await logIn(fixture, { email: user.email.toUpperCase() })

    expect(answer).toMatchObject({ is: 'granted', username: user.username, grant: { userId: user.id } })
    expect(answer.is === 'granted' && answer.rights.toSorted()).toEqual(['putServerFiles', 'sftpServer', 'viewServer'])
  })

  test('is granted to administrators on every server', async ({ fixture }) => {
    const { answer } = await logIn(fixture, await fixture.testPanel.admin())

    expect(answer.is === 'granted' && answer.rights).toContain('admin')
  })

  test.for<[string, (fixture: Fixture, user: TestUser) => Partial<SftpLogin>]>([
    ['a wrong password', () => ({ with: { method: 'password', password: 'wrong' } })],
    ['an account that does not exist', ({ server }) => ({ user: getSftpUser('nobody@example.org', server) })],
    ['a server that does not exist', (_, { email }) => ({ user: getSftpUser(email, '00000000') })],
    ['no server at all', (_, { email }) => ({ user: email })],
    ['a code where none is needed', () => ({ with: { method: 'passwordAndCode', password, code: '000000' } })],
    ['a key of nobody', () => withKey('AAAA')],
  ])('is rejected with the same error for %s', async ([, wrong], { fixture }) => {
    const user = await createUser(fixture)

    const { status, refusal, metadata } = await logIn(fixture, user, wrong(fixture, user))

    expect([status, refusal, metadata]).toEqual([400, 'ErrInvalidCredentials', {}])
  })

  test('is rejected without the permission, and on a server of another node', async ({ fixture }) => {
    const viewer = await createUser(fixture, ['viewServerFiles', 'putServerFiles'])
    const otherUser = await fixture.testPanel.createUser()
    const user = await createUser(fixture)
    for (const one of [viewer, otherUser]) expect((await logIn(fixture, one)).refusal).toBe('ErrInvalidCredentials')
    const grant = await readGrant(fixture, user)

    await fixture.testPanel.db.updateTable('servers').set({ node_id: 7 }).where('id', '=', fixture.server).execute()

    expect((await logIn(fixture, user)).refusal).toBe('ErrInvalidCredentials')
    expect(await currentPermissions(fixture, [grant])).toEqual([null])
  })

  test('counts wrong passwords per address, and does not lock out the owner elsewhere', async ({ fixture }) => {
    const user = await createUser(fixture)
    const wrong = { with: { method: 'password', password: 'wrong' } } as const
    const refusals = []
    for (let at = 0; at <= maxLoginAttempts; at++) refusals.push((await logIn(fixture, user, wrong)).refusal)

    expect(refusals.at(-1)).toBe('ErrTooManyRequests')
    expect((await logIn(fixture, user)).refusal).toBe('ErrTooManyRequests')
    expect((await logIn(fixture, user, { address: '203.0.113.8' })).answer.is).toBe('granted')
    expect((await fixture.testPanel.send(login, { body: { email: user.email, password } })).status).toBe(200)
  })

  test('cannot be guessed by a node with changing addresses, nor locks users out', async ({ fixture }) => {
    const user = await createUser(fixture)
    const wrong = { with: { method: 'password', password: 'wrong' } } as const
    const refusals = []
    for (let at = 0; at <= maxLoginAttemptsPerAccount; at++) {
      refusals.push((await logIn(fixture, user, { ...wrong, address: `192.0.2.${at}` })).refusal)
    }
    for (let at = 0; at <= maxLoginAttempts; at++) await logIn(fixture, user, { ...wrong, address: '127.0.0.1' })

    expect(refusals.slice(-2)).toEqual(['ErrInvalidCredentials', 'ErrTooManyRequests'])
    expect((await fixture.testPanel.send(login, { body: { email: user.email, password } })).status).toBe(200)
  })

  test('is recorded with its address, also when it is rejected', async ({ fixture }) => {
    const user = await createUser(fixture)
    await logIn(fixture, user)
    await logIn(fixture, user, { with: { method: 'password', password: 'wrong' } })

    const { answer } = await fixture.testPanel.send(
      listActivity,
      { query: { action: 'server.sftp.login' } },
      await fixture.testPanel.admin(),
    )

    expect(answer.activity).toMatchObject([
      { result: 'refused', code: 'ErrInvalidCredentials', server: fixture.server, target: user.email, from },
      { result: 'done', user: { id: user.id }, server: fixture.server, from },
    ])
    expect(answer.activity[0]).not.toHaveProperty('user')
  })
})

describe('with two-factor', () => {
  test('the password alone asks for a code, which works once', async ({ fixture }) => {
    const user = await createUser(fixture)
    const code = await withCodes(fixture, user)
    const both = (typed: string) => logIn(fixture, user, { with: { method: 'passwordAndCode', password, code: typed } })

    expect((await logIn(fixture, user)).answer).toEqual({ is: 'codeNeeded' })
    expect((await both('000000')).refusal).toBe('ErrInvalidCredentials')
    const typed = code(0)
    expect((await both(typed)).answer.is).toBe('granted')
    expect((await both(typed)).refusal).toBe('ErrInvalidCredentials')
    const { answer } = await fixture.testPanel.send(
      listActivity,
      { query: { action: 'server.sftp.login', result: 'done' } },
      await fixture.testPanel.admin(),
    )
    expect(answer.activity).toHaveLength(1)
  })

  test('a wrong password with a right code is refused, and uses up no code', async ({ fixture }) => {
    const user = await createUser(fixture)
    const code = await withCodes(fixture, user)
    const typed = code(0)

    const wrong = await logIn(fixture, user, { with: { method: 'passwordAndCode', password: 'wrong', code: typed } })
    const permission = await logIn(fixture, user, { with: { method: 'passwordAndCode', password, code: typed } })

    expect([wrong.refusal, permission.answer.is]).toEqual(['ErrInvalidCredentials', 'granted'])
  })

  test('a recovery code works too, and a kept key needs no code', async ({ fixture }) => {
    const user = await createUser(fixture)
    const { line: key, wire } = newKey(fixture)
    await fixture.testPanel.send(addSshKey, { body: { key, password } }, user)
    const { answer: started } = await fixture.testPanel.send(startOtp, {}, user)
    const totp = new TOTP({ algorithm: 'SHA1', digits: 6, period: 30, secret: Secret.fromBase32(started.secret) })
    const { answer } = await fixture.testPanel.send(
      confirmOtp,
      { body: { token: totp.generate(), keepSshKeys: true } },
      user,
    )

    const recovery = { method: 'passwordAndCode', password, code: answer.recoveryCodes[0] ?? '' } as const
    expect((await logIn(fixture, user, { with: recovery })).answer.is).toBe('granted')
    expect((await logIn(fixture, user, { with: recovery })).refusal).toBe('ErrInvalidCredentials')
    expect((await logIn(fixture, user, withKey(wire))).answer.is).toBe('granted')
  })
})

describe('a key', () => {
  test('logs in its owner and no other user; only signatures count as use and as a login', async ({ fixture }) => {
    const [user, other] = [await createUser(fixture), await createUser(fixture)]
    const { line: key, wire } = newKey(fixture)
    await fixture.testPanel.send(addSshKey, { body: { key, password } }, user)

    expect((await logIn(fixture, other, withKey(wire))).refusal).toBe('ErrInvalidCredentials')
    expect((await logIn(fixture, user, withKey(wire, false))).answer.is).toBe('granted')
    expect((await fixture.testPanel.send(listSshKeys, {}, user)).answer[0]).not.toHaveProperty('usedAt')
    expect((await logIn(fixture, user, withKey(wire))).answer.is).toBe('granted')
    expect((await fixture.testPanel.send(listSshKeys, {}, user)).answer[0]).toHaveProperty('usedAt')

    const { answer } = await fixture.testPanel.send(
      listActivity,
      { query: { action: 'server.sftp.login' } },
      await fixture.testPanel.admin(),
    )
    expect(answer.activity.map(({ result }) => result)).toEqual(['done', 'refused'])
  })

  test('that is offered costs no password attempt, but many offers are rate-limited', async ({ fixture }) => {
    const user = await createUser(fixture)
    const refusals = []
    for (let at = 0; at <= maxLoginAttemptsPerAddress; at++) {
      refusals.push((await logIn(fixture, user, withKey('AAAA', false))).refusal)
    }

    expect(new Set(refusals.slice(0, -1))).toEqual(new Set(['ErrInvalidCredentials']))
    expect(refusals.at(-1)).toBe('ErrTooManyRequests')
    expect((await logIn(fixture, user)).answer.is).toBe('granted')
  })
})

describe('open sessions', () => {
  test('have the current permissions, requested together', async ({ fixture }) => {
    const [user, other, admin] = [await createUser(fixture), await createUser(fixture), await fixture.testPanel.admin()]
    const grants = [await readGrant(fixture, user), await readGrant(fixture, other), await readGrant(fixture, admin)]
    await fixture.testPanel.grant(user.id, fixture.server, ['sftpServer', 'putServerFiles'])
    await fixture.testPanel.grant(other.id, fixture.server, ['putServerFiles'])

    const [first, second, third] = await currentPermissions(fixture, grants)

    expect(first).toContain('putServerFiles')
    expect(second).toBeNull()
    expect(third).toContain('admin')
    expect(await currentPermissions(fixture, [])).toEqual([])
  })

  test.for<[string, (fixture: Fixture, user: TestUser) => Promise<unknown>]>([
    [
      'a new password',
      ({ testPanel }, user) => testPanel.send(putSelf, { body: { password, newPassword: 'another one' } }, user),
    ],
    ['two-factor', (fixture, user) => withCodes(fixture, user)],
    [
      'the end of the account',
      ({ testPanel }, { id }) => testPanel.db.deleteFrom('users').where('id', '=', id).execute(),
    ],
    [
      'the end of the server',
      ({ testPanel, server }) => testPanel.db.deleteFrom('servers').where('id', '=', server).execute(),
    ],
  ])('end with %s, whatever they were opened with', async ([, change], { fixture }) => {
    const user = await createUser(fixture)
    const { line: key, wire } = newKey(fixture)
    await fixture.testPanel.send(addSshKey, { body: { key, password } }, user)
    const grants = [await readGrant(fixture, user), await readGrant(fixture, user, withKey(wire))]
    expect(await currentPermissions(fixture, grants)).toEqual([expect.any(Array), expect.any(Array)])

    await change(fixture, user)

    expect(await currentPermissions(fixture, grants)).toEqual([null, null])
  })

  test('that were opened with a key end with it, and others do not', async ({ fixture }) => {
    const user = await createUser(fixture)
    const { line: key, wire } = newKey(fixture)
    const { answer } = await fixture.testPanel.send(addSshKey, { body: { key, password } }, user)
    const grants = [await readGrant(fixture, user), await readGrant(fixture, user, withKey(wire))]

    await fixture.testPanel.send(removeSshKey, { params: { id: answer.id } }, user)

    expect(await currentPermissions(fixture, grants)).toEqual([expect.any(Array), null])
  })

  test('of other users cannot be forged', async ({ fixture }) => {
    const [user, other] = [await createUser(fixture), await createUser(fixture)]
    const grant = await readGrant(fixture, user)

    expect(
      await currentPermissions(fixture, [
        { ...grant, userId: other.id },
        { ...grant, stamp: 'x' },
        { ...grant, stamp: '' },
      ]),
    ).toEqual([null, null, null])
  })
})

describe('a node', () => {
  const purpose = requestPurpose(getSftpPermissions.method, getSftpPermissions.path)
  const ask = ({ testPanel }: Fixture, token: string) =>
    testPanel.request(
      getSftpPermissions.method,
      getSftpPermissions.path,
      { grants: [] },
      { id: 0, username: '', email: '', token },
    )

  test('is authenticated once per token', async ({ fixture }) => {
    const token = await fixture.node.token(purpose)

    expect((await ask(fixture, token)).status).toBe(200)
    expect((await ask(fixture, token)).refusal).toBe('ErrTokenInvalid')
  })

  test.for([
    ['another purpose', { purpose: 'POST /api/node/sftp/login' }],
    ['another audience', { aud: 'node:0' }],
    ['another node', { iss: getAudience(1) }],
    ['no node', { iss: 'panel' }],
    ['a long life', { exp: Math.floor(Date.now() / 1000) + 3_600 }],
    ['a short number', { jti: 'x' }],
  ] as const)('is rejected with a token of %s', async ([, wrong], { fixture }) => {
    expect((await ask(fixture, await fixture.node.token(purpose, wrong))).refusal).toBe('ErrTokenInvalid')
  })

  test('gets its clock offset with a token that would be valid at another time', async ({ fixture }) => {
    const iat = Math.floor(Date.now() / 1000) - 600
    const late = await ask(fixture, await fixture.node.token(purpose, { iat, exp: iat + 60 }))
    expect(late).toMatchObject({ status: 401, refusal: 'ErrClockSkew' })
    expect(Number(late.metadata.skewMs)).toBeLessThan(-590_000)

    const other = await SignedNodeClient.make()
    expect((await ask(fixture, await other.token(purpose, { iat, exp: iat + 60 }))).refusal).toBe('ErrTokenInvalid')
  })

  test('is rejected with the key of another node, and with its previous key', async ({ fixture }) => {
    const other = await SignedNodeClient.make()
    expect((await ask(fixture, await other.token(purpose))).refusal).toBe('ErrTokenInvalid')

    const { databaseUrl, db } = fixture.testPanel
    await expect(TestPanel.start({ databaseUrl }, other.publicKey)).rejects.toThrow('INNKEEPER_ROLE=panel')
    // As if it had not reported for a long time.
    await db.updateTable('node_keys').set({ created_at: 0 }).execute()
    const restarted = await TestPanel.start({ databaseUrl }, other.publicKey)

    expect((await ask({ ...fixture, testPanel: restarted }, await other.token(purpose))).status).toBe(200)
    expect((await ask({ ...fixture, testPanel: restarted }, await fixture.node.token(purpose))).refusal).toBe(
      'ErrTokenInvalid',
    )
    await restarted.stop()
  })
})

test('a session by a role ends when the role, its user or the tags of the server change', async ({ fixture }) => {
  const { testPanel, server } = fixture
  const admin = await testPanel.admin()
  const tag = (tags: string[]) => testPanel.send(putServerTags, { params: { id: server }, body: { tags } }, admin)
  await tag(['event'])
  const withRole = async (onlyTag?: string) => {
    const user = await testPanel.createUser()
    const body = { name: user.email, permissions: ['sftpServer' as const] }
    const { id } = (await testPanel.send(createRole, { body }, admin)).answer
    const roles = [{ role: id, ...(onlyTag !== undefined && { tag: onlyTag }) }]
    await testPanel.send(putUserRoles, { params: { id: user.id }, body: { roles } }, admin)
    return { user, id, grant: await readGrant(fixture, user) }
  }
  const users = [await withRole(), await withRole(), await withRole('event'), await withRole()] as const
  const grants = users.map(({ grant }) => grant)
  const held = ['viewServer', 'sftpServer']
  expect(await currentPermissions(fixture, grants)).toEqual([held, held, held, held])

  const body = { name: 'changed', permissions: ['viewServerFiles' as const] }
  await testPanel.send(putRole, { params: { id: users[0].id }, body }, admin)
  await testPanel.send(putUserRoles, { params: { id: users[1].user.id }, body: { roles: [] } }, admin)
  await tag([])

  expect(await currentPermissions(fixture, grants)).toEqual([null, null, null, held])
})
