import { createInvite, listInvites } from '@innkeeper/contract/accounts/invites'
import { getUserRoles } from '@innkeeper/contract/accounts/roles'
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
} from '@innkeeper/contract/accounts/users'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { getConfig } from '@innkeeper/contract/settings/panel'
import { screen, waitFor, within } from '@testing-library/react'
import { expect, onTestFinished, test } from 'vitest'
import { FakePanel } from '../../testing/fake-panel.ts'
import { openApp } from '../../testing/open-app.tsx'
import { emulatePhone, refocusWindow } from '../../testing/open-part.tsx'
import { aConfig } from '../../testing/samples.ts'

const admin = ['servers.admin']

const users: readonly UserEntry[] = [
  { id: 1, username: 'mara', email: 'mara@example.net', access: 'admin' },
  { id: 2, username: 'tamsin', email: 'tamsin@example.net', access: 'some' },
  { id: 3, username: 'rune', email: 'rune@example.net', access: 'none' },
]

function createPanel(): FakePanel {
  const panel = new FakePanel()
  panel.respond(listUsers, ({ query }) => {
    const name = (query.get('username') ?? '').replaceAll('*', '')
    const found = users.filter(({ username }) => username.includes(name))
    return { users: found, paging: { page: Number(query.get('page')), pageSize: 10, maxSize: 100, total: 37 } }
  })
  panel.respond(getUser, ({ path }) => {
    const found = users.find(({ id }) => path === `/api/users/${id}`)
    return found
      ? { ...found, otpEnabled: found.id === 2, emailConfirmed: found.id !== 3 }
      : new Refusal('ErrUserNotFound')
  })
  panel.respond(getUserPermissions, ({ path }) => (path.includes('/1/') ? { admin: true } : { viewNodes: true }))
  panel.respond(getUserRoles, { roles: [] })
  panel.respond(editUser, undefined)
  panel.respond(putUserPermissions, undefined)
  panel.respond(deleteUser, undefined)
  panel.respond(listUserServers, { servers: [], paging: { page: 1, pageSize: 100, maxSize: 100, total: 0 } })
  panel.respond(listInvites, { invites: [], paging: { page: 1, pageSize: 10, maxSize: 100, total: 0 } })
  return panel
}

/** A panel on which another administrator can change tamsin. */
function createSharedPanel() {
  const panel = createPanel()
  const tamsin = { id: 2, username: 'tamsin', email: 'tamsin@example.net', otpEnabled: false, emailConfirmed: true }
  const saved = { tamsin, permissions: { viewNodes: true } as Record<string, boolean> }
  panel.respond(getUser, () => saved.tamsin)
  panel.respond(getUserPermissions, () => saved.permissions)
  panel.respond(editUser, ({ body }) => {
    saved.tamsin = { ...saved.tamsin, ...(body as object) }
    return undefined
  })
  panel.respond(putUserPermissions, ({ body }) => {
    saved.permissions = body as Record<string, boolean>
    return undefined
  })
  panel.setVersion(getUser, editUser, () => JSON.stringify(saved.tamsin))
  panel.setVersion(getUserPermissions, putUserPermissions, () => JSON.stringify(saved.permissions))
  return { panel, saved }
}

const open = (path: string, as: readonly string[] = admin, panel = createPanel()) => openApp(path, { as, panel })
const field = (name: string) => screen.getByLabelText<HTMLInputElement>(name)
const permission = (name: string) => screen.getByRole<HTMLInputElement>('switch', { name: new RegExp(`^${name}`) })

test('the list marks administrators and users without access, and links to each', async () => {
  const { user, path } = await open('/user')
  const list = await screen.findByRole('list', { name: 'Users' })
  expect(within(list).getByRole('link', { name: /mara.*Admin/ })).toBeDefined()
  expect(within(list).getByRole('link', { name: /rune.*No access yet/ })).toBeDefined()

  await user.click(within(list).getByRole('link', { name: /tamsin/ }))

  await screen.findByRole('heading', { name: 'tamsin' })
  expect(path()).toBe('/user/2')
  expect(screen.getByText('Two-factor on')).toBeDefined()
})

test('the search runs after a pause in typing, and the URL keeps the query', async () => {
  const { user, panel, router } = await open('/user')
  await screen.findByRole('link', { name: /mara@/ })

  await user.type(screen.getByRole('searchbox', { name: 'Search by username or email' }), 'run')

  await waitFor(() => expect(screen.queryByRole('link', { name: /mara@/ })).toBeNull())
  expect(panel.requests(listUsers).map(({ query }) => query.get('username'))).toEqual([null, '*run*'])
  expect(router.state.location.search).toBe('?q=run')
  await user.click(screen.getByRole('link', { name: /rune/ }))
  await waitFor(() => expect(router.state.location.pathname + router.state.location.search).toBe('/user/3?q=run'))
})

