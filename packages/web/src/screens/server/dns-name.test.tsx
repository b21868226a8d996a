import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { openServerPage } from './testing/fake-panel.tsx'
// Preloaded: the page loads it when it is first opened.
import '../../features/server-settings/dns-name-card.tsx'

const path = '/api/servers/deadbeef/dns-name'
const zone = 'play.example.org'
const record = { name: `lobby.${zone}`, type: 'A', values: ['192.0.2.7'] }
const name = { label: 'lobby', name: `lobby.${zone}`, state: 'correct', records: [record] }

test('a user gives a server the proposed name, sees that it differs, and writes it again', async () => {
  const { user, respond, refuse, clearRefusal, requestsTo } = await openServerPage({
    permissions: { editServerData: true },
    path: '/server/deadbeef?tab=settings',
    variables: {},
  })
  respond(`GET ${path}`, { zone, name: null, proposal: 'lobby' })
  const card = await screen.findByRole('region', { name: 'DNS name' }, { timeout: 10_000 })
  refuse(`PUT ${path}`, 'ErrDnsNameTaken', 409, { name: `lobby.${zone}` })

  await user.click(within(card).getByRole('button', { name: 'Give a name' }))
  const dialog = await screen.findByRole('dialog', { name: 'Give a name' })
  const field = within(dialog).getByRole<HTMLInputElement>('textbox', { name: 'Name' })
  expect(field.value).toBe('lobby')
  await user.click(within(dialog).getByRole('button', { name: 'Give a name' }))
  await within(dialog).findByText(`The name lobby.${zone} is taken`)
  clearRefusal(`PUT ${path}`)
  const found = [{ ...record, values: ['198.51.100.1'] }]
  respond(`PUT ${path}`, { zone, name, proposal: 'lobby' })
  respond(`GET ${path}`, { zone, name: { ...name, state: 'differs', found }, proposal: 'lobby' })
  await user.click(within(dialog).getByRole('button', { name: 'Give a name' }))

  await within(card).findByText('Differs')
  expect(requestsTo(`PUT ${path}`).at(-1)?.body).toEqual({ label: 'lobby' })
  expect(card.textContent).toContain(`Found: lobby.${zone} A 198.51.100.1`)
  respond(`POST ${path}/write`, { zone, name, proposal: 'lobby' })
  await user.click(within(card).getByRole('button', { name: 'Write again' }))
  await waitFor(() => expect(requestsTo(`POST ${path}/write`)).toHaveLength(1))
})
