import { getConfig } from '@innkeeper/contract/panel'
import type { ServerFlag } from '@innkeeper/contract/permissions'
import { Refusal } from '@innkeeper/contract/refusals'
import { deleteServerUser, listServerUsers, putServerUser, type ServerUser } from '@innkeeper/contract/server-users'
import { screen, waitFor, within } from '@testing-library/react'
import { expect, onTestFinished, test, vi } from 'vitest'
import { FakePanel } from '../../testing/fake-panel.ts'
import { holdAPhone, openPart } from '../../testing/open-part.tsx'
import { aServer } from '../../testing/samples.ts'
import { ServerUsers } from './server-users.tsx'

function aUser(username: string, ...flags: readonly ServerFlag[]): ServerUser {
  return {
    username,
    email: `${username}@example.net`,
    serverIdentifier: 'deadbeef',
    ...Object.fromEntries(flags.map((flag) => [flag, true])),
  }
}

/** A server's users before somebody who holds these rights, or all; `mara` is who looks. */
async function openUsers(
  users: readonly ServerUser[],
  can: (flag: ServerFlag) => boolean = () => true,
  panel = new FakePanel(),
) {
  const saved = new Map(users.map((user) => [user.email, user]))
  const emailIn = (path: string) => decodeURIComponent(path.split('/').at(-1) ?? '')
  panel.answer(listServerUsers, () => [...saved.values()])
  panel.answer(putServerUser, ({ path, body }) => {
    const email = emailIn(path)
    const username = email.split('@')[0] ?? ''
    saved.set(email, { username, email, serverIdentifier: 'deadbeef', ...(body as object) })
    return undefined
  })
  panel.answer(deleteServerUser, ({ path }) => {
    saved.delete(emailIn(path))
    return undefined
  })
  const opened = await openPart(<ServerUsers server={aServer('deadbeef', 'lobby')} can={can} />, { panel })
  await screen.findByRole('heading', { name: 'Who can use this server' })
  return opened
}

const theSwitch = (name: string) => screen.getByRole<HTMLInputElement>('switch', { name })

test('a changed row is saved with Update, and only what is granted goes out', async () => {
  const { user, panel } = await openUsers([aUser('orrin', 'viewServerConsole', 'deleteServer')])
  await screen.findByRole('grid', { name: 'Permissions on lobby' })

  await user.click(theSwitch('orrin, Start and restart'))
  await user.click(screen.getByRole('button', { name: 'Update orrin' }))

  expect((await screen.findByText('Saved')).textContent).toBe('Saved')
  expect(panel.asked(putServerUser).map(({ body }) => body)).toEqual([
    { viewServerConsole: true, startServer: true, deleteServer: true },
  ])
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Update orrin' })).toBeNull())
  expect(theSwitch('orrin, Start and restart').checked).toBe(true)
})

test('Undo brings back what the panel has', async () => {
  const { user, panel } = await openUsers([aUser('orrin', 'viewServerConsole')])
  await user.click(await screen.findByRole('switch', { name: 'orrin, View console' }))

  await user.click(screen.getByRole('button', { name: 'Undo changes to orrin' }))

  expect(theSwitch('orrin, View console').checked).toBe(true)
  expect(panel.asked(putServerUser)).toEqual([])
})

test('arrow keys move through the grid and Space switches', async () => {
  const { user } = await openUsers([aUser('bexley'), aUser('orrin')])
  await screen.findByRole('grid')

  theSwitch('bexley, View console').focus()
  await user.keyboard('{ArrowRight}{ArrowRight}{ArrowDown} ')

  expect(document.activeElement).toBe(theSwitch('orrin, Start and restart'))
  expect(theSwitch('orrin, Start and restart').checked).toBe(true)
  await user.keyboard('{Control>}{Home}{/Control}')
  expect(document.activeElement).toBe(theSwitch('bexley, View console'))
})

test('Tab comes to one control of the grid and to the buttons of a changed row', async () => {
  const { user } = await openUsers([aUser('bexley'), aUser('orrin')])
  const grid = await screen.findByRole('grid')
  const reachable = () => [...grid.querySelectorAll('[tabindex="0"]')].map((control) => control.ariaLabel)
  expect(reachable()).toEqual(['bexley, View console'])

  await user.click(theSwitch('orrin, Stop and kill'))

  expect(reachable()).toEqual(['orrin, Stop and kill', 'Update orrin', 'Undo changes to orrin'])
})

