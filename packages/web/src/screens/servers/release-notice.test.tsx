import { getConfig, getUserSettings, putUserSetting } from '@innkeeper/contract/settings/panel'
import { screen, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'
import { FakePanel } from '../../testing/fake-panel.ts'
import { openApp } from '../../testing/open-app.tsx'
import { aConfig } from '../../testing/samples.ts'

function createPanel(version: string, seen?: string) {
  const panel = new FakePanel()
  const stored: string[] = []
  panel.respond(getConfig, aConfig({ version }))
  panel.respond(getUserSettings, seen === undefined ? [] : [{ key: 'seenVersion', value: seen }])
  panel.respond(putUserSetting, ({ body }) => {
    stored.push((body as { value: string }).value)
    return undefined
  })
  return { panel, stored }
}

const updated = /^Innkeeper was updated/

test('an administrator sees once that Innkeeper was updated, and opens the release notes', async () => {
  const { panel, stored } = createPanel('0.10.0', '0.9.3')
  const { user, path } = await openApp('/server', { as: ['servers.admin'], panel })
  expect((await screen.findByText(updated)).textContent).toBe('Innkeeper was updated to version 0.10.0.')

  await user.click(screen.getByRole('link', { name: 'Release notes' }))

  await screen.findByRole('heading', { name: 'Changelog', level: 1 })
  expect(path()).toBe('/docs/CHANGELOG')
  await waitFor(() => expect(stored).toEqual(['0.10.0']))
})

test('the notice can be closed', async () => {
  const { panel, stored } = createPanel('0.2.0', '0.1.0')
  const { user } = await openApp('/server', { as: ['servers.admin'], panel })
  await screen.findByText(updated)

  await user.click(screen.getByRole('button', { name: 'Close' }))

  await waitFor(() => expect(screen.queryByText(updated)).toBeNull())
  expect(stored).toEqual(['0.2.0'])
})

test.each([
  ['on the first visit', '0.2.0', undefined],
  ['after the way back to an older version', '0.1.0', '0.2.0'],
])('%s the version is stored without a notice', async (_, version, seen) => {
  const { panel, stored } = createPanel(version, seen)

  await openApp('/server', { as: ['servers.admin'], panel })

  await waitFor(() => expect(stored.at(-1)).toBe(version))
  expect(screen.queryByText(updated)).toBeNull()
})

test('other users are not told', async () => {
  const { panel, stored } = createPanel('0.2.0', '0.1.0')

  await openApp('/server', { as: ['servers.view'], panel })

  await screen.findByRole('heading', { name: 'Servers', level: 1 })
  expect(screen.queryByText(updated)).toBeNull()
  expect(stored).toEqual([])
})
