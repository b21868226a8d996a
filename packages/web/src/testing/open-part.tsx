import { reauth } from '@innkeeper/contract/accounts/auth'
import { act, render } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { ReactNode } from 'react'
import { createMemoryRouter, Outlet } from 'react-router'
import { RouterProvider } from 'react-router/dom'
import { vi } from 'vitest'
import { Providers } from '../app/app.tsx'
import { UploadsProvider } from '../features/uploads/uploads-provider.tsx'
import { UnsavedChangesProvider } from '../forms/unsaved-changes.tsx'
import { HotkeysProvider } from '../hotkeys/hotkeys.tsx'
import { createI18n } from '../i18n/i18n.tsx'
import { SessionStore } from '../session/store.ts'
import { ConfirmProvider } from '../ui/overlays/confirm-provider.tsx'
import { FakePanel } from './fake-panel.ts'

interface Opening {
  /** Scopes of the signed-in user. */
  readonly as?: readonly string[]
  readonly panel?: FakePanel
}

/** Renders a part of the app for a signed-in user, with a fake panel. */
export async function openPart(part: ReactNode, { as = ['servers.admin'], panel = new FakePanel() }: Opening = {}) {
  vi.stubGlobal('fetch', panel.fetch)
  panel.respond(reauth, { session: 'token', scopes: [...as] })
  const session = new SessionStore()
  session.start({ session: 'token', scopes: [...as] })
  const guard = (
    <UnsavedChangesProvider>
      <Outlet />
    </UnsavedChangesProvider>
  )
  const children = [
    { path: '/', element: part },
    { path: '*', element: <output>elsewhere</output> },
  ]
  const router = createMemoryRouter([{ element: guard, children }])
  const i18n = await createI18n('en_US')
  render(
    <Providers i18n={i18n} session={session} env="test">
      <HotkeysProvider>
        <ConfirmProvider>
          <UploadsProvider>
            <RouterProvider router={router} />
          </UploadsProvider>
        </ConfirmProvider>
      </HotkeysProvider>
    </Providers>,
  )
  return { panel, router, user: userEvent.setup(), path: () => router.state.location.pathname }
}

/** Makes all loaded data out of date and focuses the window, so that the queries fetch it again. */
export async function refocusWindow(): Promise<void> {
  const clock = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 3_600_000)
  await act(async () => void window.dispatchEvent(new Event('visibilitychange')))
  clock.mockRestore()
}

/** Makes media queries match a phone. Returns a function that ends it. */
export function emulatePhone(): () => void {
  const usual = window.matchMedia
  window.matchMedia = (query) => ({ ...usual(query), matches: query.includes('47.99em') || query.includes('61.99em') })
  return () => {
    window.matchMedia = usual
  }
}
