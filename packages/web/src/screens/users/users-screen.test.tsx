import { createInvite, listInvites } from '@innkeeper/contract/invites'
import { getConfig } from '@innkeeper/contract/panel'
import { Refusal } from '@innkeeper/contract/refusals'
import {
  confirmUserEmail,
  createUser,
  deleteUser,
  editUser,
  getUser,
  getUserPermissions,
  listUserServers,
  listUsers,
  putUserPermissions,
  type UserEntry,
} from '@innkeeper/contract/users'
import { screen, waitFor, within } from '@testing-library/react'
import { expect, onTestFinished, test } from 'vitest'
import { FakePanel } from '../../testing/fake-panel.ts'
import { openApp } from '../../testing/open-app.tsx'
import { holdAPhone } from '../../testing/open-part.tsx'
import { aConfig } from '../../testing/samples.ts'
import { disableStrictMode } from '../../testing/strict-mode.ts'

const admin = ['servers.admin']

const people: readonly UserEntry[] = [
  { id: 1, username: 'mara', email: 'mara@example.net', access: 'admin' },
  { id: 2, username: 'tamsin', email: 'tamsin@example.net', access: 'some' },
  { id: 3, username: 'rune', email: 'rune@example.net', access: 'none' },
]

function aPanel(): FakePanel {
  const panel = new FakePanel()
  panel.answer(listUsers, ({ query }) => {
    const sought = (query.get('username') ?? '').replaceAll('*', '')
    const users = people.filter(({ username }) => username.includes(sought))
    return { users: [...users], paging: { page: Number(query.get('page')), pageSize: 10, maxSize: 100, total: 37 } }
  })
  panel.answer(getUser, ({ path }) => {
    const found = people.find(({ id }) => path === `/api/users/${id}`)
    return found
      ? { ...found, otpEnabled: found.id === 2, emailConfirmed: found.id !== 3 }
      : new Refusal('ErrUserNotFound')
  })
  panel.answer(getUserPermissions, ({ path }) => (path.includes('/1/') ? { admin: true } : { viewNodes: true }))
  panel.answer(editUser, undefined)
  panel.answer(putUserPermissions, undefined)
  panel.answer(deleteUser, undefined)
  panel.answer(listUserServers, { servers: [], paging: { page: 1, pageSize: 100, maxSize: 100, total: 0 } })
  panel.answer(listInvites, { invites: [], paging: { page: 1, pageSize: 10, maxSize: 100, total: 0 } })
  return panel
}

/** A panel on which somebody else may change tamsin meanwhile. */
function aPanelWithOthers() {
  const panel = aPanel()
  const tamsin = { id: 2, username: 'tamsin', email: 'tamsin@example.net', otpEnabled: false, emailConfirmed: true }
  const there = { tamsin, flags: { viewNodes: true } as Record<string, boolean> }
  panel.answer(getUser, () => there.tamsin)
  panel.answer(getUserPermissions, () => there.flags)
  panel.answer(editUser, ({ body }) => {
    there.tamsin = { ...there.tamsin, ...(body as object) }
    return undefined
  })
  panel.answer(putUserPermissions, ({ body }) => {
    there.flags = body as Record<string, boolean>
    return undefined
  })
  panel.version(getUser, editUser, () => JSON.stringify(there.tamsin))
  panel.version(getUserPermissions, putUserPermissions, () => JSON.stringify(there.flags))
  return { panel, there }
}

const open = (path: string, as: readonly string[] = admin, panel = aPanel()) => openApp(path, { as, panel })
const field = (name: string) => screen.getByLabelText<HTMLInputElement>(name)
const permission = (name: string) => screen.getByRole<HTMLInputElement>('switch', { name: new RegExp(`^${name}`) })

test('the list says who administers and who has no access yet, and leads to each', async () => {
  const { user, path } = await open('/user')
  const list = await screen.findByRole('list', { name: 'Users' })
  expect(within(list).getByRole('link', { name: /mara.*Admin/ })).toBeDefined()
  expect(within(list).getByRole('link', { name: /rune.*No access yet/ })).toBeDefined()

  await user.click(within(list).getByRole('link', { name: /tamsin/ }))

  await screen.findByRole('heading', { name: 'tamsin' })
  expect(path()).toBe('/user/2')
  expect(screen.getByText('Two-factor on')).toBeDefined()
})

