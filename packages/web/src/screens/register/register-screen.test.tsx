import { register } from '@innkeeper/contract/accounts/sign-up'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { getConfig } from '@innkeeper/contract/settings/panel'
import { screen, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'
import { FakePanel } from '../../testing/fake-panel.ts'
import { openApp } from '../../testing/open-app.tsx'
import { aConfig } from '../../testing/samples.ts'

function createOpenPanel(): FakePanel {
  const panel = new FakePanel()
  panel.respond(getConfig, aConfig({ registrationEnabled: true }))
  return panel
}

async function fillIn(panel = createOpenPanel()) {
  const opened = await openApp('/auth/register', { panel })
  const { user } = opened
  await user.type(await screen.findByRole('textbox', { name: 'Username' }), 'wren')
  await user.type(screen.getByRole('textbox', { name: 'Email' }), 'wren@example.net')
  await user.type(screen.getByLabelText('Password'), 'a quiet evening')
  await user.type(screen.getByLabelText('Repeat password'), 'a quiet evening')
  return { ...opened, register: () => user.click(screen.getByRole('button', { name: 'Register' })) }
}

test('the sign-in page links to registration only where the panel allows it', async () => {
  await openApp('/auth/login', { panel: createOpenPanel() })
  expect((await screen.findByRole('link', { name: 'Register' })).getAttribute('href')).toBe('/auth/register')
})

test('a panel without registration says so, and links to sign-in', async () => {
  await openApp('/auth/register')

  await screen.findByRole('heading', { name: 'Registration is off' })
  expect(screen.getByRole('link', { name: 'Sign in' }).getAttribute('href')).toBe('/auth/login')
})

test('a registered user is signed in and sees how to get access', async () => {
  const panel = createOpenPanel()
  panel.respond(register, { success: true, token: 'token', session: 'token', scopes: [] })
  const { register: send, user, path } = await fillIn(panel)

  await send()

  await screen.findByRole('heading', { name: 'Your account is ready' })
  expect(screen.getByText('Ask an administrator for access.')).toBeDefined()
  expect(panel.requests(register)[0]?.body).toEqual({
    username: 'wren',
    email: 'wren@example.net',
    password: 'a quiet evening',
  })
  await user.click(screen.getByRole('link', { name: 'Go to account' }))
  await waitFor(() => expect(path()).toBe('/account'))
})

test('every invalid field has its error before a request is sent, and the first one has the focus', async () => {
  const { user, panel } = await openApp('/auth/register', { panel: createOpenPanel() })
  await user.type(await screen.findByRole('textbox', { name: 'Username' }), 'no blanks')
  await user.type(screen.getByLabelText('Password'), 'short')
  await user.click(screen.getByRole('button', { name: 'Register' }))

  const username = screen.getByRole('textbox', { name: 'Username' })
  expect(document.activeElement).toBe(username)
  expect(username.getAttribute('aria-invalid')).toBe('true')
  expect(screen.getByText('Email is not a valid email')).toBeDefined()
  expect(screen.getByText('Password must be at least 8 characters')).toBeDefined()
  expect(screen.getByText('Passwords are not the same')).toBeDefined()
  expect(panel.requests(register)).toHaveLength(0)
})

test('a username that is taken is shown at its field', async () => {
  const panel = createOpenPanel()
  panel.respond(register, new Refusal('ErrDuplicateUsername'))
  const { register: send } = await fillIn(panel)

  await send()

  await screen.findByText('This username is taken')
  expect(document.activeElement).toBe(screen.getByRole('textbox', { name: 'Username' }))
})
