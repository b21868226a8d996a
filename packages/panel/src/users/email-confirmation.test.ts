import { confirmEmail, putSelf, sendEmailConfirmation } from '@innkeeper/contract/account'
import { login, register, setup } from '@innkeeper/contract/auth'
import { acceptInvite, acceptInviteAsSelf, checkInvite, createInvite } from '@innkeeper/contract/invites'
import { limits } from '@innkeeper/contract/limits'
import { getConfig, getSelf } from '@innkeeper/contract/panel'
import { forgotPassword, resetPassword } from '@innkeeper/contract/password-reset'
import { deleteServerUser, listServerUsers, putServerUser } from '@innkeeper/contract/server-users'
import { getServer } from '@innkeeper/contract/servers'
import { putSetting } from '@innkeeper/contract/settings'
import { confirmUserEmail, createUser, editUser, getUser } from '@innkeeper/contract/users'
import { describe, expect, vi } from 'vitest'
import { House, test as inHouse, type Person, password } from '../testing/house.ts'
import { mailsTo, queueMail, tokenFor } from '../testing/mail-queue.ts'

const carol = 'carol@example.org'

const test = inHouse.extend<{ admin: Person; server: string }>({
  admin: async ({ house }, use) => {
    const admin = await house.admin()
    const key = 'panel.registrationEnabled'
    await house.send(putSetting, { params: { key }, body: { value: true } }, admin)
    await use(admin)
  },
  server: async ({ house }, use) => use(await house.server({ name: 'lobby' })),
})

/** Somebody who registers with an address that may not be theirs. */
async function registered(house: House, email = carol, username = 'mallory'): Promise<Person> {
  const { answer } = await house.send(register, { body: { username, email, password } })
  const { id } = (await house.send(getSelf, {}, { id: 0, username, email, token: answer.token })).answer
  return { id, username, email, token: answer.token }
}

const give = (house: House, id: string, email: string, flags: object, by: Person) =>
  house.send(putServerUser, { params: { id, email }, body: flags }, by)

async function sees(house: House, id: string, person: Person): Promise<boolean> {
  return (await house.send(getServer, { params: { id }, query: {} }, person)).status === 200
}

async function flagsOn(house: House, id: string, person: Person): Promise<string | undefined> {
  const row = await house.db
    .selectFrom('server_users')
    .select('rights')
    .where('server_id', '=', id)
    .where('user_id', '=', person.id)
    .executeTakeFirst()
  return row?.rights
}

const isConfirmed = async (house: House, person: Person) =>
  (await house.send(getSelf, {}, person)).answer.emailConfirmed

describe('registration', () => {
  test('is off on a new panel, and can be switched on while setting up', async () => {
    const [closed, open] = [await House.build(), await House.build()]
    const who = { username: 'keeper', email: 'keeper@example.org', password }
    const start = (house: House, more: object) =>
      house.send(setup, { body: { code: house.panel.setupCode ?? '', ...who, ...more } })

    await start(closed, {})
    await start(open, { registrationEnabled: true })

    const isOpen = async (house: House) => (await house.send(getConfig, {})).answer.registrationEnabled
    expect([await isOpen(closed), await isOpen(open)]).toEqual([false, true])
    const body = { username: 'mallory', email: carol, password }
    expect((await closed.send(register, { body })).status).toBe(404)
    expect((await open.send(register, { body })).status).toBe(200)
    await closed.pullDown()
    await open.pullDown()
  })

  test('whoever registers gets a token, the session and their scopes, and has to confirm the address', async ({
    house,
    admin,
  }) => {
    await queueMail(house, admin)

    const { answer } = await house.send(register, { body: { username: 'mallory', email: carol, password } })

    expect(answer.token).toBe(answer.session)
    expect(answer.scopes).toEqual([])
    expect(await mailsTo(house, carol, 'emailConfirm')).toMatchObject([{ username: 'mallory' }])
  })
})