test('the list has pages', async () => {
  const { user, panel } = await open('/user')
  await screen.findByText('1–10 of 37')

  await user.click(screen.getByRole('button', { name: 'Next page' }))

  await screen.findByText('11–20 of 37')
  expect(panel.requests(listUsers).at(-1)?.query.get('page')).toBe('2')
})

test('changes of the account and the permissions are counted and saved together', async () => {
  const { user, panel } = await open('/user/2')
  await screen.findByRole('heading', { name: 'tamsin' })

  await user.clear(field('Username'))
  await user.type(field('Username'), 'tamsin_r')
  await user.click(permission('Create servers'))
  await screen.findByText('2 unsaved changes')
  await user.click(screen.getByRole('button', { name: 'Save' }))

  await screen.findByText('Saved')
  expect(panel.requests(editUser).map(({ body }) => body)).toEqual([{ username: 'tamsin_r' }])
  expect(panel.requests(putUserPermissions).map(({ body }) => body)).toEqual([{ createServers: true, viewNodes: true }])
})

test('an administrator has all permissions, so the other switches are read-only', async () => {
  const { user } = await open('/user/2')
  await user.click(await screen.findByRole('switch', { name: /^Administrator/ }))

  expect(permission('Create servers').disabled).toBe(true)
  expect(permission('Create servers').checked).toBe(true)
})

test('a permission that is useless alone turns on the one that it needs', async () => {
  const { user } = await open('/user/2')

  await user.click(await screen.findByRole('switch', { name: /^Edit templates/ }))

  expect(permission('View templates').checked).toBe(true)
})

test('users grant only permissions that they have themselves', async () => {
  await open('/user/2', ['users.view', 'users.edit', 'templates.view'])
  await screen.findByText('You can only grant permissions that you have yourself.')

  expect(permission('View templates').disabled).toBe(false)
  expect(permission('Edit templates').disabled).toBe(true)
  expect(permission('View nodes').disabled).toBe(false)
  expect(permission('Administrator').disabled).toBe(true)
})

test('input during a save stays', async () => {
  const { panel } = createSharedPanel()
  const { user } = await open('/user/2', admin, panel)
  await user.type(await screen.findByLabelText('Username'), '_r')
  const end = panel.pause(editUser)
  await user.click(screen.getByRole('button', { name: 'Save' }))
  await user.click(permission('Create servers'))

  end()

  await screen.findByText('Saved')
  expect(permission('Create servers').checked).toBe(true)
  expect(screen.getByText('1 unsaved change')).toBeDefined()
})

test('permissions that another administrator granted stay, beside one’s own change', async () => {
  const { panel, saved } = createSharedPanel()
  const { user } = await open('/user/2', admin, panel)
  await user.click(await screen.findByRole('switch', { name: /^Create servers/ }))
  saved.permissions = { viewNodes: true, viewTemplates: true }

  await user.click(screen.getByRole('button', { name: 'Save' }))

  await screen.findByText('Saved')
  expect(saved.permissions).toEqual({ viewNodes: true, viewTemplates: true, createServers: true })
})

test('a user whom another administrator renamed too is a conflict', async () => {
  const { panel, saved } = createSharedPanel()
  const { user } = await open('/user/2', admin, panel)
  await user.type(await screen.findByLabelText('Username'), '_r')
  saved.tamsin = { ...saved.tamsin, username: 'tamsin_s' }

  await user.click(screen.getByRole('button', { name: 'Save' }))

  const notice = within(await screen.findByRole('alert'))
  expect(notice.getByText('tamsin_r')).toBeDefined()
  expect(notice.getByText('tamsin_s')).toBeDefined()
  expect(saved.tamsin.username).toBe('tamsin_s')
})

test('leaving the form of a new user is confirmed first', async () => {
  const { user } = await open('/adduser')
  await user.type(await screen.findByLabelText('Username'), 'wren')

  await user.click(screen.getAllByRole('link', { name: /^Nodes/ })[0] as HTMLElement)

  expect(await screen.findByRole('dialog', { name: 'Leave without saving?' })).toBeDefined()
})

test('an unknown error of adding a user is shown with its details', async () => {
  const panel = createPanel()
  panel.respond(createUser, new Refusal('ErrUnknownError'))
  const { user } = await open('/adduser', admin, panel)
  await user.type(await screen.findByLabelText('Username'), 'wren')
  await user.type(field('Email'), 'wren@example.net')
  await user.type(field('Password'), 'a quiet evening{Enter}')

  const alert = within(await screen.findByRole('alert'))

  expect(alert.getByText('Failed creating/updating user')).toBeDefined()
  await user.click(alert.getByRole('button', { name: 'Details' }))
  expect(await screen.findByText('ErrUnknownError')).toBeDefined()
})

