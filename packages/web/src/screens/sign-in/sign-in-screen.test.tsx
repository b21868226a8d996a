import { login } from '@innkeeper/contract/accounts/auth'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { getConfig } from '@innkeeper/contract/settings/panel'
import { screen, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'
import { FakePanel } from '../../testing/fake-panel.ts'
import { openApp } from '../../testing/open-app.tsx'
import { aConfig } from '../../testing/samples.ts'
import { getReturnPath } from './return-path.ts'

test('a wrong password is shown above the form, and the password field is cleared and focused', async () => {
  const panel = new FakePanel()
  panel.respond(login, new Refusal('ErrInvalidCredentials'))
  const { user } = await openApp('/auth/login', { panel })

  await user.type(await screen.findByLabelText('Email'), 'mara@example.net')
  await user.type(screen.getByLabelText('Password'), 'wrong{Enter}')

  expect((await screen.findByRole('alert')).textContent).toBe('Invalid credentials')
  const password = screen.getByLabelText<HTMLInputElement>('Password')
  expect(password.value).toBe('')
  expect(document.activeElement).toBe(password)
})

test('an unknown error opens the request details, with the message of another version', async () => {
  const panel = new FakePanel()
  const unknown = { code: 'ErrMoonFull', msg: 'The moon is full', status: 409 }
  panel.respond(login, new Refusal('ErrUnknownError', {}, { unknown }))
  const { user } = await openApp('/auth/login', { panel })
  await user.type(await screen.findByRole('textbox', { name: 'Email' }), 'mara@example.net')
  await user.type(screen.getByLabelText('Password'), 'something')
  await user.click(screen.getByRole('button', { name: 'Sign in' }))

  expect((await screen.findByRole('alert')).textContent).toContain('The moon is full')
  await user.click(screen.getByRole('button', { name: 'Details' }))

  const details = await screen.findByRole('dialog')
  expect(details.textContent).toContain('ErrMoonFull')
  expect(details.textContent).toContain('POST /auth/login')
  expect(details.textContent).not.toContain('something')
})

test('empty fields are reported without a request, and the first one gets the focus', async () => {
  const { user, panel } = await openApp('/auth/login')

  await user.click(await screen.findByRole('button', { name: 'Sign in' }))

  await screen.findByText('Email is required')
  await screen.findByText('Password is required')
  expect(document.activeElement).toBe(screen.getByLabelText('Email'))
  expect(panel.requests(login)).toHaveLength(0)
})

test('after sign-in the requested page opens', async () => {
  const panel = new FakePanel()
  panel.respond(login, { session: 'token', scopes: ['servers.admin'] })
  const { user, path } = await openApp('/node', { panel })

  await user.type(await screen.findByLabelText('Email'), 'mara@example.net')
  await user.type(screen.getByLabelText('Password'), 'right{Enter}')

  await waitFor(() => expect(path()).toBe('/node'))
})

test('without the permission to see servers, the Account page opens', async () => {
  const panel = new FakePanel()
  panel.respond(login, { session: 'token' })
  const { user, path } = await openApp('/auth/login', { panel })

  await user.type(await screen.findByLabelText('Email'), 'wren@example.net')
  await user.type(screen.getByLabelText('Password'), 'right{Enter}')

  await waitFor(() => expect(path()).toBe('/account'))
})

test('the return path is a path of this app', () => {
  const origin = 'https://panel.example'

  expect(getReturnPath('/server/0a1b2c3d?tab=files', origin)).toBe('/server/0a1b2c3d?tab=files')
  expect(getReturnPath('//evil.example/x', origin)).toBeUndefined()
  expect(getReturnPath('/\\evil.example', origin)).toBeUndefined()
  expect(getReturnPath('/.//evil.example/x', origin)).toBeUndefined()
  expect(getReturnPath('https://evil.example', origin)).toBeUndefined()
  expect(getReturnPath('/auth/login', origin)).toBeUndefined()
  expect(getReturnPath(null, origin)).toBeUndefined()
})

test('without email, the page shows what to do about a forgotten password', async () => {
  const panel = new FakePanel()
  panel.respond(getConfig, aConfig({ passwordResetEnabled: false }))

  await openApp('/auth/login', { panel })

  await screen.findByText(/Ask an administrator to set a new password for you/)
  expect(screen.queryByRole('link', { name: 'Forgot your password?' })).toBeNull()
})