test('the panel is asked for a part of the name when the typing rests, and the address keeps it', async () => {
  disableStrictMode()
  const { user, panel, router } = await open('/user')
  await screen.findByRole('link', { name: /mara@/ })

  await user.type(screen.getByRole('searchbox', { name: 'Search by username' }), 'run')

  await waitFor(() => expect(screen.queryByRole('link', { name: /mara@/ })).toBeNull())
  expect(panel.asked(listUsers).map(({ query }) => query.get('username'))).toEqual([null, '*run*'])
  expect(router.state.location.search).toBe('?q=run')
  await user.click(screen.getByRole('link', { name: /rune/ }))
  await waitFor(() => expect(router.state.location.pathname + router.state.location.search).toBe('/user/3?q=run'))
})

test('the list comes in pages', async () => {
  const { user, panel } = await open('/user')
  await screen.findByText('1–10 of 37')

  await user.click(screen.getByRole('button', { name: 'Next page' }))

  await screen.findByText('11–20 of 37')
  expect(panel.asked(listUsers).at(-1)?.query.get('page')).toBe('2')
})

test('what changed about a person and their permissions is counted and saved together', async () => {
  const { user, panel } = await open('/user/2')
  await screen.findByRole('heading', { name: 'tamsin' })

  await user.clear(field('Username'))
  await user.type(field('Username'), 'tamsin_r')
  await user.click(permission('Create servers'))
  await screen.findByText('2 unsaved changes')
  await user.click(screen.getByRole('button', { name: 'Save' }))

  await screen.findByText('Saved')
  expect(panel.asked(editUser).map(({ body }) => body)).toEqual([{ username: 'tamsin_r' }])
  expect(panel.asked(putUserPermissions).map(({ body }) => body)).toEqual([{ createServers: true, viewNodes: true }])
})

test('an administrator may everything, so the other switches are read-only', async () => {
  const { user } = await open('/user/2')
  await user.click(await screen.findByRole('switch', { name: /^Administrator/ }))

  expect(permission('Create servers').disabled).toBe(true)
  expect(permission('Create servers').checked).toBe(true)
})

test('people give only permissions that they have themselves', async () => {
  await open('/user/2', ['users.view', 'users.edit', 'templates.view'])
  await screen.findByText('You can only give permissions that you have yourself.')

  expect(permission('View templates').disabled).toBe(false)
  expect(permission('Edit templates').disabled).toBe(true)
  expect(permission('View nodes').disabled).toBe(false)
  expect(permission('Administrator').disabled).toBe(true)
})

test('what is typed about a person while they are saved stays', async () => {
  const { panel } = aPanelWithOthers()
  const { user } = await open('/user/2', admin, panel)
  await user.type(await screen.findByLabelText('Username'), '_r')
  const end = panel.hold(editUser)
  await user.click(screen.getByRole('button', { name: 'Save' }))
  await user.click(permission('Create servers'))

  end()

  await screen.findByText('Saved')
  expect(permission('Create servers').checked).toBe(true)
  expect(screen.getByText('1 unsaved change')).toBeDefined()
})

test('permissions that somebody else gave meanwhile stay, beside the own change', async () => {
  const { panel, there } = aPanelWithOthers()
  const { user } = await open('/user/2', admin, panel)
  await user.click(await screen.findByRole('switch', { name: /^Create servers/ }))
  there.flags = { viewNodes: true, viewTemplates: true }

  await user.click(screen.getByRole('button', { name: 'Save' }))

  await screen.findByText('Saved')
  expect(there.flags).toEqual({ viewNodes: true, viewTemplates: true, createServers: true })
})

test('a person whom somebody else renamed too is not renamed unasked', async () => {
  const { panel, there } = aPanelWithOthers()
  const { user } = await open('/user/2', admin, panel)
  await user.type(await screen.findByLabelText('Username'), '_r')
  there.tamsin = { ...there.tamsin, username: 'tamsin_s' }

  await user.click(screen.getByRole('button', { name: 'Save' }))

  const notice = within(await screen.findByRole('alert'))
  expect(notice.getByText('tamsin_r')).toBeDefined()
  expect(notice.getByText('tamsin_s')).toBeDefined()
  expect(there.tamsin.username).toBe('tamsin_s')
})

test('a person who is being added is not left behind unasked', async () => {
  const { user } = await open('/adduser')
  await user.type(await screen.findByLabelText('Username'), 'wren')

  await user.click(screen.getAllByRole('link', { name: /^Nodes/ })[0] as HTMLElement)

  expect(await screen.findByRole('dialog', { name: 'Leave without saving?' })).toBeDefined()
})

test('a person who cannot be added for no known reason is told so, with the details', async () => {
  const panel = aPanel()
  panel.answer(createUser, new Refusal('ErrUnknownError'))
  const { user } = await open('/adduser', admin, panel)
  await user.type(await screen.findByLabelText('Username'), 'wren')
  await user.type(field('Email'), 'wren@example.net')
  await user.type(field('Password'), 'a quiet evening{Enter}')

  const alert = within(await screen.findByRole('alert'))

  expect(alert.getByText('Failed creating/updating user')).toBeDefined()
  await user.click(alert.getByRole('button', { name: 'Details' }))
  expect(await screen.findByText('ErrUnknownError')).toBeDefined()
})

