import {
  createServerInvite,
  deleteServerUser,
  listServerUsers,
  putServerUser,
  type ServerUser,
} from '@innkeeper/contract/accounts/server-users'
import { listUsers } from '@innkeeper/contract/accounts/users'
import type { ServerPermission } from '@innkeeper/contract/api/permissions'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { getConfig } from '@innkeeper/contract/settings/panel'
import { act, screen, waitFor, within } from '@testing-library/react'
import { expect, onTestFinished, test, vi } from 'vitest'
import { FakePanel } from '../../testing/fake-panel.ts'
import { emulatePhone, openPart, refocusWindow } from '../../testing/open-part.tsx'
import { aServer } from '../../testing/samples.ts'
import { ServerUsers } from './server-users.tsx'

function createUser(username: string, ...permissions: readonly ServerPermission[]): ServerUser {
  return {
    username,
    email: `${username}@example.net`,
    serverIdentifier: 'deadbeef',
    ...Object.fromEntries(permissions.map((permission) => [permission, true])),
  }
}

/** Opens the users of a server as `mara`, who has these permissions, or all. */
async function openUsers(
  users: readonly ServerUser[],
  can: (permission: ServerPermission) => boolean = () => true,
  panel = new FakePanel(),
) {
  const saved = new Map(users.map((user) => [user.email, user]))
  const emailIn = (path: string) => decodeURIComponent(path.split('/').at(-1) ?? '')
  panel.respond(listServerUsers, () => [...saved.values()])
  panel.respond(putServerUser, ({ path, body }) => {
    const email = emailIn(path)
    const username = email.split('@')[0] ?? ''
    saved.set(email, { username, email, serverIdentifier: 'deadbeef', ...(body as object) })
    return undefined
  })
  panel.respond(deleteServerUser, ({ path }) => {
    saved.delete(emailIn(path))
    return undefined
  })
  const opened = await openPart(<ServerUsers server={aServer('deadbeef', 'lobby')} can={can} />, { panel })
  await screen.findByRole('heading', { name: 'Access' })
  return opened
}

const getSwitch = (name: string) => screen.getByRole<HTMLInputElement>('switch', { name })

test('Update saves a changed row and sends only granted permissions', async () => {
  const { user, panel } = await openUsers([createUser('orrin', 'viewServerConsole', 'deleteServer')])
  await screen.findByRole('grid', { name: 'Permissions on lobby' })

  await user.click(getSwitch('orrin, Start and restart'))
  await user.click(screen.getByRole('button', { name: 'Update orrin' }))

  expect((await screen.findByText('Saved')).textContent).toBe('Saved')
  expect(panel.requests(putServerUser).map(({ body }) => body)).toEqual([
    { viewServerConsole: true, startServer: true, deleteServer: true },
  ])
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Update orrin' })).toBeNull())
  expect(getSwitch('orrin, Start and restart').checked).toBe(true)
})

test('a change is saved on top of what another user granted at the same time', async () => {
  const panel = new FakePanel()
  const { user } = await openUsers([{ ...createUser('orrin', 'viewServerConsole'), version: '1' }], undefined, panel)
  await user.click(await screen.findByRole('switch', { name: 'orrin, Start and restart' }))
  const granted = { ...createUser('orrin', 'viewServerConsole', 'viewServerStats'), version: '2' }
  panel.respond(listServerUsers, [granted])
  panel.respond(putServerUser, ({ headers }) => {
    if (headers.get('if-match') !== '"2"') return new Refusal('ErrStaleVersion')
    return undefined
  })

  await user.click(screen.getByRole('button', { name: 'Update orrin' }))

  await screen.findByText('Saved')
  expect(panel.requests(putServerUser).map(({ body }) => body)).toEqual([
    { viewServerConsole: true, startServer: true },
    { viewServerConsole: true, startServer: true, viewServerStats: true },
  ])
})

