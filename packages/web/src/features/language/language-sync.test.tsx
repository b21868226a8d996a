import { getUserSettings } from '@innkeeper/contract/settings/panel'
import { languageSetting } from '@innkeeper/contract/text/languages'
import { act, screen, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'
import { pseudoLocale } from '../../i18n/locale.ts'
import { FakePanel } from '../../testing/fake-panel.ts'
import { openApp } from '../../testing/open-app.tsx'

/** A panel that has stored German for the user. */
function germanPanel(): FakePanel {
  const panel = new FakePanel()
  panel.respond(getUserSettings, [{ key: languageSetting, value: 'de_DE' }])
  return panel
}

test('a browser without a selected language shows the one that the user selected elsewhere', async () => {
  await openApp('/server', { as: ['servers.admin'], panel: germanPanel() })

  await waitFor(() => expect(document.documentElement.lang).toBe('de-DE'))
})

test('a language that was selected in this browser stays', async () => {
  localStorage.setItem('innkeeper.locale', 'en_US')
  const { panel } = await openApp('/server', { as: ['servers.admin'], panel: germanPanel() })

  await waitFor(() => expect(panel.requests(getUserSettings)).not.toEqual([]))
  await screen.findByRole('heading', { name: 'Servers' })
  expect(document.documentElement.lang).toBe('en-US')
})

test('a language that is selected in another tab is shown in this one', async () => {
  await openApp('/auth/login')

  act(() => {
    window.dispatchEvent(new StorageEvent('storage', { key: 'innkeeper.locale', newValue: pseudoLocale }))
  })

  await waitFor(() => expect(document.documentElement.lang).toBe('en-XA'))
})