test('an email address that is taken is shown at its field', async () => {
  const panel = createPanel()
  panel.respond(editUser, new Refusal('ErrDuplicateEmail'))
  const { user } = await open('/user/2', admin, panel)
  await screen.findByRole('heading', { name: 'tamsin' })

  await user.clear(field('Email'))
  await user.type(field('Email'), 'mara@example.net{Enter}')

  await screen.findByText('This email address is taken')
  expect(document.activeElement).toBe(field('Email'))
})

test('an unknown error names the action that failed', async () => {
  const panel = createPanel()
  panel.respond(putUserPermissions, new Refusal('ErrUnknownError'))
  const { user } = await open('/user/2', admin, panel)
  await user.click(await screen.findByRole('switch', { name: /^Create servers/ }))

  await user.click(screen.getByRole('button', { name: 'Save' }))

  await screen.findByText('Failed updating user permissions')
  expect(permission('Create servers').checked).toBe(true)
})

test('one’s own email and password are changed on the Account page', async () => {
  await open('/user/1')
  await screen.findByRole('heading', { name: 'mara' })

  await waitFor(() => expect(screen.queryByLabelText('Email')).toBeNull())
  expect(screen.getByRole('link', { name: 'Account page' }).getAttribute('href')).toBe('/account')
})

test('giving up one’s own permissions is confirmed first', async () => {
  const { user, panel } = await open('/user/1')
  await screen.findByRole('link', { name: 'Account page' })
  await user.click(await screen.findByRole('switch', { name: /^Administrator/ }))

  await user.click(screen.getByRole('button', { name: 'Save' }))
  const dialog = await screen.findByRole('dialog', { name: 'Give up your own permissions?' })
  await user.click(within(dialog).getByRole('button', { name: 'Cancel' }))

  expect(panel.requests(putUserPermissions)).toEqual([])
})

