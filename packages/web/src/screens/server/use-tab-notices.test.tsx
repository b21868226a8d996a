import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { hideTab } from '../../testing/tab-visibility.ts'
import { openServerPage } from './testing/fake-panel.tsx'

const at = '2026-11-20T20:00:00Z'

/** Opens the page of a server in a tab, which is then hidden. */
async function openInBackground(...[options]: Parameters<typeof openServerPage>) {
  const page = await openServerPage(options)
  await page.waitUntilLive()
  hideTab()
  return page
}

test.each([
  ['done', /^Installed · /],
  ['failed', /^Installation failed · /],
  ['cancelled', /^lobby · /],
] as const)('an install that ends as %s in a background tab has the title %s', async (outcome, title) => {
  const { reportStatus } = await openInBackground({ state: 'offline' })

  reportStatus('installing')
  if (outcome === 'cancelled') reportStatus('stopping')
  reportStatus('offline', { lastInstall: { at, outcome } })

  expect(document.title).toMatch(title)
})

test('a crash in a background tab stays in the title when the server recovers', async () => {
  const { reportStatus } = await openInBackground()
  const lastExit = { at, reason: 'crashed', code: 1, signal: null } as const

  reportStatus('waiting', { lastExit })
  const afterwards = document.title
  reportStatus('starting', { lastExit })
  reportStatus('online', { lastExit })

  expect(afterwards).toMatch(/^Crashed · /)
  expect(document.title).toMatch(/^Crashed · /)
})

test('a failed install shows an alert with the lines of the console, until the server has run', async () => {
  const { waitUntilLive, printOutput, reportStatus } = await openServerPage({ state: 'offline' })
  await waitUntilLive()
  await printOutput('fetching\n[DAEMON] Failed to install server: Missing binary: curl\n')
  const lastInstall = { at, outcome: 'failed' } as const

  reportStatus('offline', { lastInstall })
  const alert = await screen.findByRole('alert')
  const text = alert.textContent
  reportStatus('offline', { lastInstall, lastExit: { at, reason: 'stopped', code: 0, signal: null } })

  expect(text).toContain('Installation failed')
  expect(text).toContain('Failed to install server: Missing binary: curl')
  expect(screen.queryByText('Installation failed')).toBeNull()
})