test('a preset fills a row', async () => {
  const { user } = await openUsers([aUser('orrin', 'installServer')])

  await user.click(await screen.findByRole('button', { name: 'Preset for orrin' }))
  await user.click(await screen.findByRole('menuitem', { name: 'Operator' }))

  expect(theSwitch('orrin, Install').checked).toBe(false)
  expect(theSwitch('orrin, Send commands').checked).toBe(true)
  expect(theSwitch('orrin, View and download').checked).toBe(true)
})

test('a right that one does not have cannot be given, but can be taken', async () => {
  const { user } = await openUsers(
    [aUser('orrin', 'installServer')],
    (flag) => flag !== 'installServer' && flag !== 'sftpServer',
  )
  await screen.findByRole('grid')

  await user.click(theSwitch('orrin, SFTP access'))
  expect(theSwitch('orrin, SFTP access').checked).toBe(false)
  expect(theSwitch('orrin, SFTP access').ariaDisabled).toBe('true')

  await user.click(theSwitch('orrin, Install'))
  expect(theSwitch('orrin, Install').checked).toBe(false)
})

test('somebody is added by email, which is asked for and checked at the field', async () => {
  const { user, panel } = await openUsers([aUser('orrin')])
  await user.click(await screen.findByRole('button', { name: 'Add user' }))
  const email = await screen.findByRole('textbox', { name: 'Email' })
  expect(document.activeElement).toBe(email)

  await user.keyboard('{Enter}')
  await screen.findByText('You must provide the email address of the user you want to add')
  await user.type(email, 'wren@exampl')
  await user.click(screen.getByRole('button', { name: 'Save' }))
  await screen.findByText('Email is not a valid email')
  await user.clear(email)
  await user.type(email, 'Orrin@example.net{Enter}')
  await screen.findByText('Orrin@example.net can use this server already')
  await user.clear(email)
  await user.type(email, 'wren@example.org{Enter}')

  await screen.findByRole('switch', { name: 'wren, View console' })
  expect(panel.asked(putServerUser).map(({ path, body }) => [path, body])).toEqual([
    ['/api/servers/deadbeef/user/wren%40example.org', { viewServerConsole: true, viewServerStats: true }],
  ])
})

test('Enter, a letter and Enter again add one person, and the letter stays', async () => {
  const { user, panel } = await openUsers([])
  await user.click(await screen.findByRole('button', { name: 'Add user' }))
  const end = panel.hold(putServerUser)
  const email = await screen.findByRole<HTMLInputElement>('textbox', { name: 'Email' })

  await user.type(email, 'bob@example.or{Enter}g{Enter}')
  end()

  await screen.findByRole('switch', { name: 'bob, View console' })
  expect(panel.asked(putServerUser).map(({ path }) => path)).toEqual(['/api/servers/deadbeef/user/bob%40example.or'])
  expect(email.value).toBe('bob@example.org')
})

test('what is typed about somebody new stays when they cannot be added', async () => {
  const { user, panel } = await openUsers([])
  panel.answer(putServerUser, new Refusal('ErrEmailNotConfigured'))
  await user.click(await screen.findByRole('button', { name: 'Add user' }))
  const end = panel.hold(putServerUser)
  const email = await screen.findByRole<HTMLInputElement>('textbox', { name: 'Email' })
  await user.type(email, 'bob@example.or{Enter}g')
  await user.click(theSwitch('bob@example.org, Start and restart'))

  end()

  await screen.findByText(/this panel cannot send an invitation/)
  expect(email.value).toBe('bob@example.org')
  expect(theSwitch('bob@example.org, Start and restart').checked).toBe(true)
})

