import { reauth } from '@innkeeper/contract/accounts/auth'
import { render } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { createMemoryRouter } from 'react-router'
import { RouterProvider } from 'react-router/dom'
import { vi } from 'vitest'
import { storeToken } from '../api/token.ts'
import { Providers } from '../app/app.tsx'
import { routes } from '../app/routes.tsx'
import { createI18n } from '../i18n/i18n.tsx'
import { SessionStore } from '../session/store.ts'
import { FakePanel } from './fake-panel.ts'

interface Opening {
  /** Scopes of the signed-in user; without them no user is signed in. */
  readonly as?: readonly string[]
  /** A panel with prepared responses. */
  readonly panel?: FakePanel
}

/**
 * Opens the whole app at a path, against a fake panel. Rendered as in production: `StrictMode`, in which parts of the app are
 * tested, renders everything twice.
 */
export async function openApp(path: string, { as, panel = new FakePanel() }: Opening = {}) {
  vi.stubGlobal('fetch', panel.fetch)
  if (as) {
    panel.respond(reauth, { session: 'token', scopes: [...as] })
    storeToken('token')
    localStorage.setItem('innkeeper.scopes', JSON.stringify(as))
  }
  const router = createMemoryRouter(routes, { initialEntries: [path] })
  const i18n = await createI18n('en_US')
  render(
    <Providers i18n={i18n} session={new SessionStore()} env="test">
      <RouterProvider router={router} />
    </Providers>,
    { reactStrictMode: false },
  )
  return { panel, router, i18n, user: userEvent.setup({ delay: null }), path: () => router.state.location.pathname }
}
