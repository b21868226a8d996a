import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { openServerPage } from './testing/fake-panel.tsx'
// Preloaded: the page loads it when it is first opened.
import '../../features/server-settings/extra-ports-card.tsx'

const ports = '/api/servers/deadbeef/ports'
const port = { name: 'extra_port_1', port: 25_570, address: 'play.example:25570', note: 'Web map' }
const variables = [{ name: 'voiceport', display: 'Voice port' }]
const extra = { type: 'integer', value: '25570', display: 'Extra port', userView: true }

test('a user takes a port with a note and a setting, sees its address, and gives it back', async () => {
  const { user, respond, requestsTo } = await openServerPage({
    permissions: { editServerData: true },
    path: '/server/deadbeef?tab=settings',
    variables: { extra_port_1: extra },
  })
  respond(`GET ${ports}`, { limit: 2, ports: [port], variables })
  respond(`POST ${ports}`, { ...port, name: 'extra_port_2', port: 25_571 })
  const card = await screen.findByRole('region', { name: 'Extra ports' })
  expect(card.textContent).toContain('1 of 2 taken')
  expect(within(card).getByRole('button', { name: 'Copy play.example:25570' })).toBeDefined()
  // It is not among the settings, too.
  expect(screen.queryByRole('textbox', { name: /Extra port/ })).toBeNull()
  expect(within(card).queryByRole('button', { name: 'Change limit' })).toBeNull()

  await user.click(within(card).getByRole('button', { name: 'Take a port' }))
  const dialog = await screen.findByRole('dialog', { name: 'Take a port' })
  await user.type(within(dialog).getByRole('textbox', { name: 'Note' }), 'Voice chat')
  await user.click(within(dialog).getByRole('combobox', { name: 'Write its number into' }))
  await user.click(await screen.findByRole('option', { name: 'Voice port' }))
  await user.click(within(dialog).getByRole('button', { name: 'Take a port' }))

  await screen.findByText(/Port 25571 is taken/)
  expect(requestsTo(`POST ${ports}`).map(({ body }) => body)).toEqual([{ note: 'Voice chat', variable: 'voiceport' }])
  await user.click(within(card).getByRole('button', { name: 'Give port 25570 back' }))
  await user.click(await screen.findByRole('button', { name: 'Give back' }))
  await waitFor(() => expect(requestsTo(`DELETE ${ports}/extra_port_1`)).toHaveLength(1))
})

test('an administrator changes the limit; users of a server without extra ports do not see them', async () => {
  const admin = await openServerPage({ scopes: ['servers.admin'], path: '/server/deadbeef?tab=settings' })
  const card = await screen.findByRole('region', { name: 'Extra ports' })

  await admin.user.click(within(card).getByRole('button', { name: 'Change limit' }))
  const field = await screen.findByRole('textbox', { name: 'Highest number' })
  await admin.user.clear(field)
  await admin.user.type(field, '3')
  await admin.user.click(screen.getByRole('button', { name: 'Save' }))

  await waitFor(() =>
    expect(admin.requestsTo('PUT /api/servers/deadbeef/port-limit').map(({ body }) => body)).toEqual([{ limit: 3 }]),
  )
})