test.each(['a desktop', 'a phone'])('rights that are switched while others are saved stay, on %s', async (device) => {
  if (device === 'a phone') onTestFinished(holdAPhone())
  const { user, panel } = await openUsers([aUser('orrin', 'viewServerConsole')])
  const isPhone = device === 'a phone'
  if (isPhone) await user.click(await screen.findByRole('button', { name: /orrin/ }))
  const right = (name: string) => theSwitch(isPhone ? name : `orrin, ${name}`)
  await waitFor(() => right('Start and restart'))
  await user.click(right('Start and restart'))
  const end = panel.hold(putServerUser)
  await user.click(screen.getByRole('button', { name: isPhone ? 'Update' : 'Update orrin' }))
  await user.click(right('Stop and kill'))

  end()

  await screen.findByText('Saved')
  expect(right('Stop and kill').checked).toBe(true)
  expect(panel.asked(putServerUser).map(({ body }) => body)).toEqual([{ viewServerConsole: true, startServer: true }])
  expect(screen.getByRole('button', { name: isPhone ? 'Update' : 'Update orrin' })).toBeTruthy()
})

test('rights that were not saved are offered again after the session ended, with the person who was being added', async () => {
  const first = await openUsers([aUser('orrin', 'viewServerConsole')])
  await first.user.click(await screen.findByRole('switch', { name: 'orrin, Start and restart' }))
  await first.user.click(screen.getByRole('button', { name: 'Add user' }))
  await first.user.type(await screen.findByRole('textbox', { name: 'Email' }), 'bob')
  await waitFor(() => expect(Object.values(sessionStorage).join()).toContain('bob'))
  document.body.innerHTML = ''

  const { user } = await openUsers([aUser('orrin', 'viewServerConsole')])
  await user.click(await screen.findByRole('button', { name: 'Restore them' }))

  expect(theSwitch('orrin, Start and restart').checked).toBe(true)
  expect(screen.getByRole<HTMLInputElement>('textbox', { name: 'Email' }).value).toBe('bob')
})

test('a wrong address is told as soon as its field is left, and a changed switch is marked', async () => {
  const { user } = await openUsers([aUser('orrin', 'viewServerConsole')])
  await user.click(await screen.findByRole('button', { name: 'Add user' }))
  await user.type(await screen.findByRole('textbox', { name: 'Email' }), 'wren@exampl')
  expect(screen.queryByText('Email is not a valid email')).toBeNull()

  await user.click(theSwitch('orrin, Start and restart'))

  expect(await screen.findByText('Email is not a valid email')).toBeDefined()
  expect(theSwitch('orrin, Start and restart').getAttribute('aria-description')).toBe('Changed')
  expect(theSwitch('orrin, View console').getAttribute('aria-description')).toBeNull()
})

test('a preset fills the row of somebody who is being added', async () => {
  const { user } = await openUsers([aUser('orrin')])
  await user.click(await screen.findByRole('button', { name: 'Add user' }))

  await user.click(await screen.findByRole('button', { name: 'Preset for New user' }))
  await user.click(await screen.findByRole('menuitem', { name: 'Operator' }))

  expect(theSwitch('New user, Start and restart').checked).toBe(true)
})

test('where the grid would not fit there is a list that leads to one person at a time', async () => {
  const width = vi.spyOn(HTMLElement.prototype, 'clientWidth', 'get').mockReturnValue(760)
  onTestFinished(() => void width.mockRestore())
  const { user } = await openUsers([aUser('orrin', 'viewServerConsole', 'viewServerStats')])

  await user.click(await screen.findByRole('button', { name: /orrin.*Viewer/ }))
  const person = within(await screen.findByRole('dialog'))
  await user.click(person.getByRole('switch', { name: 'Start and restart' }))

  expect(screen.queryByRole('grid')).toBeNull()
  expect(person.getByText('Changed')).toBeDefined()
})

test('an address that nobody has cannot be invited without email, and the field says so', async () => {
  const { user, panel } = await openUsers([])
  panel.answer(putServerUser, new Refusal('ErrEmailNotConfigured'))

  await user.click(await screen.findByRole('button', { name: 'Add user' }))
  await user.type(await screen.findByRole('textbox', { name: 'Email' }), 'wren@example.org{Enter}')

  await screen.findByText(/this panel cannot send an invitation/)
})

test('an account that registered itself is not added without email, and the field says why', async () => {
  const { user, panel } = await openUsers([])
  panel.answer(putServerUser, new Refusal('ErrEmailNotConfirmed'))

  await user.click(await screen.findByRole('button', { name: 'Add user' }))
  const email = await screen.findByRole('textbox', { name: 'Email' })
  await user.type(email, 'mallory@example.org{Enter}')

  await waitFor(() => expect(email.getAttribute('aria-invalid')).toBe('true'))
  screen.getByText(/This account registered itself; its email address is not confirmed/)
})

