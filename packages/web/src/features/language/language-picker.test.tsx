import { languageSetting } from '@innkeeper/contract/languages'
import { putUserSetting } from '@innkeeper/contract/panel'
import { screen, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'
import { openApp } from '../../testing/open-app.tsx'

test('the panel stores the language that a signed-in user selects', async () => {
  const { panel, user } = await openApp('/server', { as: ['servers.admin'] })

  await user.click(await screen.findByRole('button', { name: /^Language/ }))
  await user.click(await screen.findByRole('button', { name: /^(American )?English/ }))

  await waitFor(() => expect(panel.requests(putUserSetting)).toHaveLength(1))
  expect(panel.requests(putUserSetting)).toMatchObject([
    { path: `/api/userSettings/${languageSetting}`, body: { value: 'en_US' } },
  ])
})

test('without a session the language is stored in this browser', async () => {
  const { panel, user } = await openApp('/auth/login')

  await user.click(await screen.findByRole('button', { name: /^Language/ }))
  await user.click(await screen.findByRole('button', { name: /^(American )?English/ }))

  await waitFor(() => expect(localStorage.getItem('innkeeper.locale')).toBe('en_US'))
  expect(panel.requests(putUserSetting)).toEqual([])
})
