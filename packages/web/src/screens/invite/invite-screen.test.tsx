import { login } from '@innkeeper/contract/auth'
import { acceptInvite, acceptInviteAsSelf, checkInvite } from '@innkeeper/contract/invites'
import { getSelf } from '@innkeeper/contract/panel'
import { Refusal } from '@innkeeper/contract/refusals'
import { screen, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'
import { FakePanel } from '../../testing/fake-panel.ts'
import { openApp } from '../../testing/open-app.tsx'
import { disableStrictMode } from '../../testing/strict-mode.ts'

const link = '/auth/invite?token=abc&email=wren%40example.net'

function anInvitingPanel({ hasAccount = false } = {}): FakePanel {
  const panel = new FakePanel()
  panel.answer(checkInvite, {
    email: 'wren@example.net',
    invitedBy: 'mara',
    server: 'Oak Valley',
    expiresAt: '2026-11-28T12:00:00Z',
    hasAccount,
  })
  return panel
}

async function join(panel: FakePanel) {
  const opened = await openApp(link, { panel })
  const { user } = opened
  await user.type(await screen.findByRole('textbox', { name: 'Username' }), 'wren')
  await user.type(screen.getByLabelText('Password'), 'a quiet evening')
  await user.type(screen.getByLabelText('Password again'), 'a quiet evening')
  await user.click(screen.getByRole('button', { name: 'Create account' }))
  return opened
}

test('an invitation names who invites and where to, and the address cannot be changed', async () => {
  await openApp(link, { panel: anInvitingPanel() })

  await screen.findByText('mara invites you to the server Oak Valley.')
  const email = screen.getByRole<HTMLInputElement>('textbox', { name: 'Email' })
  expect(email.value).toBe('wren@example.net')
  expect(email.readOnly).toBe(true)
})

test('who accepts has an account, is logged in and sees the server', async () => {
  const panel = anInvitingPanel()
  panel.answer(acceptInvite, { session: 'token' })

  const { path } = await join(panel)

  await waitFor(() => expect(path()).toBe('/server'))
  expect(panel.asked(acceptInvite)[0]?.body).toEqual({
    token: 'abc',
    email: 'wren@example.net',
    username: 'wren',
    password: 'a quiet evening',
  })
})

test.each([
  ['that is used up', link, true],
  ['without its token', '/auth/invite?email=wren%40example.net', false],
])('a link %s is a page of its own with the way to the login', async (_, path, isAsked) => {
  disableStrictMode()
  const panel = new FakePanel()
  panel.answer(checkInvite, new Refusal('ErrInviteLinkInvalid'))
  await openApp(path, { panel })

  await screen.findByRole('heading', { name: 'Your invite link appears to be invalid' })
  expect(screen.getByRole('link', { name: 'Log in' }).getAttribute('href')).toBe('/auth/login')
  expect(panel.asked(checkInvite)).toHaveLength(isAsked ? 1 : 0)
})

test('an invitation that ends while the form is open says so', async () => {
  const panel = anInvitingPanel()
  panel.answer(acceptInvite, new Refusal('ErrInviteLinkInvalid'))

  await join(panel)

  await screen.findByRole('heading', { name: 'Your invite link appears to be invalid' })
})

test('a failure of the panel is told above the form, and what was typed stays', async () => {
  const panel = anInvitingPanel()
  panel.answer(acceptInvite, new Refusal('ErrSavingInviteduser'))

  await join(panel)

  expect((await screen.findByRole('alert')).textContent).toBe('There was an error creating your account')
  expect(screen.getByRole<HTMLInputElement>('textbox', { name: 'Username' }).value).toBe('wren')
})

test('whoever registered the address already logs in and accepts with that account', async () => {
  const panel = anInvitingPanel({ hasAccount: true })
  panel.answer(getSelf, { id: 4, username: 'wren', email: 'wren@example.net', emailConfirmed: false })
  panel.answer(login, { session: 'token', scopes: [] })
  panel.answer(acceptInviteAsSelf, undefined)
  const { user, path } = await openApp(link, { panel })

  await user.click(await screen.findByRole('link', { name: 'Log in to accept' }))
  await user.type(await screen.findByRole('textbox', { name: 'Email' }), 'wren@example.net')
  await user.type(screen.getByLabelText('Password'), 'a quiet evening{Enter}')
  await user.click(await screen.findByRole('button', { name: 'Accept as wren' }))

  await waitFor(() => expect(path()).toBe('/server'))
  expect(panel.asked(acceptInviteAsSelf)[0]?.body).toEqual({ token: 'abc' })
})

test('whoever finds their address taken by a stranger makes an account of their own', async () => {
  const panel = anInvitingPanel({ hasAccount: true })
  panel.answer(acceptInvite, { session: 'token' })
  const { user, path } = await openApp(link, { panel })

  await user.click(await screen.findByRole('button', { name: 'Create a new account' }))
  await user.type(await screen.findByRole('textbox', { name: 'Username' }), 'wren')
  await user.type(screen.getByLabelText('Password'), 'a quiet evening')
  await user.type(screen.getByLabelText('Password again'), 'a quiet evening{Enter}')

  await waitFor(() => expect(path()).toBe('/server'))
  expect(panel.asked(acceptInvite)).toHaveLength(1)
})