test('Ctrl+S saves all changed rows, the own one last', async () => {
  const { user, panel } = await openUsers([createUser('mara', 'editServerUsers'), createUser('orrin')])
  await screen.findByText('You')
  await user.click(getSwitch('mara, Start and restart'))
  await user.click(getSwitch('orrin, Start and restart'))

  await user.keyboard('{Control>}s{/Control}')

  await screen.findByText('Saved')
  expect(panel.requests(putServerUser).map(({ path, body }) => [path.split('/').at(-1), body])).toEqual([
    ['orrin%40example.net', { startServer: true }],
    ['mara%40example.net', { startServer: true, editServerUsers: true }],
  ])
})

test('a row that was saved is not sent again when the next one is refused', async () => {
  const { user, panel } = await openUsers([createUser('bexley'), createUser('orrin')])
  await user.click(await screen.findByRole('switch', { name: 'bexley, Stop and kill' }))
  await user.click(getSwitch('orrin, Stop and kill'))
  panel.respond(putServerUser, ({ path }) => (path.includes('orrin') ? new Refusal('ErrNoPermission') : undefined))

  await user.keyboard('{Control>}s{/Control}')
  await screen.findByRole('alert')
  await user.keyboard('{Control>}s{/Control}')

  await waitFor(() => expect(panel.requests(putServerUser)).toHaveLength(3))
  expect(panel.requests(putServerUser).filter(({ path }) => path.includes('bexley'))).toHaveLength(1)
})

test('a second row can be saved while the first one is, and each shows that it is', async () => {
  const { user, panel } = await openUsers([createUser('bexley'), createUser('orrin')])
  await user.click(await screen.findByRole('switch', { name: 'bexley, Stop and kill' }))
  await user.click(getSwitch('orrin, Stop and kill'))
  const end = panel.pause(putServerUser)
  const update = (name: string) => screen.getByRole<HTMLButtonElement>('button', { name: `Update ${name}` })

  await user.click(update('bexley'))
  expect([update('bexley').disabled, update('orrin').disabled]).toEqual([true, false])
  await user.click(update('orrin'))
  end()

  await waitFor(() => expect(screen.queryByRole('button', { name: /^Update/ })).toBeNull())
  expect(panel.requests(putServerUser)).toHaveLength(2)
})

test('changes to a user whom another one removed are refused', async () => {
  const { user, panel } = await openUsers([{ ...createUser('orrin'), version: '1' }, createUser('bexley')])
  await user.click(await screen.findByRole('switch', { name: 'orrin, Start and restart' }))
  panel.respond(listServerUsers, [createUser('bexley')])
  panel.respond(putServerUser, new Refusal('ErrStaleVersion'))

  await user.click(screen.getByRole('button', { name: 'Update orrin' }))

  await screen.findByRole('alert')
  expect(screen.queryByRole('switch', { name: 'orrin, Start and restart' })).toBeNull()
  expect(panel.requests(putServerUser)).toHaveLength(1)
})

test('leaving with unsaved permissions asks first', async () => {
  const { user, router, path } = await openUsers([createUser('orrin')])
  await user.click(await screen.findByRole('switch', { name: 'orrin, Start and restart' }))

  act(() => void router.navigate('/elsewhere'))
  await user.click(await screen.findByRole('button', { name: 'Cancel' }))
  expect(path()).toBe('/')

  act(() => void router.navigate('/elsewhere'))
  await user.click(await screen.findByRole('button', { name: 'Discard changes' }))
  await waitFor(() => expect(path()).toBe('/elsewhere'))
})

test('permissions of a new user that are changed during the save stay unsaved in the row of that user', async () => {
  const { user, panel } = await openUsers([])
  await user.click(await screen.findByRole('button', { name: 'Add user' }))
  const end = panel.pause(putServerUser)
  await user.type(await screen.findByRole('combobox', { name: 'Email' }), 'bob@example.net{Enter}')
  await user.click(getSwitch('bob@example.net, Start and restart'))

  end()

  await screen.findByRole('button', { name: 'Update bob' })
  expect(getSwitch('bob, Start and restart').getAttribute('aria-description')).toBe('Changed')
  expect(getSwitch('bob, View console').checked).toBe(true)
})

