import { login } from '@innkeeper/contract/accounts/auth'
import { listUsers } from '@innkeeper/contract/accounts/users'
import { getSelf } from '@innkeeper/contract/settings/panel'
import pino from 'pino'
import { expect, vi } from 'vitest'
import { type CliContext, openCliContext } from '../cli-context.ts'
import { bareDatabase, test as onDatabase } from '../testing/databases.ts'
import { test as inHouse } from '../testing/test-panel.ts'

const log = pino({ level: 'silent' })
const test = inHouse.extend<{ users: CliContext['users'] }>({
  users: async ({ testPanel }, use) => {
    const caretaking = await openCliContext({ databaseUrl: testPanel.databaseUrl, log })
    await use(caretaking.users)
    await caretaking.close()
  },
})
const keeper = { username: 'keeper', email: 'Keeper@example.org', password: 'long enough' }

test('a user added on the command line can log in, with the given permissions', async ({ testPanel, users }) => {
  const id = await users.add(keeper, { admin: true })
  await users.add({ ...keeper, username: 'Guest', email: 'guest@example.org' })

  const { status, answer } = await testPanel.send(login, { body: { email: keeper.email, password: keeper.password } })

  expect([status, answer.scopes?.includes('servers.admin')]).toEqual([200, true])
  expect(await users.list()).toMatchObject([
    { username: 'Guest', isAdmin: false, hasTwoFactor: false },
    { id, username: 'keeper', email: keeper.email, isAdmin: true, hasTwoFactor: false },
  ])
})

test('a change on the command line applies in a running panel within two seconds', async ({ testPanel, users }) => {
  const [admin, other] = [await testPanel.admin(), await testPanel.admin()]
  expect((await testPanel.send(listUsers, { query: {} }, admin)).status).toBe(200)

  await users.edit(admin.username, { isAdmin: false })
  await users.setPassword(`#${other.id}`, 'another long one')

  await vi.waitFor(
    async () => {
      expect((await testPanel.send(listUsers, { query: {} }, admin)).refusal).toBe('ErrMissingScope')
      expect((await testPanel.send(getSelf, {}, other)).refusal).toBe('ErrSessionTimedOut')
    },
    { timeout: 2_000, interval: 100 },
  )
})

test('the last administrator cannot be removed, also by two concurrent commands', async ({ testPanel, users }) => {
  const [one, other] = [await testPanel.admin(), await testPanel.admin()]

  const results = await Promise.allSettled([users.remove(one.email), users.edit(other.email, { isAdmin: false })])

  expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  expect((await users.list()).filter(({ isAdmin }) => isAdmin)).toHaveLength(1)
})

test('two-factor can be reset, which ends all sessions', async ({ testPanel, users }) => {
  const user = await testPanel.createUser()
  const row = { user_id: user.id, secret: 'A', is_on: 1, last_step: 0, created_at: 0 }
  await testPanel.db.insertInto('two_factor').values(row).execute()
  expect(await users.list()).toMatchObject([{ hasTwoFactor: true }])

  await users.edit(user.email, { hasTwoFactor: false })

  expect(await users.list()).toMatchObject([{ hasTwoFactor: false }])
  expect(await testPanel.db.selectFrom('sessions').selectAll().execute()).toEqual([])
})

test('all changes are recorded as done on the command line, without secrets', async ({ testPanel, users }) => {
  await users.add(keeper, { admin: true })
  await users.add({ ...keeper, username: 'guest', email: 'guest@example.org' })
  await users.setPassword('guest', 'another long one')
  await users.edit('GUEST', { username: 'visitor' })
  await users.remove('visitor')

  const rows = await testPanel.db.selectFrom('activity').selectAll().orderBy('id').execute()

  expect(rows.map(({ action }) => action).sort()).toEqual([
    ...['user.create', 'user.create', 'user.delete', 'user.edit', 'user.edit'],
  ])
  expect(rows.every(({ address, result }) => address === 'command line' && result === 'done')).toBe(true)
  expect(JSON.stringify(rows)).not.toMatch(/long/)
})

test.for([
  [{ ...keeper, username: 'ab' }, 'ErrUsernameRequirements'],
  [{ ...keeper, email: 'nobody' }, 'ErrFieldNotEmail'],
  [{ ...keeper, password: 'short' }, 'ErrPasswordRequirements'],
] as const)('%j cannot be added: %s', async ([wrong, code], { users }) => {
  await expect(users.add(wrong)).rejects.toMatchObject({ code })
  expect(await users.list()).toEqual([])
})

onDatabase('a missing database is not created', async ({ folder }) => {
  const opening = openCliContext({ databaseUrl: await bareDatabase(folder), log })

  await expect(opening).rejects.toThrow('There is no database yet.')
})
