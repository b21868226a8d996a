import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { confirmOtp, putSelf, startOtp } from '@innkeeper/contract/account'
import { listActivity } from '@innkeeper/contract/activity'
import { login } from '@innkeeper/contract/auth'
import { limits } from '@innkeeper/contract/limits'
import { getSftpPermissions, type SftpGrant, type SftpLogin, sftpLogin } from '@innkeeper/contract/node-to-panel'
import type { ServerPermission } from '@innkeeper/contract/permissions'
import { sftpUserOf } from '@innkeeper/contract/sftp'
import { addSshKey, listSshKeys, removeSshKey } from '@innkeeper/contract/ssh-keys'
import { audienceOf, requestPurpose } from '@innkeeper/contract/ticket'
import { Secret, TOTP } from 'otpauth'
import { test as base, describe, expect } from 'vitest'
import { SignedNodeClient } from '../testing/signed-node-client.ts'
import { password, TestPanel, type TestUser } from '../testing/test-panel.ts'

interface Inn {
  readonly testPanel: TestPanel
  readonly node: SignedNodeClient
  readonly server: string
}

const test = base.extend<{ inn: Inn }>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads what a fixture needs from its pattern
  inn: async ({}, use) => {
    const node = await SignedNodeClient.make()
    const testPanel = await TestPanel.start({}, node.publicKey)
    await use({ testPanel, node, server: await testPanel.server() })
    await testPanel.stop()
  },
})

const from = '203.0.113.7'

const someone = ({ testPanel, server }: Inn, flags: readonly ServerPermission[] = ['sftpServer']): Promise<TestUser> =>
  testPanel.createUser({ on: { [server]: flags } })

/** Attempts a login on the server, with the account's password by default. */
function logIn({ testPanel, node, server }: Inn, { email }: Pick<TestUser, 'email'>, how: Partial<SftpLogin> = {}) {
  const shown: SftpLogin = {
    user: sftpUserOf(email, server),
    address: from,
    with: { method: 'password', password },
    ...how,
  }
  return node.request(testPanel, sftpLogin, { body: shown })
}

async function grantOf(inn: Inn, person: TestUser, how: Partial<SftpLogin> = {}): Promise<SftpGrant> {
  const { answer } = await logIn(inn, person, how)
  if (answer.is !== 'granted') throw new Error(`no grant: ${JSON.stringify(answer)}`)
  return answer.grant
}

const rightsNow = async ({ testPanel, node }: Inn, grants: SftpGrant[]) =>
  (await node.request(testPanel, getSftpPermissions, { body: { grants } })).answer.rights

/** Enables two-factor, and returns a generator of codes for consecutive time steps. */
async function withCodes({ testPanel }: Inn, person: TestUser): Promise<(step: number) => string> {
  const { answer } = await testPanel.send(startOtp, {}, person)
  const totp = new TOTP({ algorithm: 'SHA1', digits: 6, period: 30, secret: Secret.fromBase32(answer.secret) })
  const code = (step: number) => totp.generate({ timestamp: Date.now() + step * 30_000 })
  await testPanel.send(confirmOtp, { body: { token: code(-1) } }, person)
  return code
}

function newKey({ testPanel }: Inn): { line: string; wire: string } {
  const path = join(testPanel.folder, randomBytes(4).toString('hex'))
  execFileSync('ssh-keygen', ['-q', '-N', '', '-t', 'ed25519', '-f', path])
  const line = readFileSync(`${path}.pub`, 'utf8')
  return { line, wire: line.split(' ')[1] ?? '' }
}

const withKey = (key: string, isSigned = true): Partial<SftpLogin> => ({ with: { method: 'key', key, isSigned } })