test.each([
  [true, /People without an account get an invitation by email/],
  [false, /Only people with an account can be added: email is not set up/],
])('invitations are promised only while mail is set up: %s', async (passwordResetEnabled, promise) => {
  const panel = new FakePanel()
  panel.answer(getConfig, { ...panel.config, passwordResetEnabled })
  await openUsers([], () => true, panel)

  await screen.findByText(promise)
})

test('somebody is removed after a question, and Undo gives back the same rights', async () => {
  const { user, panel } = await openUsers([aUser('orrin', 'startServer')])

  await user.click(await screen.findByRole('button', { name: 'Remove orrin' }))
  const question = await screen.findByRole('alertdialog', { name: /^Remove orrin\?/ })
  await user.click(within(question).getByRole('button', { name: 'Remove user' }))

  await screen.findByText('Only administrators can use this server. Add someone.')
  await user.click(await screen.findByRole('button', { name: 'Undo' }))
  expect((await screen.findByRole<HTMLInputElement>('switch', { name: 'orrin, Start and restart' })).checked).toBe(true)
  expect(panel.asked(putServerUser).map(({ body }) => body)).toEqual([{ startServer: true }])
})

test('removing oneself is asked in a dialog, with a switch, and leads to the servers', async () => {
  const { user, panel, path } = await openUsers([aUser('mara', 'editServerUsers'), aUser('orrin')])
  await screen.findByText('You')

  await user.click(screen.getByRole('button', { name: 'Remove mara' }))
  const dialog = await screen.findByRole('dialog', { name: 'Remove yourself from lobby?' })
  const confirm = within(dialog).getByRole<HTMLButtonElement>('button', { name: 'Remove myself' })
  expect(confirm.disabled).toBe(true)
  await user.click(within(dialog).getByRole('switch', { name: 'I understand that I cannot undo this myself' }))
  await user.click(confirm)

  await waitFor(() => expect(path()).toBe('/server'))
  expect(panel.asked(deleteServerUser)).toHaveLength(1)
})

test('giving up the right to manage users asks first', async () => {
  const { user, panel } = await openUsers([aUser('mara', 'editServerUsers', 'startServer')])
  await screen.findByText('You')

  await user.click(theSwitch('mara, Manage users'))
  await user.click(screen.getByRole('button', { name: 'Update mara' }))
  const dialog = await screen.findByRole('dialog', { name: 'Give up managing the users of lobby?' })
  await user.click(within(dialog).getByRole('button', { name: 'Cancel' }))

  expect(panel.asked(putServerUser)).toEqual([])
})

test('a failure without a reason is told by what failed', async () => {
  const { user, panel } = await openUsers([aUser('orrin')])
  panel.answer(putServerUser, new Refusal('ErrUnknownError'))
  await user.click(await screen.findByRole('switch', { name: 'orrin, Stop and kill' }))

  await user.click(screen.getByRole('button', { name: 'Update orrin' }))

  await screen.findByText('Failed updating user permissions')
  expect(theSwitch('orrin, Stop and kill').checked).toBe(true)
})

test('on a phone there is one person per screen', async () => {
  onTestFinished(holdAPhone())
  const { user, panel } = await openUsers([aUser('orrin', 'viewServerConsole', 'viewServerStats')])
  await user.click(await screen.findByRole('button', { name: /orrin.*Viewer/ }))
  const person = await screen.findByRole('dialog')
  expect(within(person).getByRole('button', { name: 'Viewer' }).ariaPressed).toBe('true')

  await user.click(within(person).getByRole('button', { name: 'Player moderator' }))
  await within(person).findByText('1 change')
  await user.click(within(person).getByRole('button', { name: 'Update' }))

  await waitFor(() => expect(panel.asked(putServerUser)).toHaveLength(1))
  await waitFor(() => expect(within(person).queryByRole('button', { name: 'Update' })).toBeNull())
  await user.click(within(person).getByRole('button', { name: 'Back to the list' }))
  await screen.findByRole('button', { name: /orrin.*Player moderator/ })
})