test('Undo restores the saved permissions', async () => {
  const { user, panel } = await openUsers([createUser('orrin', 'viewServerConsole')])
  await user.click(await screen.findByRole('switch', { name: 'orrin, View console' }))

  await user.click(screen.getByRole('button', { name: 'Undo changes to orrin' }))

  expect(getSwitch('orrin, View console').checked).toBe(true)
  expect(panel.requests(putServerUser)).toEqual([])
})

test('arrow keys move through the grid and Space switches', async () => {
  const { user } = await openUsers([createUser('bexley'), createUser('orrin')])
  await screen.findByRole('grid')

  getSwitch('bexley, View console').focus()
  await user.keyboard('{ArrowRight}{ArrowRight}{ArrowDown} ')

  expect(document.activeElement).toBe(getSwitch('orrin, Start and restart'))
  expect(getSwitch('orrin, Start and restart').checked).toBe(true)
  await user.keyboard('{Control>}{Home}{/Control}')
  expect(document.activeElement).toBe(getSwitch('bexley, View console'))
})

test('in a right-to-left language the arrow keys of the grid are mirrored', async () => {
  const { user } = await openUsers([createUser('bexley')])
  await screen.findByRole('grid')
  document.documentElement.dir = 'rtl'
  onTestFinished(() => {
    document.documentElement.dir = 'ltr'
  })

  getSwitch('bexley, View console').focus()
  await user.keyboard('{ArrowLeft}')

  expect(document.activeElement).toBe(getSwitch('bexley, Send commands'))
})

test('Tab reaches one control of the grid and the buttons of a changed row', async () => {
  const { user } = await openUsers([createUser('bexley'), createUser('orrin')])
  const grid = await screen.findByRole('grid')
  const reachable = () => [...grid.querySelectorAll('[tabindex="0"]')].map((control) => control.ariaLabel)
  expect(reachable()).toEqual(['bexley, View console'])

  await user.click(getSwitch('orrin, Stop and kill'))

  expect(reachable()).toEqual(['orrin, Stop and kill', 'Update orrin', 'Undo changes to orrin'])
})

test('a preset fills a row', async () => {
  const { user } = await openUsers([createUser('orrin', 'installServer')])

  await user.click(await screen.findByRole('button', { name: 'Preset for orrin' }))
  await user.click(await screen.findByRole('menuitem', { name: 'Operator' }))

  expect(getSwitch('orrin, Install').checked).toBe(false)
  expect(getSwitch('orrin, Send commands').checked).toBe(true)
  expect(getSwitch('orrin, View and download').checked).toBe(true)
})

test('a permission that one does not have cannot be granted, but can be revoked', async () => {
  const { user } = await openUsers(
    [createUser('orrin', 'installServer')],
    (permission) => permission !== 'installServer' && permission !== 'sftpServer',
  )
  await screen.findByRole('grid')

  await user.click(getSwitch('orrin, SFTP access'))
  expect(getSwitch('orrin, SFTP access').checked).toBe(false)
  expect(getSwitch('orrin, SFTP access').ariaDisabled).toBe('true')

  await user.click(getSwitch('orrin, Install'))
  expect(getSwitch('orrin, Install').checked).toBe(false)
})

test('a user is added by email, which is required and validated at the field', async () => {
  const { user, panel } = await openUsers([createUser('orrin')])
  await user.click(await screen.findByRole('button', { name: 'Add user' }))
  const email = await screen.findByRole('combobox', { name: 'Email' })
  expect(document.activeElement).toBe(email)

  await user.keyboard('{Enter}')
  await screen.findByText('You must provide the email address of the user you want to add')
  await user.type(email, 'wren@exampl')
  await user.click(screen.getByRole('button', { name: 'Save' }))
  await screen.findByText('Email is not a valid email')
  await user.clear(email)
  await user.type(email, 'Orrin@example.net{Enter}')
  await screen.findByText('Orrin@example.net already has access')
  await user.clear(email)
  await user.type(email, 'wren@example.org{Enter}')

  await screen.findByRole('switch', { name: 'wren, View console' })
  expect(panel.requests(putServerUser).map(({ path, body }) => [path, body])).toEqual([
    [
      '/api/servers/deadbeef/user/wren%40example.org',
      { viewServerConsole: true, viewServerStats: true, viewServerPlayers: true },
    ],
  ])
})