describe('an SFTP login', () => {
  test('is granted with the password and the permission, and returns the permissions', async ({ inn }) => {
    const person = await someone(inn, ['sftpServer', 'putServerFiles'])

    const { answer } = await logIn(inn, { email: person.email.toUpperCase() })

    expect(answer).toMatchObject({ is: 'granted', username: person.username, grant: { userId: person.id } })
    expect(answer.is === 'granted' && answer.rights.toSorted()).toEqual(['putServerFiles', 'sftpServer', 'viewServer'])
  })

  test('is granted to administrators on every server', async ({ inn }) => {
    const { answer } = await logIn(inn, await inn.testPanel.admin())

    expect(answer.is === 'granted' && answer.rights).toContain('admin')
  })

  test.for<[string, (inn: Inn, person: TestUser) => Partial<SftpLogin>]>([
    ['a wrong password', () => ({ with: { method: 'password', password: 'wrong' } })],
    ['an account that does not exist', ({ server }) => ({ user: sftpUserOf('nobody@example.org', server) })],
    ['a server that does not exist', (_, { email }) => ({ user: sftpUserOf(email, '00000000') })],
    ['no server at all', (_, { email }) => ({ user: email })],
    ['a code where none is needed', () => ({ with: { method: 'passwordAndCode', password, code: '000000' } })],
    ['a key of nobody', () => withKey('AAAA')],
  ])('is rejected with the same error for %s', async ([, wrong], { inn }) => {
    const person = await someone(inn)

    const { status, refusal, metadata } = await logIn(inn, person, wrong(inn, person))

    expect([status, refusal, metadata]).toEqual([400, 'ErrInvalidCredentials', {}])
  })

  test('is rejected without the permission, and on a server of another node', async ({ inn }) => {
    const viewer = await someone(inn, ['viewServerFiles', 'putServerFiles'])
    const stranger = await inn.testPanel.createUser()
    const person = await someone(inn)
    for (const one of [viewer, stranger]) expect((await logIn(inn, one)).refusal).toBe('ErrInvalidCredentials')
    const grant = await grantOf(inn, person)

    await inn.testPanel.db.updateTable('servers').set({ node_id: 7 }).where('id', '=', inn.server).execute()

    expect((await logIn(inn, person)).refusal).toBe('ErrInvalidCredentials')
    expect(await rightsNow(inn, [grant])).toEqual([null])
  })

  test('counts wrong passwords per address, and does not lock out the owner elsewhere', async ({ inn }) => {
    const person = await someone(inn)
    const wrong = { with: { method: 'password', password: 'wrong' } } as const
    const refusals = []
    for (let at = 0; at <= limits.loginAttempts; at++) refusals.push((await logIn(inn, person, wrong)).refusal)

    expect(refusals.at(-1)).toBe('ErrTooManyRequests')
    expect((await logIn(inn, person)).refusal).toBe('ErrTooManyRequests')
    expect((await logIn(inn, person, { address: '203.0.113.8' })).answer.is).toBe('granted')
    expect((await inn.testPanel.send(login, { body: { email: person.email, password } })).status).toBe(200)
  })

  test('cannot be guessed by a node with changing addresses, nor locks users out', async ({ inn }) => {
    const person = await someone(inn)
    const wrong = { with: { method: 'password', password: 'wrong' } } as const
    const refusals = []
    for (let at = 0; at <= limits.loginAttemptsPerAccount; at++) {
      refusals.push((await logIn(inn, person, { ...wrong, address: `192.0.2.${at}` })).refusal)
    }
    for (let at = 0; at <= limits.loginAttempts; at++) await logIn(inn, person, { ...wrong, address: '127.0.0.1' })

    expect(refusals.slice(-2)).toEqual(['ErrInvalidCredentials', 'ErrTooManyRequests'])
    expect((await inn.testPanel.send(login, { body: { email: person.email, password } })).status).toBe(200)
  })

  test('is recorded with its address, also when it is rejected', async ({ inn }) => {
    const person = await someone(inn)
    await logIn(inn, person)
    await logIn(inn, person, { with: { method: 'password', password: 'wrong' } })

    const { answer } = await inn.testPanel.send(
      listActivity,
      { query: { action: 'server.sftp.login' } },
      await inn.testPanel.admin(),
    )

    expect(answer.activity).toMatchObject([
      { result: 'refused', code: 'ErrInvalidCredentials', server: inn.server, target: person.email, from },
      { result: 'done', user: { id: person.id }, server: inn.server, from },
    ])
    expect(answer.activity[0]).not.toHaveProperty('user')
  })
})

