import { getConfig, putUserSetting } from '@innkeeper/contract/settings/panel'
import { languageSetting } from '@innkeeper/contract/text/languages'
import { screen, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'
import { FakePanel } from '../../testing/fake-panel.ts'
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

test('the picker leads translators to the documentation, or to the page that the panel names', async () => {
  const { user } = await openApp('/server', { as: ['servers.admin'] })
  await user.click(await screen.findByRole('button', { name: /^Language/ }))

  expect((await screen.findByRole('link', { name: 'Translate with us' })).getAttribute('href')).toBe(
    '/docs/translating',
  )
})

test('a link to the documentation says in another language that the page is in English', async () => {
  const { user } = await openApp('/server', { as: ['servers.admin'] })
  await user.click(await screen.findByRole('button', { name: /^Language/ }))
  await user.click(await screen.findByRole('button', { name: /^Deutsch/ }))

  await user.click(await screen.findByRole('button', { name: /^Sprache/ }))

  const link = await screen.findByRole('link', { name: 'Mit übersetzen (Englisch)' })
  expect([link.getAttribute('href'), link.getAttribute('hreflang')]).toEqual(['/docs/translating', 'en'])
})

test('without a session the picker does not lead to the documentation, which is only for signed-in users', async () => {
  const { user } = await openApp('/auth/login')
  await user.click(await screen.findByRole('button', { name: /^Language/ }))
  await screen.findByRole('button', { name: /^(American )?English/ })

  expect(screen.queryByRole('link', { name: 'Translate with us' })).toBeNull()
})

test('the page for translators can be another site', async () => {
  const panel = new FakePanel()
  panel.respond(getConfig, { ...panel.config, translationUrl: 'https://translate.example.org/' })
  const { user } = await openApp('/server', { as: ['servers.admin'], panel })
  await user.click(await screen.findByRole('button', { name: /^Language/ }))

  const link = await screen.findByRole('link', { name: 'Translate with us' })
  await waitFor(() => expect(link.getAttribute('href')).toBe('https://translate.example.org/'))
})

test('without a session the language is stored in this browser', async () => {
  const { panel, user } = await openApp('/auth/login')

  await user.click(await screen.findByRole('button', { name: /^Language/ }))
  await user.click(await screen.findByRole('button', { name: /^(American )?English/ }))

  await waitFor(() => expect(localStorage.getItem('innkeeper.locale')).toBe('en_US'))
  expect(panel.requests(putUserSetting)).toEqual([])
})