test('Enter, a letter and Enter again add one user, and the letter stays', async () => {
  const { user, panel } = await openUsers([])
  await user.click(await screen.findByRole('button', { name: 'Add user' }))
  const end = panel.pause(putServerUser)
  const email = await screen.findByRole<HTMLInputElement>('combobox', { name: 'Email' })

  await user.type(email, 'bob@example.or{Enter}g{Enter}')
  end()

  await screen.findByRole('switch', { name: 'bob, View console' })
  expect(panel.requests(putServerUser).map(({ path }) => path)).toEqual(['/api/servers/deadbeef/user/bob%40example.or'])
  expect(email.value).toBe('bob@example.org')
})

test('the input for a new user stays when adding fails', async () => {
  const { user, panel } = await openUsers([])
  panel.respond(putServerUser, new Refusal('ErrEmailNotConfigured'))
  await user.click(await screen.findByRole('button', { name: 'Add user' }))
  const end = panel.pause(putServerUser)
  const email = await screen.findByRole<HTMLInputElement>('combobox', { name: 'Email' })
  await user.type(email, 'bob@example.or{Enter}g')
  await user.click(getSwitch('bob@example.org, Start and restart'))

  end()

  await screen.findByText(/Create a link instead/)
  expect(email.value).toBe('bob@example.org')
  expect(getSwitch('bob@example.org, Start and restart').checked).toBe(true)
})

test.each(['a desktop', 'a phone'])('permissions changed during a save stay unsaved, on %s', async (device) => {
  if (device === 'a phone') onTestFinished(emulatePhone())
  const { user, panel } = await openUsers([createUser('orrin', 'viewServerConsole')])
  const isPhone = device === 'a phone'
  if (isPhone) await user.click(await screen.findByRole('button', { name: /orrin/ }))
  const permission = (name: string) => getSwitch(isPhone ? name : `orrin, ${name}`)
  await waitFor(() => permission('Start and restart'))
  await user.click(permission('Start and restart'))
  const end = panel.pause(putServerUser)
  await user.click(screen.getByRole('button', { name: isPhone ? 'Update' : 'Update orrin' }))
  await user.click(permission('Stop and kill'))

  end()

  await screen.findByText('Saved')
  expect(permission('Stop and kill').checked).toBe(true)
  expect(panel.requests(putServerUser).map(({ body }) => body)).toEqual([
    { viewServerConsole: true, startServer: true },
  ])
  expect(screen.getByRole('button', { name: isPhone ? 'Update' : 'Update orrin' })).toBeTruthy()
})

test('unsaved permissions are offered after the session expired, with the new user', async () => {
  const first = await openUsers([createUser('orrin', 'viewServerConsole')])
  await first.user.click(await screen.findByRole('switch', { name: 'orrin, Start and restart' }))
  await first.user.click(screen.getByRole('button', { name: 'Add user' }))
  await first.user.type(await screen.findByRole('combobox', { name: 'Email' }), 'bob')
  await waitFor(() => expect(Object.values(sessionStorage).join()).toContain('bob'))
  document.body.innerHTML = ''

  const { user } = await openUsers([createUser('orrin', 'viewServerConsole')])
  await user.click(await screen.findByRole('button', { name: 'Restore' }))

  expect(getSwitch('orrin, Start and restart').checked).toBe(true)
  expect(screen.getByRole<HTMLInputElement>('combobox', { name: 'Email' }).value).toBe('bob')
})