describe('permissions for an address that its account never confirmed', () => {
  test('wait until the owner of the address opens the link with that account', async ({ house, admin, server }) => {
    await queueMail(house, admin)
    const mallory = await registered(house)

    const { status } = await give(house, server, carol, { startServer: true }, admin)

    expect(status).toBe(204)
    expect(await sees(house, server, mallory)).toBe(false)
    const listed = await house.send(listServerUsers, { params: { id: server }, query: {} }, admin)
    expect(listed.answer).toMatchObject([{ email: carol, username: '', isInvited: true, startServer: true }])

    const body = { token: await tokenFor(house, carol, 'invite') }
    expect((await house.send(acceptInviteAsSelf, { body }, mallory)).status).toBe(204)
    expect(await flagsOn(house, server, mallory)).toBe('startServer')
    expect(await isConfirmed(house, mallory)).toBe(true)
    expect((await house.send(acceptInviteAsSelf, { body }, mallory)).refusal).toBe('ErrInviteLinkInvalid')
  })

  test('come with the confirmation of the address, too', async ({ house, admin, server }) => {
    await queueMail(house, admin)
    const person = await registered(house)
    await give(house, server, carol, { startServer: true }, admin)

    await house.send(confirmEmail, { body: { token: await tokenFor(house, carol, 'emailConfirm') } }, person)

    expect(await flagsOn(house, server, person)).toBe('startServer')
  })

  test('go to the owner of the address, not to the stranger who registered it', async ({ house, admin, server }) => {
    await queueMail(house, admin)
    const mallory = await registered(house)
    await give(house, server, carol, { startServer: true }, admin)
    const link = { token: await tokenFor(house, carol, 'invite'), email: carol }
    expect((await house.send(checkInvite, { body: link })).answer.hasAccount).toBe(true)

    const { answer } = await house.send(acceptInvite, { body: { ...link, username: 'carol', password } })

    const owner = { ...mallory, token: answer.session }
    expect((await house.send(getSelf, {}, owner)).answer).toMatchObject({
      username: 'carol',
      email: carol,
      emailConfirmed: true,
    })
    expect(await sees(house, server, owner)).toBe(true)
    expect(await sees(house, server, mallory)).toBe(false)
    const squatter = (await house.send(getSelf, {}, mallory)).answer
    expect(squatter.username).toBe('mallory')
    expect(squatter.email).toMatch(/@unconfirmed\.invalid$/)
  })

  test('a pending invite is not spoiled by a stranger who registers the address', async ({ house, admin, server }) => {
    await queueMail(house, admin)
    await give(house, server, carol, { startServer: true }, admin)
    const link = { token: await tokenFor(house, carol, 'invite'), email: carol }
    const mallory = await registered(house)

    const { status } = await house.send(acceptInvite, { body: { ...link, username: 'carol', password } })

    expect(status).toBe(200)
    expect(await sees(house, server, mallory)).toBe(false)
  })

  test('without mail they are refused, and an administrator can confirm the address', async ({
    house,
    admin,
    server,
  }) => {
    const person = await registered(house)

    const refused = await give(house, server, carol, { startServer: true }, admin)
    expect([refused.status, refused.refusal]).toEqual([409, 'ErrEmailNotConfirmed'])
    expect(await sees(house, server, person)).toBe(false)

    await house.send(confirmUserEmail, { params: { id: person.id } }, admin)
    expect((await house.send(getUser, { params: { id: person.id } }, admin)).answer.emailConfirmed).toBe(true)
    expect((await give(house, server, carol, { startServer: true }, admin)).status).toBe(204)
    expect(await flagsOn(house, server, person)).toBe('startServer')
  })

  test('can be taken back before they are accepted', async ({ house, admin, server }) => {
    await queueMail(house, admin)
    const person = await registered(house)
    await give(house, server, carol, { startServer: true }, admin)

    const params = { id: server, email: carol }
    expect((await house.send(deleteServerUser, { params }, admin)).status).toBe(204)

    await house.send(confirmUserEmail, { params: { id: person.id } }, admin)
    expect(await sees(house, server, person)).toBe(false)
  })

  test('an invite to the panel goes out although somebody registered the address', async ({ house, admin }) => {
    await queueMail(house, admin)
    const person = await registered(house)

    expect((await house.send(createInvite, { body: { email: carol } }, admin)).status).toBe(200)
    await house.send(confirmUserEmail, { params: { id: person.id } }, admin)
    expect((await house.send(createInvite, { body: { email: carol } }, admin)).refusal).toBe('ErrDuplicateEmail')
  })
})

describe('an address that its owner changes', () => {
  test('has to be confirmed again, and keeps the permissions that the account had', async ({
    house,
    admin,
    server,
  }) => {
    await queueMail(house, admin)
    const person = await house.person({ on: { [server]: ['startServer'] } })
    expect(await isConfirmed(house, person)).toBe(true)

    await house.send(putSelf, { body: { email: carol, password } }, person)

    expect(await isConfirmed(house, person)).toBe(false)
    expect(await flagsOn(house, server, person)).toBe('startServer')
    expect(await mailsTo(house, carol, 'emailConfirm')).toHaveLength(1)

    await give(house, server, carol, { stopServer: true }, admin)
    expect(await flagsOn(house, server, person)).toBe('')
    const listed = await house.send(listServerUsers, { params: { id: server }, query: {} }, admin)
    expect(listed.answer).toMatchObject([{ username: person.username, isInvited: true }])

    await house.send(confirmEmail, { body: { token: await tokenFor(house, carol, 'emailConfirm') } }, person)
    expect(await flagsOn(house, server, person)).toBe('stopServer')
  })

  test('written in other letters of the same case-blind address stays confirmed', async ({ house }) => {
    const person = await house.person()

    await house.send(putSelf, { body: { email: person.email.toUpperCase(), password } }, person)

    expect(await isConfirmed(house, person)).toBe(true)
  })
})

