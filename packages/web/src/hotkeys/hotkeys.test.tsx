import { screen, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'
import { openApp } from '../testing/open-app.tsx'

const admin = ['servers.admin']

test('g n goes to the nodes, and after g the hint lists where one can go', async () => {
  const { user, path } = await openApp('/account', { as: admin })
  await screen.findByRole('heading', { name: 'Account' })

  await user.keyboard('g')
  expect((await screen.findByText('then')).parentElement?.textContent).toContain('Nodes')
  await user.keyboard('n')

  await waitFor(() => expect(path()).toBe('/node'))
})

test('Esc ends a sequence that has begun', async () => {
  const { user, path } = await openApp('/account', { as: admin })
  await screen.findByRole('heading', { name: 'Account' })

  await user.keyboard('g{Escape}n')

  expect(screen.queryByText('then')).toBeNull()
  expect(path()).toBe('/account')
})

test('keys stay quiet while typing, with a modifier, and under a dialog', async () => {
  const { user, path } = await openApp('/template', { as: admin })
  await user.type(await screen.findByRole('searchbox'), 'gs')
  expect(path()).toBe('/template')
  await user.tab()

  await user.keyboard('{Control>}g{/Control}s')
  expect(path()).toBe('/template')

  await user.keyboard('?')
  await screen.findByRole('dialog', { name: 'Keyboard shortcuts' })
  await user.tab()
  await user.keyboard('gs')
  expect(path()).toBe('/template')
})

test('what a person may not see has no key', async () => {
  const { user, path } = await openApp('/account', { as: ['servers.view'] })
  await screen.findByRole('heading', { name: 'Account' })

  await user.keyboard('gn')

  expect(path()).toBe('/account')
})

test('the palette opens while typing too, and goes where it is told', async () => {
  const { user, path } = await openApp('/account', { as: admin })
  await screen.findByRole('heading', { name: 'Account' })

  await user.keyboard('{Control>}k{/Control}')
  await user.type(await screen.findByRole('combobox', { name: /Search or run/ }), 'templ{Enter}')

  await waitFor(() => expect(path()).toBe('/template'))
})