test('an invalid address is shown on blur, and a changed switch is marked', async () => {
  const { user } = await openUsers([createUser('orrin', 'viewServerConsole')])
  await user.click(await screen.findByRole('button', { name: 'Add user' }))
  await user.type(await screen.findByRole('combobox', { name: 'Email' }), 'wren@exampl')
  expect(screen.queryByText('Email is not a valid email')).toBeNull()

  await user.click(getSwitch('orrin, Start and restart'))

  expect(await screen.findByText('Email is not a valid email')).toBeDefined()
  expect(getSwitch('orrin, Start and restart').getAttribute('aria-description')).toBe('Changed')
  expect(getSwitch('orrin, View console').getAttribute('aria-description')).toBeNull()
})

test('a preset fills the row of a new user', async () => {
  const { user } = await openUsers([createUser('orrin')])
  await user.click(await screen.findByRole('button', { name: 'Add user' }))

  await user.click(await screen.findByRole('button', { name: 'Preset for New user' }))
  await user.click(await screen.findByRole('menuitem', { name: 'Operator' }))

  expect(getSwitch('New user, Start and restart').checked).toBe(true)
})

test('where the grid does not fit, a list opens one user at a time', async () => {
  const width = vi.spyOn(HTMLElement.prototype, 'clientWidth', 'get').mockReturnValue(760)
  onTestFinished(() => void width.mockRestore())
  const { user } = await openUsers([createUser('orrin', 'viewServerConsole', 'viewServerStats', 'viewServerPlayers')])

  await user.click(await screen.findByRole('button', { name: /orrin.*Viewer/ }))
  const dialog = within(await screen.findByRole('dialog'))
  await user.click(dialog.getByRole('switch', { name: 'Start and restart' }))

  expect(screen.queryByRole('grid')).toBeNull()
  expect(dialog.getByText('Changed')).toBeDefined()
})

test('users are suggested by username for their address', async () => {
  const { user, panel } = await openUsers([])
  const wren = { id: 7, username: 'wren', email: 'wren@example.org' }
  panel.respond(listUsers, { users: [wren], paging: { page: 1, pageSize: 10, maxSize: 100, total: 1 } })

  await user.click(await screen.findByRole('button', { name: 'Add user' }))
  await user.type(await screen.findByRole('combobox', { name: 'Email' }), 'wre')
  await user.click(await screen.findByRole('option', { name: /wren@example.org/, hidden: true }))
  await user.click(screen.getByRole('button', { name: 'Save' }))

  await waitFor(() => expect(panel.requests(putServerUser)).toHaveLength(1))
  expect(panel.requests(putServerUser)[0]?.path).toMatch(/wren%40example\.org$/)
})

test('an invitation by link is shown once, with the permissions of the row', async () => {
  const { user, panel } = await openUsers([])
  const path = '/auth/invite?token=abc&email=wren%40example.org'
  panel.respond(createServerInvite, { path, expiresAt: '2026-12-05T10:00:00Z' })

  await user.click(await screen.findByRole('button', { name: 'Add user' }))
  await user.click(await screen.findByRole('button', { name: 'Create link' }))
  const required = await screen.findByText('You must provide the email address of the user you want to add')
  await user.type(screen.getByRole('combobox', { name: 'Email' }), 'wren@example.org')
  await user.click(screen.getByRole('button', { name: 'Create link' }))

  const dialog = within(await screen.findByRole('dialog', { name: 'Invitation for wren@example.org' }))
  expect(required).toBeDefined()
  expect(dialog.getByLabelText<HTMLTextAreaElement>('Invitation link').value).toBe(`${location.origin}${path}`)
  expect(panel.requests(createServerInvite).map(({ body }) => body)).toEqual([
    {
      email: 'wren@example.org',
      permissions: { viewServerConsole: true, viewServerStats: true, viewServerPlayers: true },
    },
  ])
  await user.click(dialog.getByRole('button', { name: 'Close' }))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
})

