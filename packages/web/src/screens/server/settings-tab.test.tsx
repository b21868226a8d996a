import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { openServerPage } from './testing/fake-panel.tsx'

const motd = { type: 'string', value: 'Hello', display: 'Message', userEdit: true }
const slots = { type: 'integer', value: '8', display: 'Slots', userEdit: true }
const call = 'POST /proxy/daemon/server/deadbeef/data'

async function openSettings() {
  const page = await openServerPage({ path: '/server/deadbeef?tab=settings', variables: { motd, slots } })
  await page.live()
  await screen.findByRole('textbox', { name: /Message/ })
  return page
}
const field = (name: RegExp) => screen.getByRole<HTMLInputElement>('textbox', { name })
const save = () => screen.getByRole('button', { name: 'Save' })

test('what is typed into the settings while they are saved stays', async () => {
  const { user, hold, sent, server } = await openSettings()
  const end = hold(call)
  await user.type(field(/Message/), '!')
  await user.click(save())
  await user.type(field(/Message/), '?')

  server.variables = { motd: { ...motd, value: 'Hello!' }, slots }
  end()

  await screen.findByText('Saved')
  expect(field(/Message/).value).toBe('Hello!?')
  expect(screen.getByText(/1 unsaved change/)).toBeTruthy()
  expect(sent(call).map(({ body }) => body)).toEqual([{ data: { motd: { value: 'Hello!' } } }])
})

test('settings name the version they were read with', async () => {
  const { user, sent } = await openSettings()

  await user.type(field(/Message/), '!')
  await user.click(save())

  await waitFor(() => expect(sent(call)[0]?.headers.get('if-match')).toBe('"1"'))
})

test('a setting that somebody else changed too is shown with both values, and saved over only when that is wanted', async () => {
  const { user, sent, server } = await openSettings()
  await user.type(field(/Message/), '!')
  server.variables = { motd: { ...motd, value: 'Welcome' }, slots }
  server.version = 2

  await user.click(save())
  const notice = await screen.findByRole('alert')

  expect(within(notice).getByText('Hello!')).toBeTruthy()
  expect(within(notice).getByText('Welcome')).toBeTruthy()
  await user.click(screen.getByRole('button', { name: 'Keep yours' }))
  await user.click(save())
  await waitFor(() => expect(sent(call)).toHaveLength(2))
  expect(sent(call)[1]?.headers.get('if-match')).toBe('"2"')
})

test('another setting that somebody changed meanwhile is shown, and does not stop the save', async () => {
  const { user, sent, server } = await openSettings()
  await user.type(field(/Message/), '!')
  server.variables = { motd, slots: { ...slots, value: '16' } }
  server.version = 2

  await user.click(save())

  await waitFor(() => expect(sent(call)).toHaveLength(2))
  expect(sent(call)[1]?.body).toEqual({ data: { motd: { value: 'Hello!' } } })
  expect(field(/Slots/).value).toBe('16')
})

test('a password among the settings is not kept in the storage of the browser', async () => {
  const password = { type: 'string', value: '', display: 'Server password', userEdit: true }
  const { user, live } = await openServerPage({
    path: '/server/deadbeef?tab=settings',
    variables: { motd, password },
  })
  await live()
  await user.type(await screen.findByRole('textbox', { name: 'Server password' }), 'hunter22')
  await user.type(field(/Message/), '!')

  await waitFor(() => expect(Object.values(sessionStorage).join()).toContain('Hello!'))

  expect(Object.values(sessionStorage).join()).not.toContain('hunter22')
})
