import { login } from '@innkeeper/contract/accounts/auth'
import { acceptInvite, acceptInviteAsSelf, checkInvite } from '@innkeeper/contract/accounts/invites'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { getSelf } from '@innkeeper/contract/settings/panel'
import { screen, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'
import { FakePanel } from '../../testing/fake-panel.ts'
import { openApp } from '../../testing/open-app.tsx'

const link = '/auth/invite?token=abc&email=wren%40example.net'

function createPanelWithInvite({ hasAccount = false } = {}): FakePanel {
  const panel = new FakePanel()
  panel.respond(checkInvite, {
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
  await user.type(screen.getByLabelText('Repeat password'), 'a quiet evening')
  await user.click(screen.getByRole('button', { name: 'Create account' }))
  return opened
}

test('an invitation names the user and the server, and its address cannot be changed', async () => {
  await openApp(link, { panel: createPanelWithInvite() })

  await screen.findByText('mara invited you to the server Oak Valley.')
  const email = screen.getByRole<HTMLInputElement>('textbox', { name: 'Email' })
  expect(email.value).toBe('wren@example.net')
  expect(email.readOnly).toBe(true)
})

test('accepting creates an account, signs in and opens the servers', async () => {
  const panel = createPanelWithInvite()
  panel.respond(acceptInvite, { session: 'token' })

  const { path } = await join(panel)

  await waitFor(() => expect(path()).toBe('/server'))
  expect(panel.requests(acceptInvite)[0]?.body).toEqual({
    token: 'abc',
    email: 'wren@example.net',
    username: 'wren',
    password: 'a quiet evening',
  })
})

test.each([
  ['that was used', link, true],
  ['without its token', '/auth/invite?email=wren%40example.net', false],
])('a link %s shows a message with a link to sign-in', async (_, path, isAsked) => {
  const panel = new FakePanel()
  panel.respond(checkInvite, new Refusal('ErrInviteLinkInvalid'))
  await openApp(path, { panel })

  await screen.findByRole('heading', { name: 'Your invite link appears to be invalid' })
  expect(screen.getByRole('link', { name: 'Sign in' }).getAttribute('href')).toBe('/auth/login')
  expect(panel.requests(checkInvite)).toHaveLength(isAsked ? 1 : 0)
})

test('an invitation that expires while the form is open shows a message', async () => {
  const panel = createPanelWithInvite()
  panel.respond(acceptInvite, new Refusal('ErrInviteLinkInvalid'))

  await join(panel)

  await screen.findByRole('heading', { name: 'Your invite link appears to be invalid' })
})

test('an error is shown above the form, and the input stays', async () => {
  const panel = createPanelWithInvite()
  panel.respond(acceptInvite, new Refusal('ErrSavingInviteduser'))

  await join(panel)

  expect((await screen.findByRole('alert')).textContent).toBe('There was an error creating your account')
  expect(screen.getByRole<HTMLInputElement>('textbox', { name: 'Username' }).value).toBe('wren')
})

test('the owner of an existing account signs in and accepts with it', async () => {
  const panel = createPanelWithInvite({ hasAccount: true })
  panel.respond(getSelf, { id: 4, username: 'wren', email: 'wren@example.net', emailConfirmed: false })
  panel.respond(login, { session: 'token', scopes: [] })
  panel.respond(acceptInviteAsSelf, undefined)
  const { user, path } = await openApp(link, { panel })

  await user.click(await screen.findByRole('link', { name: 'Sign in to accept' }))
  await user.type(await screen.findByRole('textbox', { name: 'Email' }), 'wren@example.net')
  await user.type(screen.getByLabelText('Password'), 'a quiet evening{Enter}')
  await user.click(await screen.findByRole('button', { name: 'Accept as wren' }))

  await waitFor(() => expect(path()).toBe('/server'))
  expect(panel.requests(acceptInviteAsSelf)[0]?.body).toEqual({ token: 'abc' })
})

test('a user whose address belongs to another account creates a new one', async () => {
  const panel = createPanelWithInvite({ hasAccount: true })
  panel.respond(acceptInvite, { session: 'token' })
  const { user, path } = await openApp(link, { panel })

  await user.click(await screen.findByRole('button', { name: 'Create a new account' }))
  await user.type(await screen.findByRole('textbox', { name: 'Username' }), 'wren')
  await user.type(screen.getByLabelText('Password'), 'a quiet evening')
  await user.type(screen.getByLabelText('Repeat password'), 'a quiet evening{Enter}')

  await waitFor(() => expect(path()).toBe('/server'))
  expect(panel.requests(acceptInvite)).toHaveLength(1)
})