test('an unknown address cannot be invited without email, and the field says so', async () => {
  const { user, panel } = await openUsers([])
  panel.respond(putServerUser, new Refusal('ErrEmailNotConfigured'))

  await user.click(await screen.findByRole('button', { name: 'Add user' }))
  await user.type(await screen.findByRole('combobox', { name: 'Email' }), 'wren@example.org{Enter}')

  await screen.findByText(/Create a link instead/)
})

test('an account with an unconfirmed address is not added without email, and the field shows why', async () => {
  const { user, panel } = await openUsers([])
  panel.respond(putServerUser, new Refusal('ErrEmailNotConfirmed'))

  await user.click(await screen.findByRole('button', { name: 'Add user' }))
  const email = await screen.findByRole('combobox', { name: 'Email' })
  await user.type(email, 'mallory@example.org{Enter}')

  await waitFor(() => expect(email.getAttribute('aria-invalid')).toBe('true'))
  screen.getByText(/The email address of this account is not confirmed/)
})

test.each([
  [true, /Users without an account are invited by email/],
  [false, /Invite users without an account with a link that you copy/],
])('invitations are mentioned only while email is set up: %s', async (passwordResetEnabled, promise) => {
  const panel = new FakePanel()
  panel.respond(getConfig, { ...panel.config, passwordResetEnabled })
  await openUsers([], () => true, panel)

  await screen.findByText(promise)
})

test('a user is removed after a confirmation, and Undo restores the permissions', async () => {
  const { user, panel } = await openUsers([createUser('orrin', 'startServer')])

  await user.click(await screen.findByRole('button', { name: 'Remove orrin' }))
  const question = await screen.findByRole('alertdialog', { name: /^Remove orrin\?/ })
  await user.click(within(question).getByRole('button', { name: 'Remove user' }))

  await screen.findByText('Only administrators have access to this server.')
  await user.click(await screen.findByRole('button', { name: 'Undo' }))
  expect((await screen.findByRole<HTMLInputElement>('switch', { name: 'orrin, Start and restart' })).checked).toBe(true)
  expect(panel.requests(putServerUser).map(({ body }) => body)).toEqual([{ startServer: true }])
})

test('removing oneself is confirmed in a dialog, with a switch, and opens the servers', async () => {
  const { user, panel, path } = await openUsers([createUser('mara', 'editServerUsers'), createUser('orrin')])
  await screen.findByText('You')

  await user.click(screen.getByRole('button', { name: 'Remove mara' }))
  const dialog = await screen.findByRole('dialog', { name: 'Remove yourself from lobby?' })
  const confirm = within(dialog).getByRole<HTMLButtonElement>('button', { name: 'Remove myself' })
  expect(confirm.disabled).toBe(true)
  await user.click(within(dialog).getByRole('switch', { name: 'I understand that I cannot undo this myself' }))
  await user.click(confirm)

  await waitFor(() => expect(path()).toBe('/server'))
  expect(panel.requests(deleteServerUser)).toHaveLength(1)
})

test('giving up the permission to manage users is confirmed first', async () => {
  const { user, panel } = await openUsers([createUser('mara', 'editServerUsers', 'startServer')])
  await screen.findByText('You')

  await user.click(getSwitch('mara, Manage users'))
  await user.click(screen.getByRole('button', { name: 'Update mara' }))
  const dialog = await screen.findByRole('dialog', { name: 'Give up managing the users of lobby?' })
  await user.click(within(dialog).getByRole('button', { name: 'Cancel' }))

  expect(panel.requests(putServerUser)).toEqual([])
})

test('an unknown error names the action that failed', async () => {
  const { user, panel } = await openUsers([createUser('orrin')])
  panel.respond(putServerUser, new Refusal('ErrUnknownError'))
  await user.click(await screen.findByRole('switch', { name: 'orrin, Stop and kill' }))

  await user.click(screen.getByRole('button', { name: 'Update orrin' }))

  await screen.findByText('Failed updating user permissions')
  expect(getSwitch('orrin, Stop and kill').checked).toBe(true)
})

