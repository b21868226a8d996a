import { languageSetting } from '@innkeeper/contract/languages'
import { putUserSetting } from '@innkeeper/contract/panel'
import { screen, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'
import { openApp } from '../../testing/open-app.tsx'

test('the panel is told which language somebody chose, for their mails', async () => {
  const { panel, user } = await openApp('/server', { as: ['servers.admin'] })

  await user.click(await screen.findByRole('button', { name: /^Language/ }))
  await user.click(await screen.findByRole('button', { name: /^(American )?English/ }))

  await waitFor(() => expect(panel.asked(putUserSetting)).toHaveLength(1))
  expect(panel.asked(putUserSetting)).toMatchObject([
    { path: `/api/userSettings/${languageSetting}`, body: { value: 'en_US' } },
  ])
})

test('who is not logged in chooses for this browser', async () => {
  const { panel, user } = await openApp('/auth/login')

  await user.click(await screen.findByRole('button', { name: /^Language/ }))
  await user.click(await screen.findByRole('button', { name: /^(American )?English/ }))

  await waitFor(() => expect(localStorage.getItem('innkeeper.locale')).toBe('en_US'))
  expect(panel.asked(putUserSetting)).toEqual([])
})
