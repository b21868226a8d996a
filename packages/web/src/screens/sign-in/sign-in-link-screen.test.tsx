import { signInByLink } from '@innkeeper/contract/accounts/sign-in-link'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { FakePanel } from '../../testing/fake-panel.ts'
import { openApp } from '../../testing/open-app.tsx'

const path = '/auth/link#token=abc&email=wren%40example.net'

test('the link of a shop is used on a click, and asks for the two-factor code', async () => {
  const panel = new FakePanel()
  panel.respond(signInByLink, { otpNeeded: true })
  const { user } = await openApp(path, { panel })
  await screen.findByText('Sign in as wren@example.net with the link of your shop.')
  expect(panel.requests(signInByLink)).toEqual([])

  await user.click(screen.getByRole('button', { name: 'Sign in' }))

  await screen.findByRole('dialog')
  expect(panel.requests(signInByLink)[0]?.body).toEqual({ token: 'abc' })
})

test('a link that was used says where there is another one', async () => {
  const panel = new FakePanel()
  panel.respond(signInByLink, new Refusal('ErrTokenInvalid'))
  const { user } = await openApp(path, { panel })

  await user.click(await screen.findByRole('button', { name: 'Sign in' }))

  await screen.findByText(/Open the server in your shop again\.$/)
})
