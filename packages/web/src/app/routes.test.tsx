import { login } from '@innkeeper/contract/accounts/auth'
import { getSelf } from '@innkeeper/contract/settings/panel'
import { render, screen, waitFor, within } from '@testing-library/react'
import userEvent, { type UserEvent } from '@testing-library/user-event'
import { createMemoryRouter } from 'react-router'
import { RouterProvider } from 'react-router/dom'
import { afterEach, expect, test, vi } from 'vitest'
import { createI18n } from '../i18n/i18n.tsx'
import { SessionStore } from '../session/store.ts'
import { FakePanel } from '../testing/fake-panel.ts'
import { Providers } from './app.tsx'
import { openRouter, RouteError, withRetries } from './routes.tsx'

afterEach(() => {
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
  history.replaceState(null, '', '/')
})

async function show(router: Parameters<typeof RouterProvider>[0]['router']) {
  render(
    <Providers i18n={await createI18n('en_US')} session={new SessionStore()} env="test">
      <RouterProvider router={router} />
    </Providers>,
  )
}

/** Starts the app as a browser does, at an address of the window, without a session. */
async function start(path: string, panel = new FakePanel()) {
  vi.stubGlobal('fetch', panel.fetch)
  history.replaceState(null, '', path)
  await show(await openRouter(false))
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

test.each(['/', '/server/0a1b2c3d?tab=files', '/account/confirm#token=abc'])(
  '%s leads to the sign-in page without a session',
  async (path) => {
    await start(path)

    await screen.findByRole('heading', { name: 'Sign in' })
    const { pathname, search, hash } = new URL(path, location.origin)
    expect(address()).toBe(`/auth/login?return=${encodeURIComponent(pathname + search)}${hash}`)
  },
)

test('after sign-in the requested page replaces the sign-in page, with what is behind #', async () => {
  const panel = new FakePanel()
  panel.respond(getSelf, { id: 1, username: 'mara', email: 'mara@example.net', emailConfirmed: false })
  panel.respond(login, { session: 'token' })
  const { user } = await start('/account/confirm#token=abc', panel)
  const entries = history.length

  await user.type(await screen.findByLabelText('Email'), 'mara@example.net')
  await user.type(screen.getByLabelText('Password'), 'right{Enter}')

  await screen.findByRole('button', { name: 'Confirm address' })
  expect(address()).toBe('/account/confirm#token=abc')
  expect(history.length).toBe(entries)
})

const question = () => screen.findByRole('dialog', { name: 'Leave without saving?' })
const leave = async (user: UserEvent, answer: 'Cancel' | 'Discard changes') =>
  await user.click(within(await question()).getByRole('button', { name: answer }))

test('leaving a page before sign-in asks before typed values are lost, also when the browser goes back', async () => {
  const { user } = await start('/auth/login')
  await user.click(await screen.findByRole('link', { name: 'Forgot your password?' }))
  await screen.findByRole('heading', { name: 'Forgot your password?' })
  const email = screen.getByLabelText<HTMLInputElement>('Email')
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

test('leaving the sign-in page does not ask', async () => {
  const { user } = await start('/auth/login')
  await user.type(await screen.findByLabelText('Email'), 'mara@example.net')

  await user.click(screen.getByRole('link', { name: 'Forgot your password?' }))

  await screen.findByRole('heading', { name: 'Forgot your password?' })
})

test('after sign-in from another page, going back asks about unsaved changes', async () => {
  const panel = new FakePanel()
  panel.respond(getSelf, { id: 1, username: 'mara', email: 'mara@example.net', emailConfirmed: true })
  panel.respond(login, { session: 'token', scopes: ['users.view', 'users.edit'] })
  const { user } = await start('/auth/forgot', panel)
  await user.click(await screen.findByRole('link', { name: 'Back to sign-in' }))
  await screen.findByRole('heading', { name: 'Sign in' })
  await user.type(screen.getByLabelText('Email'), 'mara@example.net')
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

test('a page whose code does not load shows an error with Try again', async () => {
  vi.spyOn(console, 'error').mockReturnValue()
  vi.stubGlobal('fetch', new FakePanel().fetch)
  const page = { path: '/', lazy: () => new Promise<never>(() => undefined) }
  const root = { errorElement: <RouteError />, hydrateFallbackElement: <output />, children: [page] }

  await show(createMemoryRouter(withRetries([root], 1)))

  expect((await screen.findByRole('alert')).textContent).toContain('It did not load within 2 minutes')
  expect(screen.getByRole('button', { name: 'Try again' })).toBeDefined()
})
