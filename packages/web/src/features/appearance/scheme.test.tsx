import { getUserSettings, putUserSetting } from '@innkeeper/contract/panel'
import { screen, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'
import { FakePanel } from '../../testing/fake-panel.ts'
import { openApp } from '../../testing/open-app.tsx'

const scheme = () => document.documentElement.dataset.mantineColorScheme

test('the scheme of a person is the one that they chose, wherever they log in, and a change is kept for them', async () => {
  const panel = new FakePanel()
  panel.answer(getUserSettings, [{ key: 'dark', value: 'true' }])
  const { user } = await openApp('/account', { as: ['servers.admin'], panel })
  await waitFor(() => expect(scheme()).toBe('dark'))

  await user.click(await screen.findByRole('button', { name: 'Switch to light appearance' }))

  await waitFor(() => expect(scheme()).toBe('light'))
  expect(panel.asked(putUserSetting)).toMatchObject([{ path: '/api/userSettings/dark', body: { value: 'false' } }])
})

test('who is not logged in chooses the scheme of this browser', async () => {
  const { panel, user } = await openApp('/auth/login')

  await user.click(await screen.findByRole('button', { name: 'Switch to dark appearance' }))

  await waitFor(() => expect(scheme()).toBe('dark'))
  expect(localStorage.getItem('innkeeper.preference.dark')).toBe('true')
  expect(panel.asked(putUserSetting)).toEqual([])
})
