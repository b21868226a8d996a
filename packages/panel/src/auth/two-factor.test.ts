import {
  confirmOtp,
  disableOtp,
  getOtp,
  putSelf,
  renewRecoveryCodes,
  startOtp,
} from '@innkeeper/contract/accounts/account'
import { login, pendingLoginCookie } from '@innkeeper/contract/accounts/auth'
import { deleteUser, getUser, resetUserOtp } from '@innkeeper/contract/accounts/users'
import { refusalFrom } from '@innkeeper/contract/errors/refusal-envelope'
import { getSelf } from '@innkeeper/contract/settings/panel'
import { Secret, TOTP } from 'otpauth'
import { toDataURL } from 'qrcode'
import { test as base, describe, expect } from 'vitest'
import { maxLoginAttempts, rateLimitWindowMs } from '../security/rate-limiter.ts'
import { mailsTo, queueMail } from '../testing/mail-queue.ts'
import { password, TestPanel, type TestUser } from '../testing/test-panel.ts'
import { wrongCodesToLock } from './otp-attempts.ts'
import { recoveryCodeCount } from './otp-codes.ts'
import { maxOtpAttempts, pendingLoginLifetimeMs } from './pending-logins.ts'

const stepMs = 30_000

/** A panel with a controllable clock, and a user with an authenticator. */
class Door {
  readonly testPanel: TestPanel
  readonly #clock: { now: number }

  constructor(testPanel: TestPanel, clock: { now: number }) {
    this.testPanel = testPanel
    this.#clock = clock
  }

  wait(ms: number): void {
    this.#clock.now += ms
  }