test('opening another user with unsaved changes is confirmed first', async () => {
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

test('a user is deleted after their name was typed', async () => {
  const { user, panel, path } = await open('/user/3')
  await user.click(await screen.findByRole('button', { name: 'Delete' }))
  const dialog = await screen.findByRole('dialog', { name: 'Delete rune?' })
  const confirm = within(dialog).getByRole<HTMLButtonElement>('button', { name: 'Delete user' })
  expect(confirm.disabled).toBe(true)

  await user.type(within(dialog).getByLabelText('Type rune to confirm'), 'rune')
  await user.click(confirm)

  await waitFor(() => expect(path()).toBe('/user'))
  expect(panel.requests(deleteUser).map((asked) => asked.path)).toEqual(['/api/users/3'])
})

test('without the permission to edit, permissions are shown as text', async () => {
  await open('/user/2', ['users.view'])
  await screen.findByRole('heading', { name: 'tamsin' })

  expect(screen.getByText('View only')).toBeDefined()
  expect(screen.getByText('View nodes')).toBeDefined()
  expect(screen.queryAllByRole('switch')).toEqual([])
  expect(screen.queryByRole('link', { name: 'Add user' })).toBeNull()
})

test('without the permission to view users, the page names it in place of the list', async () => {
  await open('/user', ['servers.view'])

  await screen.findByText('Ask an administrator for the permission “View all users”.')
  expect(screen.queryByRole('searchbox')).toBeNull()
  expect(screen.queryByText('Select a user')).toBeNull()
})

test('an unknown user id shows a message', async () => {
  await open('/user/99')

  await screen.findByRole('heading', { name: 'This user does not exist' })
})

test('a user is added with a password, and their page opens', async () => {
  const panel = createPanel()
  panel.respond(createUser, { id: 3, username: 'rune', email: 'rune@example.net' })
  const { user, path } = await open('/adduser', admin, panel)
  const form = within(await screen.findByRole('form', { name: 'Add user' }))

  await user.type(form.getByLabelText('Username'), 'rune')
  await user.type(form.getByLabelText('Email'), 'rune@example.net')
  await user.type(form.getByLabelText('Password'), 'a quiet evening')
  await user.click(form.getByRole('button', { name: 'Add user' }))

  await waitFor(() => expect(path()).toBe('/user/3'))
  expect(panel.requests(createUser)[0]?.body).toEqual({
    username: 'rune',
    email: 'rune@example.net',
    password: 'a quiet evening',
  })
})

test('a username that is taken is shown at its field when adding', async () => {
  const panel = createPanel()
  panel.respond(createUser, new Refusal('ErrDuplicateUsername'))
  const { user } = await open('/adduser', admin, panel)
  const form = within(await screen.findByRole('form', { name: 'Add user' }))

  await user.type(form.getByLabelText('Username'), 'mara')
  await user.type(form.getByLabelText('Email'), 'm@example.net')
  await user.type(form.getByLabelText('Password'), 'a quiet evening{Enter}')

  await screen.findByText('This username is taken')
  expect(document.activeElement).toBe(form.getByLabelText('Username'))
})

test('a user can be invited where email is set up', async () => {
  const panel = createPanel()
  panel.respond(getConfig, aConfig({ passwordResetEnabled: true }))
  panel.respond(createInvite, { id: '0b37' })
  const { user } = await open('/adduser', admin, panel)

  await user.click(await screen.findByRole('radio', { name: 'Invite by email' }))
  const form = within(await screen.findByRole('form', { name: 'Invite by email' }))
  await user.type(form.getByLabelText('Email'), 'wren@example.org{Enter}')

  await screen.findAllByText('Invitation sent to wren@example.org')
  expect(panel.requests(createInvite)[0]?.body).toEqual({ email: 'wren@example.org' })
})

test('inviting is not offered without email', async () => {
  await open('/adduser')
  await screen.findByRole('form', { name: 'Add user' })

  expect(screen.queryByRole('radio', { name: 'Invite by email' })).toBeNull()
})

test('on a phone the top bar of a user leads back to the list', async () => {
  onTestFinished(emulatePhone())
  await open('/user/2')

  const link = await screen.findByRole('link', { name: 'Back to Users' })
  expect(link.getAttribute('href')).toBe('/user')
})

test('an administrator confirms the email address of a registered account', async () => {
  const panel = createPanel()
  panel.respond(confirmUserEmail, undefined)
  const { user } = await open('/user/3', admin, panel)
  await screen.findByText('Email not confirmed')

  await user.click(screen.getByRole('button', { name: 'Confirm email' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Confirm rune@example.net?' }))
  await user.click(dialog.getByRole('button', { name: 'Confirm email' }))

  await screen.findByText('rune@example.net is confirmed')
  expect(panel.requests(confirmUserEmail).map(({ path }) => path)).toEqual(['/api/users/3/email/confirm'])
})

test('only administrators can confirm it', async () => {
  await open('/user/3', ['users.view', 'users.edit'])

  await screen.findByText('Email not confirmed')
  expect(screen.queryByRole('button', { name: 'Confirm email' })).toBeNull()
})

test('the page of a user lists their servers with links', async () => {
  const panel = createPanel()
  const servers = [
    { id: 'deadbeef', name: 'Oak Valley', permissions: ['viewServerConsole', 'startServer'] },
    { id: '0a0a0a0a', name: 'Lobby', permissions: ['viewServerConsole'] },
  ]
  panel.respond(listUserServers, { servers, paging: { page: 1, pageSize: 100, maxSize: 100, total: 102 } })
  const { user, router } = await open('/user/2', admin, panel)

  const list = await screen.findByRole('list', { name: 'Server access' })
  expect(
    within(list)
      .getAllByRole('listitem')
      .map(({ textContent }) => textContent),
  ).toEqual(['Oak Valley2 permissions', 'Lobby1 permission'])
  expect(screen.getByText('and 100 more')).toBeDefined()
  await user.click(within(list).getByRole('link', { name: 'Oak Valley' }))

  await waitFor(() => {
    const { pathname, search } = router.state.location
    expect(pathname + search).toBe('/server/deadbeef?tab=users')
  })
})

test('the page of an administrator says that they can access every server', async () => {
  await open('/user/1')
  expect(await screen.findByText('Administrators have full access to every server.')).toBeDefined()
})

test('without the permission to see all servers, those of a user are not loaded', async () => {
  const { panel } = await open('/user/2', ['users.view', 'users.edit'])
  await screen.findByRole('heading', { name: 'tamsin' })

  expect(screen.queryByRole('heading', { name: 'Server access' })).toBeNull()
  expect(panel.requests(listUserServers)).toEqual([])
})

test.each([
  ['account', getUser],
  ['permissions', getUserPermissions],
] as const)('a user whose %s could not be refreshed is marked', async (_, endpoint) => {
  const { panel } = await open('/user/2')
  await screen.findByRole('heading', { name: 'tamsin' })
  panel.respond(endpoint, new Refusal('ErrUnknownError'))

  await refocusWindow()

  await screen.findByText(/^Could not refresh/)
  screen.getByRole('heading', { name: 'tamsin' })
})
