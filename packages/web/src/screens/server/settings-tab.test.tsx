import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { openServerPage } from './testing/fake-panel.tsx'

const motd = { type: 'string', value: 'Hello', display: 'Message', userEdit: true }
const slots = { type: 'integer', value: '8', display: 'Slots', userEdit: true }
const endpoint = 'POST /proxy/daemon/server/deadbeef/data'

async function openSettings() {
  const page = await openServerPage({ path: '/server/deadbeef?tab=settings', variables: { motd, slots } })
  await page.waitUntilLive()
  await screen.findByRole('textbox', { name: /Message/ })
  return page
}
const field = (name: RegExp) => screen.getByRole<HTMLInputElement>('textbox', { name })
const save = () => screen.getByRole('button', { name: 'Save' })

test('edits made during a save are kept', async () => {
  const { user, holdRequest, requestsTo, server } = await openSettings()
  const end = holdRequest(endpoint)
  await user.type(field(/Message/), '!')
  await user.click(save())
  await user.type(field(/Message/), '?')

  server.variables = { motd: { ...motd, value: 'Hello!' }, slots }
  end()

  await screen.findByText('Saved')
  expect(field(/Message/).value).toBe('Hello!?')
  expect(screen.getByText(/1 unsaved change/)).toBeTruthy()
  expect(requestsTo(endpoint).map(({ body }) => body)).toEqual([{ data: { motd: { value: 'Hello!' } } }])
})

test('settings are saved with the version they were loaded with', async () => {
  const { user, requestsTo } = await openSettings()

  await user.type(field(/Message/), '!')
  await user.click(save())

  await waitFor(() => expect(requestsTo(endpoint)[0]?.headers.get('if-match')).toBe('"1"'))
})

test('a conflicting setting is shown with both values and overwritten only after confirmation', async () => {
  const { user, requestsTo, server } = await openSettings()
  await user.type(field(/Message/), '!')
  server.variables = { motd: { ...motd, value: 'Welcome' }, slots }
  server.version = 2

  await user.click(save())
  const notice = await screen.findByRole('alert')

  expect(within(notice).getByText('Hello!')).toBeTruthy()
  expect(within(notice).getByText('Welcome')).toBeTruthy()
  await user.click(screen.getByRole('button', { name: 'Keep yours' }))
  await user.click(save())
  await waitFor(() => expect(requestsTo(endpoint)).toHaveLength(2))
  expect(requestsTo(endpoint)[1]?.headers.get('if-match')).toBe('"2"')
})

test('a change of another setting by someone else does not conflict', async () => {
  const { user, requestsTo, server } = await openSettings()
  await user.type(field(/Message/), '!')
  server.variables = { motd, slots: { ...slots, value: '16' } }
  server.version = 2

  await user.click(save())

  await waitFor(() => expect(requestsTo(endpoint)).toHaveLength(2))
  expect(requestsTo(endpoint)[1]?.body).toEqual({ data: { motd: { value: 'Hello!' } } })
  expect(field(/Slots/).value).toBe('16')
})

test('a password setting is not stored in the browser', async () => {
  const password = { type: 'string', value: '', display: 'Server password', userEdit: true }
  const { user, waitUntilLive } = await openServerPage({
    path: '/server/deadbeef?tab=settings',
    variables: { motd, password },
  })
  await waitUntilLive()
  await user.type(await screen.findByRole('textbox', { name: 'Server password' }), 'hunter22')
  await user.type(field(/Message/), '!')

  await waitFor(() => expect(Object.values(sessionStorage).join()).toContain('Hello!'))

  expect(Object.values(sessionStorage).join()).not.toContain('hunter22')
})
