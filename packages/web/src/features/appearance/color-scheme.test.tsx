import { getUserSettings, putUserSetting } from '@innkeeper/contract/panel'
import { screen, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'
import { FakePanel } from '../../testing/fake-panel.ts'
import { openApp } from '../../testing/open-app.tsx'

const getScheme = () => document.documentElement.dataset.mantineColorScheme

test('the color scheme of a user comes from the panel, and a change is stored there', async () => {
  const panel = new FakePanel()
  panel.answer(getUserSettings, [{ key: 'dark', value: 'true' }])
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
