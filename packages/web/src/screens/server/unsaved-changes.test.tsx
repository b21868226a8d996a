import { act, screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { openServerPage } from './testing/fake-panel.tsx'

const motd = { type: 'string', value: 'Hello', display: 'Message', userEdit: true }
const settings = { path: '/server/deadbeef?tab=settings', variables: { motd } }
const message = () => screen.findByRole<HTMLInputElement>('textbox', { name: /Message/ })

/** Goes to the list of servers, like the link in the navigation. */
function leave(router: { navigate: (to: string) => unknown }): void {
  act(() => void router.navigate('/server'))
}

test('leaving with unsaved settings in a hidden tab asks first', async () => {
  const { waitUntilLive, user, router } = await openServerPage(settings)
  await waitUntilLive()
  await user.type(await message(), '!')
  await user.click(screen.getByRole('tab', { name: 'Console' }))

  leave(router)
  const dialog = await screen.findByRole('dialog', { name: 'Leave without saving?' })
  await user.click(within(dialog).getByRole('button', { name: 'Cancel' }))

  expect(router.state.location.pathname).toBe('/server/deadbeef')
  expect(window.dispatchEvent(new Event('beforeunload', { cancelable: true }))).toBe(false)
  await user.click(screen.getByRole('tab', { name: 'Settings' }))
  expect((await message()).value).toBe('Hello!')
})

test('unsaved settings in a hidden tab can be discarded', async () => {
  const { waitUntilLive, user, router } = await openServerPage(settings)
  await waitUntilLive()
  await user.type(await message(), '!')
  await user.click(screen.getByRole('tab', { name: 'Console' }))

  leave(router)
  await user.click(await screen.findByRole('button', { name: 'Discard changes' }))

  expect(await screen.findByText('All servers')).toBeTruthy()
})

test('switching tabs does not ask, nor does leaving after the changes were discarded', async () => {
  const { waitUntilLive, user, router } = await openServerPage(settings)
  await waitUntilLive()
  await user.type(await message(), '!')
  await user.click(screen.getByRole('tab', { name: 'Console' }))
  await user.click(screen.getByRole('tab', { name: 'Settings' }))
  await user.click(await screen.findByRole('button', { name: 'Discard' }))
  await waitFor(() => expect(screen.queryByText(/unsaved change/)).toBeNull())
  await user.click(screen.getByRole('tab', { name: 'Console' }))

  leave(router)

  expect(await screen.findByText('All servers')).toBeTruthy()
})

test('leaving with an unsaved new user in a hidden tab asks first', async () => {
  const { waitUntilLive, user, router } = await openServerPage({
    path: '/server/deadbeef?tab=users',
    permissions: { viewServerConsole: true, editServerUsers: true },
  })
  await waitUntilLive()
  await user.click((await screen.findAllByRole('button', { name: 'Add user' }))[0] as HTMLElement)
  await user.type(await screen.findByRole('textbox', { name: 'Email' }), 'bob')
  await user.click(screen.getByRole('tab', { name: 'Console' }))

  leave(router)

  expect(await screen.findByRole('dialog', { name: 'Leave without saving?' })).toBeTruthy()
})

test('a new user that was saved while the tab is hidden is no unsaved change', async () => {
  const { waitUntilLive, user, router, holdRequest } = await openServerPage({
    path: '/server/deadbeef?tab=users',
    permissions: { viewServerConsole: true, editServerUsers: true },
  })
  await waitUntilLive()
  await user.click((await screen.findAllByRole('button', { name: 'Add user' }))[0] as HTMLElement)
  await user.type(await screen.findByRole('textbox', { name: 'Email' }), 'bob@example.net')
  const end = holdRequest('PUT /api/servers/deadbeef/user/bob%40example.net')
  await user.click(screen.getByRole('button', { name: 'Save' }))
  await user.click(screen.getByRole('tab', { name: 'Console' }))
  end()
  await screen.findByText('Saved')

  leave(router)

  expect(await screen.findByText('All servers')).toBeTruthy()
})

test('leaving with unsaved limits in a hidden tab asks first', async () => {
  const { waitUntilLive, user, router } = await openServerPage({
    scopes: ['servers.admin'],
    path: '/server/deadbeef?tab=admin',
  })
  await waitUntilLive()
  const memory = await screen.findByRole('textbox', { name: /^Memory/ })
  await waitFor(() => expect((memory as HTMLInputElement).disabled).toBe(false))
  await user.type(memory, '512')
  await user.click(screen.getByRole('tab', { name: 'Console' }))

  leave(router)

  expect(await screen.findByRole('dialog', { name: 'Leave without saving?' })).toBeTruthy()
})