describe('with two-factor', () => {
  test('the password alone asks for a code, which works once', async ({ inn }) => {
    const person = await someone(inn)
    const code = await withCodes(inn, person)
    const both = (typed: string) => logIn(inn, person, { with: { method: 'passwordAndCode', password, code: typed } })

    expect((await logIn(inn, person)).answer).toEqual({ is: 'codeNeeded' })
    expect((await both('000000')).refusal).toBe('ErrInvalidCredentials')
    const typed = code(0)
    expect((await both(typed)).answer.is).toBe('granted')
    expect((await both(typed)).refusal).toBe('ErrInvalidCredentials')
    const { answer } = await inn.testPanel.send(
      listActivity,
      { query: { action: 'server.sftp.login', result: 'done' } },
      await inn.testPanel.admin(),
    )
    expect(answer.activity).toHaveLength(1)
  })

  test('a wrong password with a right code is refused, and uses up no code', async ({ inn }) => {
    const person = await someone(inn)
    const code = await withCodes(inn, person)
    const typed = code(0)

    const wrong = await logIn(inn, person, { with: { method: 'passwordAndCode', password: 'wrong', code: typed } })
    const right = await logIn(inn, person, { with: { method: 'passwordAndCode', password, code: typed } })

    expect([wrong.refusal, right.answer.is]).toEqual(['ErrInvalidCredentials', 'granted'])
  })

  test('a recovery code works too, and a kept key needs no code', async ({ inn }) => {
    const person = await someone(inn)
    const { line: key, wire } = newKey(inn)
    await inn.testPanel.send(addSshKey, { body: { key, password } }, person)
    const { answer: started } = await inn.testPanel.send(startOtp, {}, person)
    const totp = new TOTP({ algorithm: 'SHA1', digits: 6, period: 30, secret: Secret.fromBase32(started.secret) })
    const { answer } = await inn.testPanel.send(
      confirmOtp,
      { body: { token: totp.generate(), keepSshKeys: true } },
      person,
    )

    const recovery = { method: 'passwordAndCode', password, code: answer.recoveryCodes[0] ?? '' } as const
    expect((await logIn(inn, person, { with: recovery })).answer.is).toBe('granted')
    expect((await logIn(inn, person, { with: recovery })).refusal).toBe('ErrInvalidCredentials')
    expect((await logIn(inn, person, withKey(wire))).answer.is).toBe('granted')
  })
})

describe('a key', () => {
  test('logs its owner in and nobody else; only signatures count as use and as a login', async ({ inn }) => {
    const [person, other] = [await someone(inn), await someone(inn)]
    const { line: key, wire } = newKey(inn)
    await inn.testPanel.send(addSshKey, { body: { key, password } }, person)

    expect((await logIn(inn, other, withKey(wire))).refusal).toBe('ErrInvalidCredentials')
    expect((await logIn(inn, person, withKey(wire, false))).answer.is).toBe('granted')
    expect((await inn.testPanel.send(listSshKeys, {}, person)).answer[0]).not.toHaveProperty('usedAt')
    expect((await logIn(inn, person, withKey(wire))).answer.is).toBe('granted')
    expect((await inn.testPanel.send(listSshKeys, {}, person)).answer[0]).toHaveProperty('usedAt')

    const { answer } = await inn.testPanel.send(
      listActivity,
      { query: { action: 'server.sftp.login' } },
      await inn.testPanel.admin(),
    )
    expect(answer.activity.map(({ result }) => result)).toEqual(['done', 'refused'])
  })

  test('that is offered costs no password attempt, but many offers are rate-limited', async ({ inn }) => {
    const person = await someone(inn)
    const refusals = []
    for (let at = 0; at <= limits.loginAttemptsPerAddress; at++) {
      refusals.push((await logIn(inn, person, withKey('AAAA', false))).refusal)
    }

    expect(new Set(refusals.slice(0, -1))).toEqual(new Set(['ErrInvalidCredentials']))
    expect(refusals.at(-1)).toBe('ErrTooManyRequests')
    expect((await logIn(inn, person)).answer.is).toBe('granted')
  })
})

