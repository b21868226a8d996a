import { act, screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { openServerPage } from './testing/fake-panel.tsx'

const motd = { type: 'string', value: 'Hello', display: 'Message', userEdit: true }
const settings = { path: '/server/deadbeef?tab=settings', variables: { motd } }
const message = () => screen.findByRole<HTMLInputElement>('textbox', { name: /Message/ })

/** Goes to the list of servers, as the link in the navigation does. */
function leave(router: { navigate: (to: string) => unknown }): void {
  act(() => void router.navigate('/server'))
}

test('settings typed in a tab that is hidden now are not left behind unasked', async () => {
  const { live, user, router } = await openServerPage(settings)
  await live()
  await user.type(await message(), '!')
  await user.click(screen.getByRole('tab', { name: 'Console' }))

  leave(router)
  const asking = await screen.findByRole('dialog', { name: 'Leave without saving?' })
  await user.click(within(asking).getByRole('button', { name: 'Cancel' }))

  expect(router.state.location.pathname).toBe('/server/deadbeef')
  expect(window.dispatchEvent(new Event('beforeunload', { cancelable: true }))).toBe(false)
  await user.click(screen.getByRole('tab', { name: 'Settings' }))
  expect((await message()).value).toBe('Hello!')
})

test('leaving a hidden tab with unsaved settings discards them when that is what the person wants', async () => {
  const { live, user, router } = await openServerPage(settings)
  await live()
  await user.type(await message(), '!')
  await user.click(screen.getByRole('tab', { name: 'Console' }))

  leave(router)
  await user.click(await screen.findByRole('button', { name: 'Discard changes' }))

  expect(await screen.findByText('All servers')).toBeTruthy()
})

test('going between the tabs of a server asks nothing, nor does leaving after the changes were discarded', async () => {
  const { live, user, router } = await openServerPage(settings)
  await live()
  await user.type(await message(), '!')
  await user.click(screen.getByRole('tab', { name: 'Console' }))
  await user.click(screen.getByRole('tab', { name: 'Settings' }))
  await user.click(await screen.findByRole('button', { name: 'Discard' }))
  await waitFor(() => expect(screen.queryByText(/unsaved change/)).toBeNull())
  await user.click(screen.getByRole('tab', { name: 'Console' }))

  leave(router)

  expect(await screen.findByText('All servers')).toBeTruthy()
})

test('somebody who is being added in a tab that is hidden now is not left behind unasked', async () => {
  const { live, user, router } = await openServerPage({
    path: '/server/deadbeef?tab=users',
    permissions: { viewServerConsole: true, editServerUsers: true },
  })
  await live()
  await user.click((await screen.findAllByRole('button', { name: 'Add user' }))[0] as HTMLElement)
  await user.type(await screen.findByRole('textbox', { name: 'Email' }), 'bob')
  await user.click(screen.getByRole('tab', { name: 'Console' }))

  leave(router)

  expect(await screen.findByRole('dialog', { name: 'Leave without saving?' })).toBeTruthy()
})

test('somebody who was added while their tab is hidden is no unsaved change', async () => {
  const { live, user, router, hold } = await openServerPage({
    path: '/server/deadbeef?tab=users',
    permissions: { viewServerConsole: true, editServerUsers: true },
  })
  await live()
  await user.click((await screen.findAllByRole('button', { name: 'Add user' }))[0] as HTMLElement)
  await user.type(await screen.findByRole('textbox', { name: 'Email' }), 'bob@example.net')
  const end = hold('PUT /api/servers/deadbeef/user/bob%40example.net')
  await user.click(screen.getByRole('button', { name: 'Save' }))
  await user.click(screen.getByRole('tab', { name: 'Console' }))
  end()
  await screen.findByText('Saved')

  leave(router)

  expect(await screen.findByText('All servers')).toBeTruthy()
})

test('limits typed in a tab that is hidden now are not left behind unasked', async () => {
  const { live, user, router } = await openServerPage({ scopes: ['servers.admin'], path: '/server/deadbeef?tab=admin' })
  await live()
  const memory = await screen.findByRole('textbox', { name: 'Memory' })
  await waitFor(() => expect((memory as HTMLInputElement).disabled).toBe(false))
  await user.type(memory, '512')
  await user.click(screen.getByRole('tab', { name: 'Console' }))

  leave(router)

  expect(await screen.findByRole('dialog', { name: 'Leave without saving?' })).toBeTruthy()
})
