import { getUserSettings, putUserSetting } from '@innkeeper/contract/settings/panel'
import { screen, waitFor } from '@testing-library/react'
import { expect, onTestFinished, test } from 'vitest'
import { FakePanel } from '../../testing/fake-panel.ts'
import { openApp } from '../../testing/open-app.tsx'
import { showLoadedTheme } from '../../theme/active-theme.ts'

const getScheme = () => document.documentElement.dataset.mantineColorScheme

test('the color scheme of a user comes from the panel, and a change is stored there', async () => {
  const panel = new FakePanel()
  panel.respond(getUserSettings, [{ key: 'dark', value: 'true' }])
  const { user } = await openApp('/account', { as: ['servers.admin'], panel })
  await waitFor(() => expect(getScheme()).toBe('dark'))

  await user.click(await screen.findByRole('button', { name: 'Switch to light mode' }))

  await waitFor(() => expect(getScheme()).toBe('light'))
  expect(panel.requests(putUserSetting)).toMatchObject([{ path: '/api/userSettings/dark', body: { value: 'false' } }])
})

test('without a session the color scheme is stored in this browser', async () => {
  const { panel, user } = await openApp('/auth/login')

  await user.click(await screen.findByRole('button', { name: 'Switch to dark mode' }))

  await waitFor(() => expect(getScheme()).toBe('dark'))
  expect(localStorage.getItem('innkeeper.preference.dark')).toBe('true')
  expect(panel.requests(putUserSetting)).toEqual([])
})

test('the bar of the browser follows the color scheme and the theme, not the system', async () => {
  const style = document.createElement('style')
  style.textContent = `:root { --ik-surface: #fff } :root[data-mantine-color-scheme='dark'] { --ik-surface: #161b23 }`
  const meta = document.createElement('meta')
  meta.name = 'theme-color'
  document.head.append(style, meta)
  onTestFinished(() => {
    showLoadedTheme({ name: 'Harbour', tokens: '', css: '', release: () => {} })
    style.remove()
    meta.remove()
  })
  const { user } = await openApp('/auth/login')

  await user.click(await screen.findByRole('button', { name: 'Switch to dark mode' }))
  await waitFor(() => expect(meta.content).toBe('#161b23'))
  showLoadedTheme({ name: 'Forest', tokens: ':root:root:root { --ik-surface: #123456 }', css: '', release: () => {} })

  expect(meta.content).toBe('#123456')
})
