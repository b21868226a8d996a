import { reauth } from '@innkeeper/contract/accounts/auth'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { getSelf } from '@innkeeper/contract/settings/panel'
import { listTemplates } from '@innkeeper/contract/templates/templates'
import { screen, waitFor } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { clearToken, getSessionToken } from '../api/token.ts'
import { FakePanel } from '../testing/fake-panel.ts'
import { openApp } from '../testing/open-app.tsx'
import { renewIntervalMs } from './session.tsx'

const admin = ['servers.admin']

test('a session that timed out leads to the sign-in page with the reason, and back after it', async () => {
  const panel = new FakePanel()
  panel.respond(listTemplates, new Refusal('ErrSessionTimedOut'))
  const { router } = await openApp('/template?x=1', { as: admin, panel })

  await waitFor(() => expect(router.state.location.pathname).toBe('/auth/login'))

  expect(new URLSearchParams(router.state.location.search).get('return')).toBe('/template?x=1')
  expect(await screen.findAllByText('Your session timed out, please log in again')).toHaveLength(1)
  expect(document.querySelectorAll('.mantine-Notification-root')).toHaveLength(0)
  expect(getSessionToken()).toBeUndefined()
  expect(localStorage.getItem('innkeeper.scopes')).toBeNull()
})

test('the session is renewed every ten minutes, with the permissions of that moment', async () => {
  const panel = new FakePanel()
  const timers = vi.spyOn(window, 'setInterval')
  await openApp('/account', { as: admin, panel })
  await screen.findByDisplayValue('mara')
  await waitFor(() => expect(panel.requests(reauth)).toHaveLength(1))
  const [renew] = timers.mock.calls.find(([, ms]) => ms === renewIntervalMs) ?? []
  panel.respond(reauth, { session: 'token', scopes: ['nodes.view'] })

  expect(renewIntervalMs).toBe(600_000)
  if (typeof renew === 'function') renew()

  await waitFor(() => expect(JSON.parse(localStorage.getItem('innkeeper.scopes') ?? '')).toEqual(['nodes.view']))
  expect(panel.requests(reauth).map(({ authorization }) => authorization)).toEqual(['Bearer token', 'Bearer token'])
  await waitFor(() => expect(screen.queryByRole('link', { name: 'Users' })).toBeNull())
})

test('navigation follows the scopes that an administrator changes, without a reload', async () => {
  const panel = new FakePanel()
  const timers = vi.spyOn(window, 'setInterval')
  const self = { id: 1, username: 'mara', email: 'mara@example.net' }
  panel.respond(getSelf, { ...self, scopes: ['users.view'] })
  await openApp('/account', { as: ['users.view'], panel })
  await screen.findByRole('link', { name: 'Users' })
  const [ask] = timers.mock.calls.findLast(([, ms]) => ms === 5_000) ?? []

  panel.respond(getSelf, { ...self, scopes: ['nodes.view'] })
  if (typeof ask === 'function') ask()

  await screen.findByRole('link', { name: 'Nodes' })
  expect(screen.queryByRole('link', { name: 'Users' })).toBeNull()
  expect(JSON.parse(localStorage.getItem('innkeeper.scopes') ?? '')).toEqual(['nodes.view'])
})

test('a session without its cookie leads to the sign-in page with the reason, and back afterwards', async () => {
  const panel = new FakePanel()
  panel.respond(listTemplates, ({ authorization }) => (authorization ? [] : new Refusal('ErrSessionTimedOut')))
  const { user, router } = await openApp('/account', { as: admin, panel })
  await screen.findByDisplayValue('mara')
  clearToken()

  await user.click(screen.getByRole('link', { name: 'Templates' }))

  await waitFor(() => expect(router.state.location.pathname).toBe('/auth/login'))
  expect(new URLSearchParams(router.state.location.search).get('return')).toBe('/template')
  expect(await screen.findByText('Your session timed out, please log in again')).toBeTruthy()
})

/** What this tab sees of a session that ended in another tab. */
function endInAnotherTab(why: string): void {
  clearToken()
  localStorage.setItem('innkeeper.ended', why)
  localStorage.removeItem('innkeeper.scopes')
  window.dispatchEvent(new StorageEvent('storage', { key: 'innkeeper.scopes' }))
}

test('a sign-out in another tab signs this one out with a message, and returns here after the next sign-in', async () => {
  const { router } = await openApp('/account?x=1', { as: admin })
  await screen.findByDisplayValue('mara')

  endInAnotherTab('signedOut')

  await waitFor(() => expect(router.state.location.pathname).toBe('/auth/login'))
  expect(new URLSearchParams(router.state.location.search).get('return')).toBe('/account?x=1')
  expect(await screen.findByText('You signed out in another tab.')).toBeTruthy()
})

test('a session that timed out in another tab is called timed out here too', async () => {
  const { path } = await openApp('/account', { as: admin })
  await screen.findByDisplayValue('mara')

  endInAnotherTab('timedOut')

  await waitFor(() => expect(path()).toBe('/auth/login'))
  expect(await screen.findByText('Your session timed out, please log in again')).toBeTruthy()
})

test('signing out removes the data of the user from the storage of the tab', async () => {
  const { user, path } = await openApp('/account', { as: admin })
  await screen.findByDisplayValue('mara')
  sessionStorage.setItem('innkeeper.commands.deadbeef', '["op mara"]')

  await user.click(screen.getAllByRole('button', { name: 'Sign out' })[0] as HTMLElement)

  await waitFor(() => expect(path()).toBe('/auth/login'))
  expect(sessionStorage.length).toBe(0)
})

test('logging out forgets the token at once', async () => {
  const { user, path, panel } = await openApp('/account', { as: admin })
  await screen.findByDisplayValue('mara')

  await user.click(screen.getAllByRole('button', { name: 'Sign out' })[0] as HTMLElement)

  await waitFor(() => expect(path()).toBe('/auth/login'))
  expect(getSessionToken()).toBeUndefined()
  expect(panel.requests(getSelf).length).toBeGreaterThan(0)
})
