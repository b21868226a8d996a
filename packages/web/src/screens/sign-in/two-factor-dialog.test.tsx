import { login, otp } from '@innkeeper/contract/accounts/auth'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { FakePanel } from '../../testing/fake-panel.ts'
import { openApp } from '../../testing/open-app.tsx'

/** Opens the dialog: a user with two-factor has entered the password. */
async function openDialog(panel = new FakePanel(), scopes: readonly string[] = ['servers.view']) {
  panel.respond(login, { otpNeeded: true })
  if (panel.requests(otp).length === 0) panel.respond(otp, { session: 'token', scopes: [...scopes] })
  const opened = await openApp('/auth/login', { panel })
  await opened.user.type(await screen.findByLabelText('Email'), 'mara@example.net')
  await opened.user.type(screen.getByLabelText('Password'), 'right{Enter}')
  const dialog = within(await screen.findByRole('dialog', { name: 'Enter your code' }))
  return { ...opened, dialog, code: dialog.getByLabelText<HTMLInputElement>('6-digit code') }
}

test('the six boxes are one field with autofill', async () => {
  const { code } = await openDialog()

  expect(code.autocomplete).toBe('one-time-code')
  expect(code.inputMode).toBe('numeric')
  expect(document.activeElement).toBe(code)
})

test('the sixth digit submits the code, and the servers open', async () => {
  const { user, panel, path } = await openDialog()

  await user.keyboard('419022')

  await waitFor(() => expect(path()).toBe('/server'))
  expect(panel.requests(otp).map(({ body }) => body)).toEqual([{ token: '419022' }])
})

test('a pasted code is sent without spaces', async () => {
  const { user, panel } = await openDialog()

  await user.paste('419 022')

  await waitFor(() => expect(panel.requests(otp)).toHaveLength(1))
  expect(panel.requests(otp)[0]?.body).toEqual({ token: '419022' })
})

test('without the permission to see servers, the Account page opens', async () => {
  const { user, path } = await openDialog(new FakePanel(), [])

  await user.keyboard('419022')

  await waitFor(() => expect(path()).toBe('/account'))
})

test('a wrong code is shown and cleared, and the next one is sent by Enter only', async () => {
  const panel = new FakePanel()
  const { user, dialog, code } = await openDialog(panel)
  panel.respond(otp, new Refusal('ErrInvalidCredentials'))

  await user.keyboard('111111')
  expect((await dialog.findByRole('alert')).textContent).toBe(
    'Incorrect code. Codes change every 30 seconds: enter the current one.',
  )
  expect(code.value).toBe('')
  expect(document.activeElement).toBe(code)
  await user.keyboard('222222')
  expect(panel.requests(otp)).toHaveLength(1)
  await user.keyboard('{Enter}')

  await waitFor(() => expect(panel.requests(otp)).toHaveLength(2))
})

test('too few digits are not sent', async () => {
  const { user, panel, dialog } = await openDialog()

  await user.keyboard('419{Enter}')

  expect(dialog.getByRole<HTMLButtonElement>('button', { name: 'Sign in' }).disabled).toBe(true)
  expect(panel.requests(otp)).toHaveLength(0)
})

test('a recovery code is accepted', async () => {
  const { user, panel, dialog, path } = await openDialog()

  await user.click(dialog.getByRole('button', { name: 'Use a recovery code' }))
  await user.type(await dialog.findByLabelText('Recovery code'), 'abcd-efgh-jkmn{Enter}')

  await waitFor(() => expect(path()).toBe('/server'))
  expect(panel.requests(otp)[0]?.body).toEqual({ token: 'abcd-efgh-jkmn' })
})

test.each(['ErrSessionExpired', 'ErrInvalidSession'] as const)(
  'after %s the password is required again',
  async (code) => {
    const panel = new FakePanel()
    const { user } = await openDialog(panel)
    panel.respond(otp, new Refusal(code))

    await user.keyboard('419022')

    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    expect(await screen.findByRole('alert')).toBeDefined()
    expect(screen.getByLabelText<HTMLInputElement>('Password').value).toBe('')
    await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText('Password')))
  },
)

test('Back to password closes the dialog without an error', async () => {
  const { user, dialog } = await openDialog()

  await user.click(dialog.getByRole('button', { name: 'Back to password' }))

  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(screen.queryByRole('alert')).toBeNull()
})

test('an unknown error opens its details', async () => {
  const panel = new FakePanel()
  const { user, dialog } = await openDialog(panel)
  panel.respond(otp, new Refusal('ErrUnknownError'))

  await user.keyboard('111111')
  await user.click(await dialog.findByRole('button', { name: 'Details' }))

  await screen.findByText(/auth\/otp/)
})
