import { forgotPassword, resetPassword } from '@innkeeper/contract/accounts/password-reset'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { getConfig } from '@innkeeper/contract/settings/panel'
import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { FakePanel } from '../../testing/fake-panel.ts'
import { openApp } from '../../testing/open-app.tsx'
import { aConfig } from '../../testing/samples.ts'

function createPanelWithMail(): FakePanel {
  const panel = new FakePanel()
  panel.respond(getConfig, aConfig({ passwordResetEnabled: true }))
  return panel
}

async function setPassword(panel: FakePanel) {
  const { user } = await openApp('/auth/reset#token=abc', { panel })
  await user.type(await screen.findByLabelText('Password'), 'a new evening')
  await user.type(screen.getByLabelText('Repeat password'), 'a new evening')
  await user.click(screen.getByRole('button', { name: 'Set password' }))
}

test('the sign-in page links to the reset form', async () => {
  const { user } = await openApp('/auth/login', { panel: createPanelWithMail() })

  await user.click(await screen.findByRole('link', { name: 'Forgot your password?' }))

  await screen.findByRole('button', { name: 'Send link' })
})

test('requesting a link shows the same message for unknown accounts', async () => {
  const panel = createPanelWithMail()
  panel.respond(forgotPassword, undefined)
  const { user } = await openApp('/auth/forgot', { panel })

  await user.type(await screen.findByRole('textbox', { name: 'Email' }), 'wren@example.net{Enter}')

  await screen.findByRole('heading', { name: 'Check your email' })
  expect(screen.getByText(/^If there is an account for wren@example\.net,/)).toBeDefined()
  expect(panel.requests(forgotPassword)[0]?.body).toEqual({ email: 'wren@example.net' })
})

test('a panel without email names who can help', async () => {
  const panel = createPanelWithMail()
  panel.respond(forgotPassword, new Refusal('ErrEmailNotConfigured'))
  const { user } = await openApp('/auth/forgot', { panel })

  await user.type(await screen.findByRole('textbox', { name: 'Email' }), 'wren@example.net{Enter}')

  await screen.findByText(/^Ask an administrator to set a new password for you\./)
})

test('the emailed link sets a new password', async () => {
  const panel = createPanelWithMail()
  panel.respond(resetPassword, undefined)

  await setPassword(panel)

  await screen.findByRole('heading', { name: 'Password changed' })
  expect(panel.requests(resetPassword)[0]?.body).toEqual({ token: 'abc', password: 'a new evening' })
})

test('a used link offers a new one', async () => {
  const panel = createPanelWithMail()
  panel.respond(resetPassword, new Refusal('ErrTokenInvalid'))

  await setPassword(panel)

  await screen.findByRole('heading', { name: 'This link no longer works' })
  expect(screen.getByRole('link', { name: 'Request a new link' }).getAttribute('href')).toBe('/auth/forgot')
})
