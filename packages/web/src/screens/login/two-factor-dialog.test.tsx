import { login, otp } from '@innkeeper/contract/auth'
import { Refusal } from '@innkeeper/contract/refusals'
import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { FakePanel } from '../../testing/fake-panel.ts'
import { openApp } from '../../testing/open-app.tsx'

/** Somebody with two-factor has typed the password. */
async function openDialog(panel = new FakePanel(), scopes: readonly string[] = ['servers.view']) {
  panel.answer(login, { otpNeeded: true })
  if (panel.asked(otp).length === 0) panel.answer(otp, { session: 'token', scopes: [...scopes] })
  const opened = await openApp('/auth/login', { panel })
  await opened.user.type(await screen.findByLabelText('Email'), 'mara@example.net')
  await opened.user.type(screen.getByLabelText('Password'), 'right{Enter}')
  const dialog = within(await screen.findByRole('dialog', { name: 'Enter your code' }))
  return { ...opened, dialog, code: dialog.getByLabelText<HTMLInputElement>('Code with 6 digits') }
}

test('the six boxes are one field, which browsers and phones fill in', async () => {
  const { code } = await openDialog()

  expect(code.autocomplete).toBe('one-time-code')
  expect(code.inputMode).toBe('numeric')
  expect(document.activeElement).toBe(code)
})

test('with its sixth digit the code goes out by itself, and leads to the servers', async () => {
  const { user, panel, path } = await openDialog()

  await user.keyboard('419022')

  await waitFor(() => expect(path()).toBe('/server'))
  expect(panel.asked(otp).map(({ body }) => body)).toEqual([{ token: '419022' }])
})

test('a pasted code goes out without its blanks', async () => {
  const { user, panel } = await openDialog()

  await user.paste('419 022')

  await waitFor(() => expect(panel.asked(otp)).toHaveLength(1))
  expect(panel.asked(otp)[0]?.body).toEqual({ token: '419022' })
})

test('without the right to see servers the account is home', async () => {
  const { user, path } = await openDialog(new FakePanel(), [])

  await user.keyboard('419022')

  await waitFor(() => expect(path()).toBe('/account'))
})

test('a wrong code is told, the boxes are empty again, and the next one goes out with Enter only', async () => {
  const panel = new FakePanel()
  const { user, dialog, code } = await openDialog(panel)
  panel.answer(otp, new Refusal('ErrInvalidCredentials'))

  await user.keyboard('111111')
  expect((await dialog.findByRole('alert')).textContent).toBe(
    'This code is not right. Codes change every 30 seconds: enter the one that is shown now.',
  )
  expect(code.value).toBe('')
  expect(document.activeElement).toBe(code)
  await user.keyboard('222222')
  expect(panel.asked(otp)).toHaveLength(1)
  await user.keyboard('{Enter}')

  await waitFor(() => expect(panel.asked(otp)).toHaveLength(2))
})

test('too few digits are not sent', async () => {
  const { user, panel, dialog } = await openDialog()

  await user.keyboard('419{Enter}')

  expect(dialog.getByRole<HTMLButtonElement>('button', { name: 'Log in' }).disabled).toBe(true)
  expect(panel.asked(otp)).toHaveLength(0)
})

test('a recovery code does as well', async () => {
  const { user, panel, dialog, path } = await openDialog()

  await user.click(dialog.getByRole('button', { name: 'Use a recovery code' }))
  await user.type(await dialog.findByLabelText('Recovery code'), 'abcd-efgh-jkmn{Enter}')

  await waitFor(() => expect(path()).toBe('/server'))
  expect(panel.asked(otp)[0]?.body).toEqual({ token: 'abcd-efgh-jkmn' })
})

test.each(['ErrSessionExpired', 'ErrInvalidSession'] as const)('after %s the password is asked again', async (code) => {
  const panel = new FakePanel()
  const { user } = await openDialog(panel)
  panel.answer(otp, new Refusal(code))

  await user.keyboard('419022')

  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(await screen.findByRole('alert')).toBeDefined()
  expect(screen.getByLabelText<HTMLInputElement>('Password').value).toBe('')
  await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText('Password')))
})

test('Back to password leaves the dialog without a word', async () => {
  const { user, dialog } = await openDialog()

  await user.click(dialog.getByRole('button', { name: 'Back to password' }))

  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(screen.queryByRole('alert')).toBeNull()
})

test('an error that explains nothing leads to its details', async () => {
  const panel = new FakePanel()
  const { user, dialog } = await openDialog(panel)
  panel.answer(otp, new Refusal('ErrUnknownError'))

  await user.keyboard('111111')
  await user.click(await dialog.findByRole('button', { name: 'Details' }))

  await screen.findByText(/auth\/otp/)
})
