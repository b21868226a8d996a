import { getConfig } from '@innkeeper/contract/panel'
import { forgotPassword, resetPassword } from '@innkeeper/contract/password-reset'
import { Refusal } from '@innkeeper/contract/refusals'
import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { FakePanel } from '../../testing/fake-panel.ts'
import { openApp } from '../../testing/open-app.tsx'
import { aConfig } from '../../testing/samples.ts'

function aMailingPanel(): FakePanel {
  const panel = new FakePanel()
  panel.answer(getConfig, aConfig({ passwordResetEnabled: true }))
  return panel
}

async function setPassword(panel: FakePanel) {
  const { user } = await openApp('/auth/reset#token=abc', { panel })
  await user.type(await screen.findByLabelText('Password'), 'a new evening')
  await user.type(screen.getByLabelText('Password again'), 'a new evening')
  await user.click(screen.getByRole('button', { name: 'Set password' }))
}

test('the login leads to a new password where the panel sends mail', async () => {
  const { user } = await openApp('/auth/login', { panel: aMailingPanel() })

  await user.click(await screen.findByRole('link', { name: 'Forgot your password?' }))

  await screen.findByRole('button', { name: 'Send the link' })
})

test('asking for a link tells the same whoever has an account', async () => {
  const panel = aMailingPanel()
  panel.answer(forgotPassword, undefined)
  const { user } = await openApp('/auth/forgot', { panel })

  await user.type(await screen.findByRole('textbox', { name: 'Email' }), 'wren@example.net{Enter}')

  await screen.findByRole('heading', { name: 'Look into your mail' })
  expect(screen.getByText(/^If there is an account for wren@example\.net,/)).toBeDefined()
  expect(panel.asked(forgotPassword)[0]?.body).toEqual({ email: 'wren@example.net' })
})

test('a panel that sends no mail says who can help', async () => {
  const panel = aMailingPanel()
  panel.answer(forgotPassword, new Refusal('ErrEmailNotConfigured'))
  const { user } = await openApp('/auth/forgot', { panel })

  await user.type(await screen.findByRole('textbox', { name: 'Email' }), 'wren@example.net{Enter}')

  await screen.findByText(/^Ask an administrator to set a new password for you\./)
})

test('the link of the mail sets a new password', async () => {
  const panel = aMailingPanel()
  panel.answer(resetPassword, undefined)

  await setPassword(panel)

  await screen.findByRole('heading', { name: 'Your password is changed' })
  expect(panel.asked(resetPassword)[0]?.body).toEqual({ token: 'abc', password: 'a new evening' })
})

test('a link that is used up leads to a new one', async () => {
  const panel = aMailingPanel()
  panel.answer(resetPassword, new Refusal('ErrTokenInvalid'))

  await setPassword(panel)

  await screen.findByRole('heading', { name: 'This link no longer works' })
  expect(screen.getByRole('link', { name: 'Ask for a new link' }).getAttribute('href')).toBe('/auth/forgot')
})