describe('open sessions', () => {
  test('have the current permissions, requested together', async ({ inn }) => {
    const [person, other, admin] = [await someone(inn), await someone(inn), await inn.testPanel.admin()]
    const grants = [await grantOf(inn, person), await grantOf(inn, other), await grantOf(inn, admin)]
    await inn.testPanel.grant(person.id, inn.server, ['sftpServer', 'putServerFiles'])
    await inn.testPanel.grant(other.id, inn.server, ['putServerFiles'])

    const [first, second, third] = await rightsNow(inn, grants)

    expect(first).toContain('putServerFiles')
    expect(second).toBeNull()
    expect(third).toContain('admin')
    expect(await rightsNow(inn, [])).toEqual([])
  })

  test.for<[string, (inn: Inn, person: TestUser) => Promise<unknown>]>([
    [
      'a new password',
      ({ testPanel }, person) => testPanel.send(putSelf, { body: { password, newPassword: 'another one' } }, person),
    ],
    ['two-factor', (inn, person) => withCodes(inn, person)],
    [
      'the end of the account',
      ({ testPanel }, { id }) => testPanel.db.deleteFrom('users').where('id', '=', id).execute(),
    ],
    [
      'the end of the server',
      ({ testPanel, server }) => testPanel.db.deleteFrom('servers').where('id', '=', server).execute(),
    ],
  ])('end with %s, whatever they were opened with', async ([, change], { inn }) => {
    const person = await someone(inn)
    const { line: key, wire } = newKey(inn)
    await inn.testPanel.send(addSshKey, { body: { key, password } }, person)
    const grants = [await grantOf(inn, person), await grantOf(inn, person, withKey(wire))]
    expect(await rightsNow(inn, grants)).toEqual([expect.any(Array), expect.any(Array)])

    await change(inn, person)

    expect(await rightsNow(inn, grants)).toEqual([null, null])
  })

  test('that were opened with a key end with it, and others do not', async ({ inn }) => {
    const person = await someone(inn)
    const { line: key, wire } = newKey(inn)
    const { answer } = await inn.testPanel.send(addSshKey, { body: { key, password } }, person)
    const grants = [await grantOf(inn, person), await grantOf(inn, person, withKey(wire))]

    await inn.testPanel.send(removeSshKey, { params: { id: answer.id } }, person)

    expect(await rightsNow(inn, grants)).toEqual([expect.any(Array), null])
  })

  test('of other users cannot be forged', async ({ inn }) => {
    const [person, other] = [await someone(inn), await someone(inn)]
    const grant = await grantOf(inn, person)

    expect(
      await rightsNow(inn, [
        { ...grant, userId: other.id },
        { ...grant, stamp: 'x' },
        { ...grant, stamp: '' },
      ]),
    ).toEqual([null, null, null])
  })
})

describe('a node', () => {
  const purpose = requestPurpose(getSftpPermissions.method, getSftpPermissions.path)
  const ask = ({ testPanel }: Inn, token: string) =>
    testPanel.request(
      getSftpPermissions.method,
      getSftpPermissions.path,
      { grants: [] },
      { id: 0, username: '', email: '', token },
    )

  test('is authenticated once per token', async ({ inn }) => {
    const token = await inn.node.token(purpose)

    expect((await ask(inn, token)).status).toBe(200)
    expect((await ask(inn, token)).refusal).toBe('ErrTokenInvalid')
  })

  test.for([
    ['another purpose', { purpose: 'POST /api/node/sftp/login' }],
    ['another audience', { aud: 'node:0' }],
    ['another node', { iss: audienceOf(1) }],
    ['no node', { iss: 'panel' }],
    ['a long life', { exp: Math.floor(Date.now() / 1000) + 3_600 }],
    ['a short number', { jti: 'x' }],
  ] as const)('is rejected with a token of %s', async ([, wrong], { inn }) => {
    expect((await ask(inn, await inn.node.token(purpose, wrong))).refusal).toBe('ErrTokenInvalid')
  })

  test('gets its clock offset with a token that would be valid at another time', async ({ inn }) => {
    const iat = Math.floor(Date.now() / 1000) - 600
    const late = await ask(inn, await inn.node.token(purpose, { iat, exp: iat + 60 }))
    expect(late).toMatchObject({ status: 401, refusal: 'ErrClockSkew' })
    expect(Number(late.metadata.skewMs)).toBeLessThan(-590_000)

    const other = await SignedNodeClient.make()
    expect((await ask(inn, await other.token(purpose, { iat, exp: iat + 60 }))).refusal).toBe('ErrTokenInvalid')
  })

  test('is rejected with the key of another node, and with its previous key', async ({ inn }) => {
    const other = await SignedNodeClient.make()
    expect((await ask(inn, await other.token(purpose))).refusal).toBe('ErrTokenInvalid')

    const { databaseUrl, db } = inn.testPanel
    await expect(TestPanel.start({ databaseUrl }, other.publicKey)).rejects.toThrow('INNKEEPER_ROLE=panel')
    // As if it had not reported for a long time.
    await db.updateTable('node_keys').set({ created_at: 0 }).execute()
    const again = await TestPanel.start({ databaseUrl }, other.publicKey)

    expect((await ask({ ...inn, testPanel: again }, await other.token(purpose))).status).toBe(200)
    expect((await ask({ ...inn, testPanel: again }, await inn.node.token(purpose))).refusal).toBe('ErrTokenInvalid')
    await again.stop()
  })
})
