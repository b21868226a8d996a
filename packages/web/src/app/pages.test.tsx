import { login } from '@innkeeper/contract/auth'
import { getSelf } from '@innkeeper/contract/panel'
import { fireEvent, render, screen, waitFor, within } from '@testing-library/react'
import userEvent, { type UserEvent } from '@testing-library/user-event'
import { afterEach, expect, test, vi } from 'vitest'
import { createI18n } from '../i18n/i18n.tsx'
import { SessionStore } from '../session/store.ts'
import { FakePanel } from '../testing/fake-panel.ts'
import { Providers } from './app.tsx'
import { authScreens } from './auth-screens.ts'
import { loadView, Pages } from './pages.tsx'

afterEach(() => history.replaceState(null, '', '/'))

/** Starts the app as a browser does, at an address of the window. */
async function start(path: string, panel = new FakePanel()) {
  vi.stubGlobal('fetch', panel.fetch)
  history.replaceState(null, '', path)
  const first = await loadView()
  render(
    <Providers i18n={await createI18n('en_US')} session={new SessionStore()} env="test">
      <Pages first={first} />
    </Providers>,
  )
  return { panel, user: userEvent.setup() }
}

const address = () => location.pathname + location.search + location.hash

test('the pages before sign-in lead to each other, and the browser goes back', async () => {
  const { user } = await start('/auth/login')

  await user.click(await screen.findByRole('link', { name: 'Forgot your password?' }))
  const heading = await screen.findByRole('heading', { name: 'Forgot your password?' })
  await waitFor(() => expect(document.activeElement).toBe(heading))
  expect(address()).toBe('/auth/forgot')
  history.back()

  await screen.findByRole('heading', { name: 'Sign in' })
  expect(address()).toBe('/auth/login')
})

test('after sign-in the requested page replaces the sign-in page, with what is behind #', async () => {
  const panel = new FakePanel()
  panel.respond(getSelf, { id: 1, username: 'mara', email: 'mara@example.net', emailConfirmed: false })
  panel.respond(login, { session: 'token' })
  const { user } = await start('/auth/login?return=%2Faccount%2Fconfirm#token=abc', panel)
  const entries = history.length

  await user.type(await screen.findByLabelText('Email'), 'mara@example.net')
  await user.type(screen.getByLabelText('Password'), 'right{Enter}')

  await screen.findByRole('button', { name: 'Confirm address' })
  expect(address()).toBe('/account/confirm#token=abc')
  expect(history.length).toBe(entries)
  await user.click(screen.getAllByRole('link', { name: /mara|Account/ })[0] as HTMLElement)
  await waitFor(() => expect(address()).toBe('/account'))
})

const question = () => screen.findByRole('dialog', { name: 'Leave without saving?' })
const leave = async (user: UserEvent, answer: 'Cancel' | 'Discard changes') =>
  await user.click(within(await question()).getByRole('button', { name: answer }))

test('leaving a page before sign-in asks before typed values are lost, also when the browser goes back', async () => {
  const { user } = await start('/auth/login')
  await user.click(await screen.findByRole('link', { name: 'Forgot your password?' }))
  const email = await screen.findByLabelText<HTMLInputElement>('Email')
  await waitFor(() => expect(address()).toBe('/auth/forgot'))
  await user.type(email, 'mara@example.net')

  await user.click(screen.getByRole('link', { name: 'Back to sign-in' }))
  await leave(user, 'Cancel')
  history.back()
  await leave(user, 'Cancel')

  expect(address()).toBe('/auth/forgot')
  expect(email.value).toBe('mara@example.net')
  history.back()
  await leave(user, 'Discard changes')
  await screen.findByRole('heading', { name: 'Sign in' })
  expect(address()).toBe('/auth/login')
})

test('after sign-in from another page, going back asks about unsaved changes', async () => {
  const panel = new FakePanel()
  panel.respond(getSelf, { id: 1, username: 'mara', email: 'mara@example.net', emailConfirmed: true })
  panel.respond(login, { session: 'token', scopes: ['users.view', 'users.edit'] })
  const { user } = await start('/auth/forgot', panel)
  await user.click(await screen.findByRole('link', { name: 'Back to sign-in' }))
  await user.type(await screen.findByLabelText('Email'), 'mara@example.net')
  await user.type(screen.getByLabelText('Password'), 'right{Enter}')
  const details = await screen.findByRole('form', { name: 'Details' })
  await user.type(within(details).getByLabelText('Username'), 'x')

  history.back()
  await leave(user, 'Cancel')

  expect(address()).toBe('/account')
})

test('an unknown address leads to the page that says so', async () => {
  await start('/nowhere')

  await screen.findByRole('link', { name: 'Go to servers' })
  expect(address()).toBe('/errors/404')
})

test('a page whose code cannot be loaded is opened by the browser', async () => {
  vi.spyOn(console, 'error').mockReturnValue()
  const { user } = await start('/auth/login')
  const assign = vi.fn()
  const link = await screen.findByRole('link', { name: 'Forgot your password?' })
  vi.stubGlobal('location', { ...location, origin: location.origin, assign })
  vi.spyOn(authScreens, '/auth/forgot').mockRejectedValue(new TypeError('Failed to fetch'))

  await user.click(link)

  await waitFor(() => expect(assign).toHaveBeenCalledExactlyOnceWith('/auth/forgot'))
})

test('a click for a new tab or window is left to the browser', async () => {
  await start('/auth/login')
  const link = await screen.findByRole('link', { name: 'Forgot your password?' })

  expect(fireEvent.click(link, { ctrlKey: true })).toBe(true)
  expect(fireEvent.click(link, { button: 1 })).toBe(true)
  expect(fireEvent.click(link)).toBe(false)
})