test('a taken name and a taken address are told at their fields', async () => {
  const panel = aPanel()
  panel.answer(editUser, new Refusal('ErrDuplicateEmail'))
  const { user } = await open('/user/2', admin, panel)
  await screen.findByRole('heading', { name: 'tamsin' })

  await user.clear(field('Email'))
  await user.type(field('Email'), 'mara@example.net{Enter}')

  await screen.findByText('This email address is taken')
  expect(document.activeElement).toBe(field('Email'))
})

test('a failure that nobody can explain is told by what failed', async () => {
  const panel = aPanel()
  panel.answer(putUserPermissions, new Refusal('ErrUnknownError'))
  const { user } = await open('/user/2', admin, panel)
  await user.click(await screen.findByRole('switch', { name: /^Create servers/ }))

  await user.click(screen.getByRole('button', { name: 'Save' }))

  await screen.findByText('Failed updating user permissions')
  expect(permission('Create servers').checked).toBe(true)
})

test('one’s own address and password are changed in the account', async () => {
  await open('/user/1')
  await screen.findByRole('heading', { name: 'mara' })

  await waitFor(() => expect(screen.queryByLabelText('Email')).toBeNull())
  expect(screen.getByRole('link', { name: 'Go to account' }).getAttribute('href')).toBe('/account')
})

test('giving up one’s own permissions asks first', async () => {
  const { user, panel } = await open('/user/1')
  await screen.findByRole('link', { name: 'Go to account' })
  await user.click(await screen.findByRole('switch', { name: /^Administrator/ }))

  await user.click(screen.getByRole('button', { name: 'Save' }))
  const dialog = await screen.findByRole('dialog', { name: 'Give up your own permissions?' })
  await user.click(within(dialog).getByRole('button', { name: 'Cancel' }))

  expect(panel.asked(putUserPermissions)).toEqual([])
})