test('a phone shows one user per screen', async () => {
  onTestFinished(emulatePhone())
  const { user, panel } = await openUsers([
    createUser('orrin', 'viewServerConsole', 'viewServerStats', 'viewServerPlayers'),
  ])
  await user.click(await screen.findByRole('button', { name: /orrin.*Viewer/ }))
  const dialog = await screen.findByRole('dialog')
  expect(within(dialog).getByRole('button', { name: 'Viewer' }).ariaPressed).toBe('true')

  await user.click(within(dialog).getByRole('button', { name: 'Player moderator' }))
  await within(dialog).findByText('5 changes')
  await user.click(within(dialog).getByRole('button', { name: 'Update' }))

  await waitFor(() => expect(panel.requests(putServerUser)).toHaveLength(1))
  await waitFor(() => expect(within(dialog).queryByRole('button', { name: 'Update' })).toBeNull())
  await user.click(within(dialog).getByRole('button', { name: 'Close' }))
  await screen.findByRole('button', { name: /orrin.*Player moderator/ })
})

test('Ctrl+S saves the user who is shown on a phone', async () => {
  onTestFinished(emulatePhone())
  const { user, panel } = await openUsers([createUser('orrin', 'viewServerConsole')])
  await user.click(await screen.findByRole('button', { name: /orrin/ }))
  await user.click(getSwitch('Start and restart'))

  await user.keyboard('{Control>}s{/Control}')

  await waitFor(() => expect(panel.requests(putServerUser)).toHaveLength(1))
})

test('users that could not be refreshed are marked', async () => {
  const { panel } = await openUsers([createUser('orrin', 'viewServerConsole')])
  await screen.findByRole('grid', { name: 'Permissions on lobby' })
  panel.respond(listServerUsers, new Refusal('ErrUnknownError'))

  await refocusWindow()

  await screen.findByText(/^Could not refresh/)
  screen.getByRole('grid', { name: 'Permissions on lobby' })
})

test('many users are searched by name and address, and an unsaved change stays in view', async () => {
  const many = Array.from({ length: 12 }, (_, at) => createUser(`player${at}`))
  const { user } = await openUsers([...many, { ...createUser('orrin'), email: 'customer.7@shop.example' }])
  await user.click(await screen.findByRole('switch', { name: 'player3, Start and restart' }))
  const names = () => screen.getAllByRole('rowheader').map(({ textContent }) => textContent)

  await user.type(screen.getByRole('searchbox', { name: 'Search by username or email' }), 'CUSTOMER.7@')
  expect(names()).toEqual([expect.stringContaining('player3'), expect.stringContaining('orrin')])

  await user.click(screen.getByRole('button', { name: 'Undo changes to player3' }))
  await user.type(screen.getByRole('searchbox'), 'nobody')
  await user.click(await screen.findByRole('button', { name: 'Clear filter' }))
  expect(names()).toHaveLength(13)
})

test('a few users have no search', async () => {
  await openUsers([createUser('orrin')])
  await screen.findByRole('grid')

  expect(screen.queryByRole('searchbox')).toBeNull()
})

test('the end of access is shown below the name, and can be set and removed', async () => {
  const until = '2999-01-02T12:00:00.000Z'
  const { user, panel } = await openUsers([{ ...createUser('orrin', 'startServer'), until }])
  await screen.findByText(/^until 2 Jan 2999|^until Jan 2, 2999/)

  await user.click(screen.getByRole('button', { name: 'Temporary access of orrin' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Temporary access of orrin' }))
  const field = dialog.getByLabelText<HTMLInputElement>(/^Access ends at/)
  await user.clear(field)
  await user.type(field, '2020-01-01T10:00')
  await user.click(dialog.getByRole('button', { name: 'Save' }))
  await dialog.findByText('Select a time in the future')
  await user.clear(field)
  await user.click(dialog.getByRole('button', { name: 'Save' }))

  await waitFor(() => expect(screen.queryByText(/^until/)).toBeNull())
  expect(panel.requests(putServerUser).map(({ body }) => body)).toEqual([{ startServer: true, until: null }])
})