  /** ISO 8601. */
  get time(): string {
    return new Date(this.#clock.now).toISOString()
  }

  code(secret: string): string {
    return TOTP.generate({ secret: Secret.fromBase32(secret), timestamp: this.#clock.now })
  }

  /** Enables two-factor, and waits until its code expires. */
  async enrol(user: TestUser): Promise<{ secret: string; recoveryCodes: readonly string[] }> {
    const { secret } = (await this.testPanel.send(startOtp, {}, user)).answer
    const { status, answer } = await this.testPanel.send(confirmOtp, { body: { token: this.code(secret) } }, user)
    expect(status).toBe(200)
    this.wait(2 * stepMs)
    return { secret, recoveryCodes: answer.recoveryCodes }
  }

  async post(url: string, payload: object, { cookie = '', address = '10.0.0.1' } = {}) {
    const headers = { cookie: `${pendingLoginCookie}=${cookie}` }
    const inject = { method: 'POST', url, payload, headers, remoteAddress: address } as const
    const response = await this.testPanel.panel.app.inject(inject)
    const cookies = [response.headers['set-cookie'] ?? []].flat()
    return {
      status: response.statusCode,
      answer: response.json<{ session?: string; otpNeeded?: boolean }>(),
      refusal: refusalFrom(response.json())?.code,
      cookies,
    }
  }

  /** Logs in with the password and returns the cookie of the pending login. */
  async knock({ email }: TestUser, address?: string): Promise<string> {
    const { answer, cookies } = await this.post('/auth/login', { email, password }, { address })
    expect(answer).toEqual({ otpNeeded: true })
    return /=(?<value>[^;]+)/.exec(cookies[0] ?? '')?.groups?.value ?? ''
  }
}

const test = base.extend<{ door: Door }>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads what a fixture needs from its pattern
  door: async ({}, use) => {
    const clock = { now: Date.now() }
    const testPanel = await TestPanel.start({ now: () => clock.now })
    await use(new Door(testPanel, clock))
    await testPanel.stop()
  },
})

test('a login needs no code until the enrolment is confirmed; afterwards the password alone opens no session', async ({
  door,
}) => {
  const user = await door.testPanel.createUser()
  const started = await door.testPanel.send(startOtp, {}, user)
  expect(started.answer.secret).toMatch(/^[A-Z2-7]{32}$/)
  const scanned = `otpauth://totp/Innkeeper:${encodeURIComponent(user.email)}?issuer=Innkeeper&secret=${started.answer.secret}&algorithm=SHA1&digits=6&period=30`
  expect(started.answer.img).toBe(await toDataURL(scanned, { width: 256, margin: 2 }))
  expect((await door.post('/auth/login', { email: user.email, password })).answer).toHaveProperty('session')

  door.wait(stepMs / 2)
  const confirmed = await door.testPanel.send(confirmOtp, { body: { token: door.code(started.answer.secret) } }, user)
  const { answer, cookies } = await door.post('/auth/login', { email: user.email, password })

  expect(confirmed.answer.recoveryCodes).toHaveLength(recoveryCodeCount)
  expect(answer).toEqual({ otpNeeded: true })
  expect(cookies).toHaveLength(1)
  expect(cookies[0]).toMatch(/^innkeeper_login=[\w-]{43}; Max-Age=300; Path=\/auth; HttpOnly; SameSite=Strict$/)
  expect((await door.testPanel.send(getOtp, {}, user)).answer).toEqual({
    otpEnabled: true,
    enabledAt: door.time,
    recoveryCodesLeft: recoveryCodeCount,
  })
})

test('a code completes the login, and the pending login ends', async ({ door }) => {
  const user = await door.testPanel.createUser()
  const { secret } = await door.enrol(user)
  const cookie = await door.knock(user)

  const { status, answer, cookies } = await door.post('/auth/otp', { token: ` ${door.code(secret)}` }, { cookie })

  expect(status).toBe(200)
  expect(cookies.some((one) => one.startsWith('innkeeper_login=; '))).toBe(true)
  const self = await door.testPanel.send(getSelf, {}, { ...user, token: answer.session ?? '' })
  expect(self.answer.id).toBe(user.id)
  door.wait(2 * stepMs)
  expect((await door.post('/auth/otp', { token: door.code(secret) }, { cookie })).refusal).toBe('ErrSessionExpired')
})

test('each code works once, including the one of the enrolment', async ({ door }) => {
  const user = await door.testPanel.createUser()
  const { secret } = (await door.testPanel.send(startOtp, {}, user)).answer
  const first = door.code(secret)
  await door.testPanel.send(confirmOtp, { body: { token: first } }, user)

  const replayed = await door.post('/auth/otp', { token: first }, { cookie: await door.knock(user) })
  door.wait(2 * stepMs)
  const second = door.code(secret)
  const cookies = [await door.knock(user), await door.knock(user)]
  const both = await Promise.all(cookies.map((cookie) => door.post('/auth/otp', { token: second }, { cookie })))
  door.wait(-stepMs)
  const before = await door.post('/auth/otp', { token: door.code(secret) }, { cookie: await door.knock(user) })

  expect(replayed.refusal).toBe('ErrInvalidCredentials')
  expect(both.map(({ status }) => status).sort()).toEqual([200, 400])
  expect(before.refusal).toBe('ErrInvalidCredentials')
})

test('a pending login has few attempts; afterwards the right code is rejected', async ({ door }) => {
  const user = await door.testPanel.createUser()
  const { secret } = await door.enrol(user)
  const cookie = await door.knock(user)

  for (let tried = 0; tried < maxOtpAttempts; tried++) {
    expect((await door.post('/auth/otp', { token: '000000' }, { cookie })).refusal).toBe('ErrInvalidCredentials')
  }

  expect((await door.post('/auth/otp', { token: door.code(secret) }, { cookie })).refusal).toBe('ErrSessionExpired')
})

test('concurrent attempts are all counted', async ({ door }) => {
  const user = await door.testPanel.createUser()
  await door.enrol(user)
  const cookie = await door.knock(user)

  const replies = await Promise.all(
    Array.from({ length: 9 }, () => door.post('/auth/otp', { token: '000000' }, { cookie })),
  )

  expect(replies.filter(({ refusal }) => refusal === 'ErrInvalidCredentials')).toHaveLength(maxOtpAttempts)
})

test('new logins do not allow more guesses of the code', async ({ door }) => {
  const user = await door.testPanel.createUser()
  const { secret } = await door.enrol(user)
  const replies = []

  for (let tried = 0; tried < maxLoginAttempts; tried++) {
    const cookie = await door.knock(user)
    replies.push(await door.post('/auth/otp', { token: '000000' }, { cookie }))
  }
  const eleventh = await door.post('/auth/login', { email: user.email, password })

  expect(new Set(replies.map(({ refusal }) => refusal))).toEqual(new Set(['ErrInvalidCredentials']))
  expect(eleventh.refusal).toBe('ErrTooManyRequests')
  // The owner can log in from another address.
  const cookie = await door.knock(user, '192.0.2.7')
  const owner = await door.post('/auth/otp', { token: door.code(secret) }, { cookie, address: '192.0.2.7' })
  expect(owner.status).toBe(200)
})

describe('wrong codes in a row', () => {
  /** Enters wrong codes from different addresses, so that the limits per address are not reached. */
  async function guess(door: Door, user: TestUser, times: number): Promise<(string | undefined)[]> {
    const refusals = []
    for (let at = 0; at < times; at++) {
      const address = `192.0.2.${at % 250}`
      const cookie = await door.knock(user, address)
      refusals.push((await door.post('/auth/otp', { token: '000000' }, { cookie, address })).refusal)
      door.wait(rateLimitWindowMs / 10)
    }
    return refusals
  }

  test('end at a maximum, however slow they are: afterwards only a recovery code works', async ({ door }) => {
    const [admin, user] = [await door.testPanel.admin(), await door.testPanel.createUser()]
    await queueMail(door.testPanel, admin)
    const { secret, recoveryCodes } = await door.enrol(user)

    const refusals = await guess(door, user, wrongCodesToLock + 1)

    expect(new Set(refusals.slice(0, -1))).toEqual(new Set(['ErrInvalidCredentials']))
    expect(refusals.at(-1)).toBe('ErrOtpLocked')
    const right = await door.post('/auth/otp', { token: door.code(secret) }, { cookie: await door.knock(user) })
    expect([right.status, right.refusal]).toEqual([403, 'ErrOtpLocked'])
    expect(await mailsTo(door.testPanel, user.email, 'otpWrongCodes')).toHaveLength(1)
    expect(await mailsTo(door.testPanel, user.email, 'otpLocked')).toHaveLength(1)

    const [first = ''] = recoveryCodes
    const recovered = await door.post('/auth/otp', { token: first }, { cookie: await door.knock(user) })
    expect(recovered.status).toBe(200)
    const after = await door.post('/auth/otp', { token: door.code(secret) }, { cookie: await door.knock(user) })
    expect(after.status).toBe(200)
  }, 120_000)

  test('are reset by a right code', async ({ door }) => {
    const user = await door.testPanel.createUser()
    const { secret } = await door.enrol(user)
    const wrong_codes = wrongCodesToLock - 1
    await door.testPanel.db.updateTable('two_factor').set({ wrong_codes }).execute()

    const { status } = await door.post('/auth/otp', { token: door.code(secret) }, { cookie: await door.knock(user) })

    expect(status).toBe(200)
    const row = await door.testPanel.db.selectFrom('two_factor').select('wrong_codes').executeTakeFirst()
    expect(row).toEqual({ wrong_codes: 0 })
  })

  test('are accepted again after an administrator resets two-factor', async ({ door }) => {
    const [admin, user] = [await door.testPanel.admin(), await door.testPanel.createUser()]
    await door.enrol(user)
    await door.testPanel.db.updateTable('two_factor').set({ wrong_codes: wrongCodesToLock }).execute()

    await door.testPanel.send(resetUserOtp, { params: { id: user.id } }, admin)

    expect((await door.post('/auth/login', { email: user.email, password })).answer).toHaveProperty('session')
  })
})

test('a password alone is not recorded as a login; the code is', async ({ door }) => {
  const user = await door.testPanel.createUser()
  const { secret } = await door.enrol(user)
  const written = async () =>
    (await door.testPanel.db.selectFrom('activity').select(['action', 'result']).orderBy('id').execute()).filter(
      ({ action }) => action.startsWith('session.'),
    )

  const cookie = await door.knock(user)
  expect(await written()).toEqual([])
  await door.post('/auth/otp', { token: door.code(secret) }, { cookie })

  expect(await written()).toEqual([{ action: 'session.otp', result: 'done' }])
})

test('a code without a pending login is rejected, and so is a late one', async ({ door }) => {
  const user = await door.testPanel.createUser()
  const { secret } = await door.enrol(user)
  const cookie = await door.knock(user)

  const without = await door.post('/auth/otp', { token: door.code(secret) })
  const invented = await door.post('/auth/otp', { token: door.code(secret) }, { cookie: 'x'.repeat(43) })
  door.wait(pendingLoginLifetimeMs + 1)
  const late = await door.post('/auth/otp', { token: door.code(secret) }, { cookie })

  expect([without.status, without.refusal]).toEqual([400, 'ErrInvalidSession'])
  expect(invented.refusal).toBe('ErrSessionExpired')
  expect(late.refusal).toBe('ErrSessionExpired')
})

test('a recovery code replaces an authenticator code once, in any spelling', async ({ door }) => {
  const user = await door.testPanel.createUser()
  const { recoveryCodes } = await door.enrol(user)
  const [first = ''] = recoveryCodes
  const typed = first.toLowerCase().replaceAll('-', ' ')

  const once = await door.post('/auth/otp', { token: typed }, { cookie: await door.knock(user) })
  const second = await door.post('/auth/otp', { token: first }, { cookie: await door.knock(user) })

  expect(once.status).toBe(200)
  expect(second.refusal).toBe('ErrInvalidCredentials')
  const kept = JSON.stringify(await door.testPanel.db.selectFrom('recovery_codes').selectAll().execute())
  for (const code of recoveryCodes) expect(kept).not.toContain(code.replaceAll('-', ''))
})

test('new recovery codes replace the old ones, and require a code', async ({ door }) => {
  const user = await door.testPanel.createUser()
  const { secret, recoveryCodes } = await door.enrol(user)

  const wrong = await door.testPanel.send(renewRecoveryCodes, { body: { token: '000000' } }, user)
  const renewed = await door.testPanel.send(renewRecoveryCodes, { body: { token: door.code(secret) } }, user)

  expect(wrong.refusal).toBe('ErrInvalidCredentials')
  expect(renewed.answer.recoveryCodes).toHaveLength(recoveryCodeCount)
  const old = await door.post('/auth/otp', { token: recoveryCodes[0] }, { cookie: await door.knock(user) })
  expect(old.refusal).toBe('ErrInvalidCredentials')
})

test('a stolen session cannot replace the authenticator', async ({ door }) => {
  const user = await door.testPanel.createUser()
  await door.enrol(user)

  const second = await door.testPanel.send(startOtp, {}, user)
  const off = await door.testPanel.send(disableOtp, { params: { token: '000000' } }, user)

  expect([second.status, second.refusal]).toEqual([409, 'ErrOtpEnabled'])
  expect(off.refusal).toBe('ErrInvalidCredentials')
  expect((await door.testPanel.send(getOtp, {}, user)).answer.otpEnabled).toBe(true)
})

test('a new secret invalidates the one that was not confirmed', async ({ door }) => {
  const user = await door.testPanel.createUser()
  const { secret: before } = (await door.testPanel.send(startOtp, {}, user)).answer
  const { secret: after } = (await door.testPanel.send(startOtp, {}, user)).answer

  const [old, right] = [door.code(before), door.code(after)]

  expect((await door.testPanel.send(confirmOtp, { body: { token: old } }, user)).refusal).toBe('ErrInvalidCredentials')
  expect((await door.testPanel.send(confirmOtp, { body: { token: right } }, user)).status).toBe(200)
})

test('concurrent enrolments result in one secret', async ({ door }) => {
  const user = await door.testPanel.createUser()

  const replies = await Promise.all([1, 2, 3].map(() => door.testPanel.send(startOtp, {}, user)))

  expect(replies.map(({ status }) => status)).toEqual([200, 200, 200])
  expect(await door.testPanel.db.selectFrom('two_factor').selectAll().execute()).toHaveLength(1)
})

test('enabling or disabling ends all other sessions immediately', async ({ door }) => {
  const { testPanel } = door
  const user = await testPanel.createUser()
  const open = async () => (await door.post('/auth/login', { email: user.email, password })).answer.session ?? ''
  const other = { ...user, token: await open() }
  expect((await testPanel.send(getSelf, {}, other)).status).toBe(200)

  const { secret } = await door.enrol(user)
  expect((await testPanel.send(getSelf, {}, other)).status).toBe(401)
  const cookie = await door.knock(user)
  const token = (await door.post('/auth/otp', { token: door.code(secret) }, { cookie })).answer.session ?? ''
  door.wait(2 * stepMs)
  const off = await testPanel.send(disableOtp, { params: { token: door.code(secret) } }, user)

  expect(off.status).toBe(204)
  expect((await testPanel.send(getSelf, {}, { ...user, token })).status).toBe(401)
  expect((await testPanel.send(getSelf, {}, user)).status).toBe(200)
  expect(await testPanel.db.selectFrom('two_factor').selectAll().execute()).toEqual([])
  expect((await testPanel.send(login, { body: { email: user.email, password } })).answer.session).toBeTruthy()
})

test('a new password ends pending logins', async ({ door }) => {
  const user = await door.testPanel.createUser()
  const { secret } = await door.enrol(user)
  const cookie = await door.knock(user)

  const body = { password, newPassword: 'another password' }
  expect((await door.testPanel.send(putSelf, { body }, user)).status).toBe(204)

  expect((await door.post('/auth/otp', { token: door.code(secret) }, { cookie })).refusal).toBe('ErrSessionExpired')
})

test('the secret is only returned before the confirmation', async ({ door }) => {
  const user = await door.testPanel.createUser()
  const admin = await door.testPanel.admin()
  const { secret } = await door.enrol(user)

  const texts = [
    await door.testPanel.send(getOtp, {}, user),
    await door.testPanel.send(getUser, { params: { id: user.id } }, admin),
    await door.testPanel.send(getSelf, {}, user),
  ]

  expect(JSON.stringify(texts)).not.toContain(secret)
})

test('an administrator can reset two-factor of a user', async ({ door }) => {
  const { testPanel } = door
  const [admin, user, support] = [
    await testPanel.admin(),
    await testPanel.createUser(),
    await testPanel.createUser({ scopes: ['users.edit'] }),
  ]
  const boss = await testPanel.admin()
  await door.enrol(user)
  await door.enrol(boss)

  const tooMuch = await testPanel.send(resetUserOtp, { params: { id: boss.id } }, support)
  const ownAccount = await testPanel.send(resetUserOtp, { params: { id: admin.id } }, admin)
  const reset = await testPanel.send(resetUserOtp, { params: { id: user.id } }, support)

  expect([tooMuch.refusal, ownAccount.refusal, reset.status]).toEqual(['ErrMissingScope', 'ErrOwnAccount', 204])
  expect((await testPanel.send(getSelf, {}, user)).status).toBe(401)
  expect((await testPanel.send(login, { body: { email: user.email, password } })).answer.session).toBeTruthy()
})

test('a user deleted during a pending login cannot log in', async ({ door }) => {
  const [admin, user] = [await door.testPanel.admin(), await door.testPanel.createUser()]
  const { secret } = await door.enrol(user)
  const cookie = await door.knock(user)

  await door.testPanel.send(deleteUser, { params: { id: user.id } }, admin)

  expect((await door.post('/auth/otp', { token: door.code(secret) }, { cookie })).refusal).toBe('ErrSessionExpired')
})
