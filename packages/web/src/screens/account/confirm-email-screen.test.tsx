import { confirmEmail, sendEmailConfirmation } from '@innkeeper/contract/accounts/account'
import { login } from '@innkeeper/contract/accounts/auth'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { getConfig, getSelf } from '@innkeeper/contract/settings/panel'
import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { FakePanel } from '../../testing/fake-panel.ts'
import { openApp } from '../../testing/open-app.tsx'
import { aConfig } from '../../testing/samples.ts'

const link = '/account/confirm#token=abc'

/** A panel where the signed-in user has not confirmed their email address. */
function aPanel(): FakePanel {
  const panel = new FakePanel()
  let emailConfirmed = false
  panel.respond(getConfig, aConfig({ passwordResetEnabled: true }))
  panel.respond(getSelf, () => ({ id: 1, username: 'mara', email: 'mara@example.net', emailConfirmed }))
  panel.respond(confirmEmail, () => {
    emailConfirmed = true
    return undefined
  })
  panel.respond(sendEmailConfirmation, undefined)
  return panel
}

test('the emailed link confirms the address of the user who signs in', async () => {
  const panel = aPanel()
  panel.respond(login, { session: 'token' })
  const { user } = await openApp(link, { panel })

  await user.type(await screen.findByRole('textbox', { name: 'Email' }), 'mara@example.net')
  await user.type(screen.getByLabelText('Password'), 'a quiet evening{Enter}')
  await user.click(await screen.findByRole('button', { name: 'Confirm address' }))

  await screen.findByRole('heading', { name: 'Your email address is confirmed' })
  expect(panel.requests(confirmEmail)[0]?.body).toEqual({ token: 'abc' })
})

test('a used link offers to send another one', async () => {
  const panel = aPanel()
  panel.respond(confirmEmail, new Refusal('ErrTokenInvalid'))
  const { user } = await openApp(link, { panel, as: [] })

  await user.click(await screen.findByRole('button', { name: 'Confirm address' }))
  await screen.findByRole('heading', { name: 'This link no longer works' })
  await user.click(screen.getByRole('button', { name: 'Send the link again' }))

  await screen.findByText('A new link was sent to your email address')
  expect(panel.requests(sendEmailConfirmation)).toHaveLength(1)
})

test('without email the account page says that an administrator can confirm the address', async () => {
  const panel = aPanel()
  panel.respond(getConfig, aConfig({ passwordResetEnabled: false }))
  await openApp('/account', { panel, as: [] })

  await screen.findByText(/Your email address is not confirmed.*Ask an administrator to confirm it\./)
  expect(screen.queryByRole('button', { name: 'Send the link again' })).toBeNull()
})
