import { setup } from '@innkeeper/contract/accounts/sign-up'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { getConfig } from '@innkeeper/contract/settings/panel'
import { screen, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'
import { FakePanel } from '../../testing/fake-panel.ts'
import { openApp } from '../../testing/open-app.tsx'

function createNewPanel(): FakePanel {
  const panel = new FakePanel()
  panel.respond(getConfig, {
    branding: { name: 'Innkeeper' },
    themes: { active: 'Innkeeper', available: ['Innkeeper'] },
    registrationEnabled: false,
    setupNeeded: true,
    version: '0.1.0',
  })
  return panel
}

async function fillIn(panel: FakePanel) {
  const opened = await openApp('/', { panel })
  const { user } = opened
  await user.type(await screen.findByLabelText('Setup code'), 'ABCD-EFGH-JKMN-PQRS')
  await user.type(screen.getByLabelText('Username'), 'mara')
  await user.type(screen.getByLabelText('Email'), 'mara@example.net')
  await user.type(screen.getByLabelText('Password'), 'correct horse')
  await user.type(screen.getByLabelText('Repeat password'), 'correct horse')
  return opened
}

test('registration is off unless the first administrator turns it on', async () => {
  const panel = createNewPanel()
  panel.respond(setup, { session: 'token', scopes: ['servers.admin'] })
  const { user, path } = await fillIn(panel)
  const registration = screen.getByRole<HTMLInputElement>('switch', { name: /^Allow registration/ })
  expect(registration.checked).toBe(false)

  await user.click(registration)
  await user.click(screen.getByRole('button', { name: 'Create administrator' }))

  await waitFor(() => expect(path()).toBe('/server'))
  expect(panel.requests(setup)[0]?.body).toMatchObject({ registrationEnabled: true })
})

test('a new panel redirects to setup, and then the servers open', async () => {
  const panel = createNewPanel()
  panel.respond(setup, { session: 'token', scopes: ['servers.admin'] })
  const { user, path } = await fillIn(panel)

  await user.click(screen.getByRole('button', { name: 'Create administrator' }))

  await waitFor(() => expect(path()).toBe('/server'))
  expect(panel.requests(setup)[0]?.body).toEqual({
    code: 'ABCD-EFGH-JKMN-PQRS',
    username: 'mara',
    email: 'mara@example.net',
    password: 'correct horse',
    registrationEnabled: false,
  })
})

test('a wrong code is shown at its field', async () => {
  const panel = createNewPanel()
  panel.respond(setup, new Refusal('ErrSetupCode'))
  const { user } = await fillIn(panel)

  await user.click(screen.getByRole('button', { name: 'Create administrator' }))

  await screen.findByText('The setup code is incorrect')
  expect(document.activeElement).toBe(screen.getByLabelText('Setup code'))
})

test('different passwords are reported before a request is sent', async () => {
  const { user, panel } = await fillIn(createNewPanel())
  await user.type(screen.getByLabelText('Repeat password'), 'x')

  await user.click(screen.getByRole('button', { name: 'Create administrator' }))

  expect(await screen.findByText('Passwords are not the same')).toBeTruthy()
  expect(panel.requests(setup)).toHaveLength(0)
})
