import { reauth } from '@innkeeper/contract/auth'
import { limits } from '@innkeeper/contract/limits'
import { getSelf } from '@innkeeper/contract/panel'
import { Refusal } from '@innkeeper/contract/refusals'
import { listTemplates } from '@innkeeper/contract/templates'
import { screen, waitFor } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { sessionToken } from '../api/token.ts'
import { FakePanel } from '../testing/fake-panel.ts'
import { openApp } from '../testing/open-app.tsx'

const admin = ['servers.admin']

test('a session that timed out leads to the login with the reason, and back after it', async () => {
  const panel = new FakePanel()
  panel.answer(listTemplates, new Refusal('ErrSessionTimedOut'))
  const { router } = await openApp('/template?x=1', { as: admin, panel })

  await waitFor(() => expect(router.state.location.pathname).toBe('/auth/login'))

  expect(new URLSearchParams(router.state.location.search).get('return')).toBe('/template?x=1')
  expect((await screen.findAllByText('Your session timed out, please log in again')).length).toBeGreaterThan(0)
  expect(sessionToken()).toBeUndefined()
  expect(localStorage.getItem('innkeeper.scopes')).toBeNull()
})

test('the session is renewed every ten minutes, with the rights of that moment', async () => {
  const panel = new FakePanel()
  const timers = vi.spyOn(window, 'setInterval')
  await openApp('/account', { as: admin, panel })
  await screen.findByDisplayValue('mara')
  await waitFor(() => expect(panel.asked(reauth)).toHaveLength(1))
  const [renew] = timers.mock.calls.find(([, ms]) => ms === limits.reauthEveryMs) ?? []
  panel.answer(reauth, { session: 'token', scopes: ['nodes.view'] })

  expect(limits.reauthEveryMs).toBe(600_000)
  if (typeof renew === 'function') renew()

  await waitFor(() => expect(JSON.parse(localStorage.getItem('innkeeper.scopes') ?? '')).toEqual(['nodes.view']))
  expect(panel.asked(reauth).map(({ authorization }) => authorization)).toEqual(['Bearer token', 'Bearer token'])
  await waitFor(() => expect(screen.queryByRole('link', { name: 'Users' })).toBeNull())
})

test('a logout in another tab logs this one out', async () => {
  const { path } = await openApp('/account', { as: admin })
  await screen.findByDisplayValue('mara')

  localStorage.removeItem('innkeeper.scopes')
  window.dispatchEvent(new StorageEvent('storage', { key: 'innkeeper.scopes' }))

  await waitFor(() => expect(path()).toBe('/auth/login'))
})

test('logging out forgets the token at once', async () => {
  const { user, path, panel } = await openApp('/account', { as: admin })
  await screen.findByDisplayValue('mara')

  await user.click(screen.getAllByRole('button', { name: 'Log out' })[0] as HTMLElement)

  await waitFor(() => expect(path()).toBe('/auth/login'))
  expect(sessionToken()).toBeUndefined()
  expect(panel.asked(getSelf).length).toBeGreaterThan(0)
})
