import { confirmEmail, sendEmailConfirmation } from '@innkeeper/contract/account'
import { login } from '@innkeeper/contract/auth'
import { getConfig, getSelf } from '@innkeeper/contract/panel'
import { Refusal } from '@innkeeper/contract/refusals'
import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { FakePanel } from '../../testing/fake-panel.ts'
import { openApp } from '../../testing/open-app.tsx'
import { aConfig } from '../../testing/samples.ts'

const link = '/account/confirm#token=abc'

/** A panel on which the account that is logged in did not confirm its address yet. */
function aPanel(): FakePanel {
  const panel = new FakePanel()
  let emailConfirmed = false
  panel.answer(getConfig, aConfig({ passwordResetEnabled: true }))
  panel.answer(getSelf, () => ({ id: 1, username: 'mara', email: 'mara@example.net', emailConfirmed }))
  panel.answer(confirmEmail, () => {
    emailConfirmed = true
    return undefined
  })
  panel.answer(sendEmailConfirmation, undefined)
  return panel
}

test('the mailed link confirms the address of whoever logs in with it', async () => {
  const panel = aPanel()
  panel.answer(login, { session: 'token' })
  const { user } = await openApp(link, { panel })

  await user.type(await screen.findByRole('textbox', { name: 'Email' }), 'mara@example.net')
  await user.type(screen.getByLabelText('Password'), 'a quiet evening{Enter}')
  await user.click(await screen.findByRole('button', { name: 'Confirm the address' }))

  await screen.findByRole('heading', { name: 'Your email address is confirmed' })
  expect(panel.asked(confirmEmail)[0]?.body).toEqual({ token: 'abc' })
})

test('a link that is used up offers another one', async () => {
  const panel = aPanel()
  panel.answer(confirmEmail, new Refusal('ErrTokenInvalid'))
  const { user } = await openApp(link, { panel, as: [] })

  await user.click(await screen.findByRole('button', { name: 'Confirm the address' }))
  await screen.findByRole('heading', { name: 'This link no longer works' })
  await user.click(screen.getByRole('button', { name: 'Send the link again' }))

  await screen.findByText('A link is on its way to your email address')
  expect(panel.asked(sendEmailConfirmation)).toHaveLength(1)
})

test('the account page says that the address is not confirmed, and what helps without mail', async () => {
  const panel = aPanel()
  panel.answer(getConfig, aConfig({ passwordResetEnabled: false }))
  await openApp('/account', { panel, as: [] })

  await screen.findByText(/Your email address is not confirmed.*An administrator can confirm it\./)
  expect(screen.queryByRole('button', { name: 'Send the link again' })).toBeNull()
})
