import { completeOidcLogin } from '@innkeeper/contract/accounts/oidc'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { FakePanel } from '../../testing/fake-panel.ts'
import { openApp } from '../../testing/open-app.tsx'

const callback = '/auth/oidc?state=signIn.x&code=y'

test('a sign-in at a provider is completed once, and asks for the second factor of the account', async () => {
  const panel = new FakePanel()
  panel.respond(completeOidcLogin, { otpNeeded: true, secondFactors: ['code'] })
  await openApp(callback, { panel })

  const dialog = within(await screen.findByRole('dialog', { name: 'Enter your code' }))
  expect(dialog.queryByText(/6-digit code for/)).toBeNull()
  expect(dialog.getByRole('button', { name: 'Back to sign-in' })).toBeDefined()
  expect(panel.requests(completeOidcLogin).map(({ body }) => body)).toEqual([{ query: 'state=signIn.x&code=y' }])
})

test('a sign-in opens the first page', async () => {
  const panel = new FakePanel()
  panel.respond(completeOidcLogin, { session: 'token', scopes: ['servers.view'] })
  const { path } = await openApp(callback, { panel })

  await waitFor(() => expect(path()).toBe('/server'))
})

test('a refused sign-in says why, with a way back', async () => {
  const panel = new FakePanel()
  panel.respond(completeOidcLogin, new Refusal('ErrOidcUnknown', { provider: 'Keycloak' }))
  await openApp(callback, { panel })

  await screen.findByText(/No account is linked with your identity at Keycloak/)
  expect(screen.getByRole('link', { name: 'Back to sign-in' }).getAttribute('href')).toBe('/auth/login')
})