describe('the link that confirms an address', () => {
  test('is good once, for its account only, and not for ever', async () => {
    let now = Date.now()
    const house = await House.build({ now: () => now })
    const [admin, other] = [await house.admin(), await house.person()]
    await queueMail(house, admin)
    const person = await house.person()
    const confirm = async (who: Person) =>
      house.send(confirmEmail, { body: { token: await tokenFor(house, carol, 'emailConfirm') } }, who)
    await house.send(putSelf, { body: { email: carol, password } }, person)

    expect((await confirm(other)).refusal).toBe('ErrTokenInvalid')
    expect((await confirm(person)).status).toBe(204)
    expect((await confirm(person)).refusal).toBe('ErrTokenInvalid')

    await house.send(putSelf, { body: { email: `new.${carol}`, password } }, person)
    // A mail that is given up keeps no link, and this one is long overdue then.
    const body = { token: await tokenFor(house, `new.${carol}`, 'emailConfirm') }
    now += limits.emailConfirmationLifeMs
    const { answer } = await house.send(login, { body: { email: `new.${carol}`, password } })
    const late = { ...person, token: answer.session ?? '' }
    expect((await house.send(confirmEmail, { body }, late)).refusal).toBe('ErrTokenInvalid')
    await house.pullDown()
  })

  test('is sent again when asked for, a few times', async ({ house, admin }) => {
    const person = await registered(house)
    const ask = () => house.send(sendEmailConfirmation, {}, person)
    expect((await ask()).refusal).toBe('ErrEmailNotConfigured')
    await queueMail(house, admin)

    const replies = [await ask(), await ask(), await ask(), await ask()]

    expect(replies.map(({ status }) => status)).toEqual([204, 204, 204, 429])
    expect(await mailsTo(house, carol, 'emailConfirm')).toHaveLength(3)
  })

  test('no mail goes to the address of an account that lost its own', async ({ house, admin, server }) => {
    await queueMail(house, admin)
    const mallory = await registered(house)
    await give(house, server, carol, {}, admin)
    const link = { token: await tokenFor(house, carol, 'invite'), email: carol }
    await house.send(acceptInvite, { body: { ...link, username: 'carol', password } })

    await house.send(putSelf, { body: { password, newPassword: 'another one' } }, mallory)

    const rows = await house.db.selectFrom('mails').select('recipient').execute()
    expect(rows.filter(({ recipient }) => recipient.endsWith('.invalid'))).toEqual([])
  })
})

describe('who vouches for an address', () => {
  test('a link for a forgotten password proves it', async ({ house, admin }) => {
    await queueMail(house, admin)
    const person = await registered(house)
    await house.send(forgotPassword, { body: { email: carol } })
    const token = await vi.waitFor(async () => {
      const found = await tokenFor(house, carol, 'passwordReset')
      expect(found).not.toBe('')
      return found
    })

    await house.send(resetPassword, { body: { token, password: 'another one' } })

    const { answer } = await house.send(login, { body: { email: carol, password: 'another one' } })
    expect(await isConfirmed(house, { ...person, token: answer.session ?? '' })).toBe(true)
  })

  test('an administrator who makes the account does, anybody else who makes it does not', async ({ house, admin }) => {
    await queueMail(house, admin)
    const editor = await house.person({ scopes: ['users.edit', 'users.view'] })
    const make = async (username: string, by: Person) => {
      const body = { username, email: `${username}@example.org`, password }
      const { id } = (await house.send(createUser, { body }, by)).answer
      return (await house.send(getUser, { params: { id } }, editor)).answer
    }

    const [vouched, open] = [await make('vouched', admin), await make('open', editor)]

    expect([vouched.emailConfirmed, open.emailConfirmed]).toEqual([true, false])
    expect(await mailsTo(house, 'open@example.org', 'emailConfirm')).toHaveLength(1)
    const change = (id: number, email: string, by: Person) =>
      house.send(editUser, { params: { id }, body: { email } }, by)
    const now = async (id: number) => (await house.send(getUser, { params: { id } }, editor)).answer.emailConfirmed
    await change(vouched.id, 'moved@example.org', editor)
    expect(await now(vouched.id)).toBe(false)
    await change(vouched.id, 'moved-again@example.org', admin)
    expect(await now(vouched.id)).toBe(true)
  })

  test('an account that an administrator makes for an invited address gets what it was invited to', async ({
    house,
    admin,
    server,
  }) => {
    await queueMail(house, admin)
    await give(house, server, carol, { startServer: true }, admin)

    const { id } = (await house.send(createUser, { body: { username: 'carol', email: carol, password } }, admin)).answer

    expect(await flagsOn(house, server, { ...admin, id })).toBe('startServer')
  })

  test('only an administrator confirms the address of somebody else', async ({ house }) => {
    const [editor, person] = [await house.person({ scopes: ['users.edit'] }), await house.person()]

    const { refusal, metadata } = await house.send(confirmUserEmail, { params: { id: person.id } }, editor)

    expect([refusal, metadata]).toEqual(['ErrMissingScope', { scope: 'servers.admin' }])
  })
})
