import { render, screen } from '@testing-library/react'
import { createMemoryRouter } from 'react-router'
import { RouterProvider } from 'react-router/dom'
import { afterEach, expect, test, vi } from 'vitest'
import { createI18n } from '../i18n/i18n.tsx'
import { SessionStore } from '../session/store.ts'
import { FakePanel } from '../testing/fake-panel.ts'
import { Providers } from './app.tsx'
import { RouteError } from './route-error.tsx'
import { withRetries } from './routes.tsx'

afterEach(() => {
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

test('a page whose code does not load shows an error with Try again', async () => {
  vi.spyOn(console, 'error').mockReturnValue()
  vi.stubGlobal('fetch', new FakePanel().fetch)
  const page = { path: '/', lazy: () => new Promise<never>(() => undefined) }
  const root = { errorElement: <RouteError />, hydrateFallbackElement: <output />, children: [page] }
  const router = createMemoryRouter(withRetries([root], 1))

  render(
    <Providers i18n={await createI18n('en_US')} session={new SessionStore()} env="test">
      <RouterProvider router={router} />
    </Providers>,
  )

  expect((await screen.findByRole('alert')).textContent).toContain('It did not load within 2 minutes')
  expect(screen.getByRole('button', { name: 'Try again' })).toBeDefined()
})