test('going to somebody else with unsaved changes asks first', async () => {
  const { user, path } = await open('/user/2')
  await user.click(await screen.findByRole('switch', { name: /^Create servers/ }))

  await user.click(screen.getByRole('link', { name: /rune/ }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Leave without saving?' }))
  await user.click(dialog.getByRole('button', { name: 'Cancel' }))
  expect(path()).toBe('/user/2')
  expect(permission('Create servers').checked).toBe(true)
  await user.click(screen.getByRole('link', { name: /rune/ }))
  await user.click(await screen.findByRole('button', { name: 'Discard changes' }))

  await waitFor(() => expect(path()).toBe('/user/3'))
})

test('somebody is deleted after their name was typed', async () => {
  const { user, panel, path } = await open('/user/3')
  await user.click(await screen.findByRole('button', { name: 'Delete' }))
  const dialog = await screen.findByRole('dialog', { name: 'Delete rune?' })
  const confirm = within(dialog).getByRole<HTMLButtonElement>('button', { name: 'Delete user' })
  expect(confirm.disabled).toBe(true)

  await user.type(within(dialog).getByLabelText('Type rune to confirm'), 'rune')
  await user.click(confirm)

  await waitFor(() => expect(path()).toBe('/user'))
  expect(panel.asked(deleteUser).map((asked) => asked.path)).toEqual(['/api/users/3'])
})

test('who may only look sees permissions as words', async () => {
  await open('/user/2', ['users.view'])
  await screen.findByRole('heading', { name: 'tamsin' })

  expect(screen.getByText('View only')).toBeDefined()
  expect(screen.getByText('View nodes')).toBeDefined()
  expect(screen.queryAllByRole('switch')).toEqual([])
  expect(screen.queryByRole('link', { name: 'Add user' })).toBeNull()
})

test('an address of nobody says so', async () => {
  await open('/user/99')

  await screen.findByRole('heading', { name: 'This user does not exist' })
})

test('somebody is added with a password, and their permissions are next', async () => {
  const panel = aPanel()
  panel.answer(createUser, { id: 3, username: 'rune', email: 'rune@example.net' })
  const { user, path } = await open('/adduser', admin, panel)
  const form = within(await screen.findByRole('form', { name: 'Add user' }))

  await user.type(form.getByLabelText('Username'), 'rune')
  await user.type(form.getByLabelText('Email'), 'rune@example.net')
  await user.type(form.getByLabelText('Password'), 'a quiet evening')
  await user.click(form.getByRole('button', { name: 'Add user' }))

  await waitFor(() => expect(path()).toBe('/user/3'))
  expect(panel.asked(createUser)[0]?.body).toEqual({
    username: 'rune',
    email: 'rune@example.net',
    password: 'a quiet evening',
  })
})

test('a taken name is told at the name when adding', async () => {
  const panel = aPanel()
  panel.answer(createUser, new Refusal('ErrDuplicateUsername'))
  const { user } = await open('/adduser', admin, panel)
  const form = within(await screen.findByRole('form', { name: 'Add user' }))

  await user.type(form.getByLabelText('Username'), 'mara')
  await user.type(form.getByLabelText('Email'), 'm@example.net')
  await user.type(form.getByLabelText('Password'), 'a quiet evening{Enter}')

  await screen.findByText('This username is taken')
  expect(document.activeElement).toBe(form.getByLabelText('Username'))
})

test('where mail can be sent, somebody can be invited', async () => {
  const panel = aPanel()
  panel.answer(getConfig, aConfig({ passwordResetEnabled: true }))
  panel.answer(createInvite, { id: '0b37' })
  const { user } = await open('/adduser', admin, panel)

  await user.click(await screen.findByRole('radio', { name: 'Invite by email' }))
  const form = within(await screen.findByRole('form', { name: 'Invite by email' }))
  await user.type(form.getByLabelText('Email'), 'wren@example.org{Enter}')

  await screen.findAllByText('Invitation sent to wren@example.org')
  expect(panel.asked(createInvite)[0]?.body).toEqual({ email: 'wren@example.org' })
})

test('where no mail can be sent, inviting is not offered', async () => {
  await open('/adduser')
  await screen.findByRole('form', { name: 'Add user' })

  expect(screen.queryByRole('radio', { name: 'Invite by email' })).toBeNull()
})

test('a phone shows the list and the person on screens of their own', async () => {
  onTestFinished(holdAPhone())
  const { user } = await open('/user')
  await user.click(await screen.findByRole('link', { name: /tamsin/ }))

  await screen.findByRole('heading', { name: 'tamsin' })
  expect(screen.queryByRole('searchbox', { name: 'Search by username' })).toBeNull()
  expect(screen.getByRole('link', { name: 'Back to Users' }).getAttribute('href')).toBe('/user')
})

test('an administrator confirms the email address of an account that registered itself', async () => {
  const panel = aPanel()
  panel.answer(confirmUserEmail, undefined)
  const { user } = await open('/user/3', admin, panel)
  await screen.findByText('Email not confirmed')

  await user.click(screen.getByRole('button', { name: 'Confirm email' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Confirm rune@example.net?' }))
  await user.click(dialog.getByRole('button', { name: 'Confirm email' }))

  await screen.findByText('rune@example.net is confirmed')
  expect(panel.asked(confirmUserEmail).map(({ path }) => path)).toEqual(['/api/users/3/email/confirm'])
})

test('nobody else can confirm it', async () => {
  await open('/user/3', ['users.view', 'users.edit'])

  await screen.findByText('Email not confirmed')
  expect(screen.queryByRole('button', { name: 'Confirm email' })).toBeNull()
})

test('the page of a person says which servers they may use, with the way to each', async () => {
  const panel = aPanel()
  const servers = [
    { id: 'deadbeef', name: 'Oak Valley', permissions: ['viewServerConsole', 'startServer'] },
    { id: '0a0a0a0a', name: 'Lobby', permissions: ['viewServerConsole'] },
  ]
  panel.answer(listUserServers, { servers, paging: { page: 1, pageSize: 100, maxSize: 100, total: 102 } })
  const { user, router } = await open('/user/2', admin, panel)

  const list = await screen.findByRole('list', { name: 'Server access' })
  expect(
    within(list)
      .getAllByRole('listitem')
      .map(({ textContent }) => textContent),
  ).toEqual(['Oak Valley2 permissions', 'Lobby1 permission'])
  expect(screen.getByText('and 100 more')).toBeDefined()
  await user.click(within(list).getByRole('link', { name: 'Oak Valley' }))

  await waitFor(() => expect(router.state.location.pathname).toBe('/server/deadbeef'))
  expect(router.state.location.search).toBe('?tab=users')
})

test('of an administrator it says that every server is theirs', async () => {
  await open('/user/1')
  expect(await screen.findByText('Administrators have full access to every server.')).toBeDefined()
})

test('without the right to see all servers the page of a person does not ask for theirs', async () => {
  const { panel } = await open('/user/2', ['users.view', 'users.edit'])
  await screen.findByRole('heading', { name: 'tamsin' })

  expect(screen.queryByRole('heading', { name: 'Server access' })).toBeNull()
  expect(panel.asked(listUserServers)).toEqual([])
})
