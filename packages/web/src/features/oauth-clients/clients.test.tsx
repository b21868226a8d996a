import { confirmPassword } from '@innkeeper/contract/accounts/auth'
import {
  createAccountClient,
  createServerClient,
  deleteAccountClient,
  listAccountClients,
  listServerClients,
  type OAuth2Client,
  putAccountClient,
} from '@innkeeper/contract/accounts/oauth2'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { FakePanel } from '../../testing/fake-panel.ts'
import { openPart } from '../../testing/open-part.tsx'
import { aServer } from '../../testing/samples.ts'
import { AccountClients, ServerClients } from './clients.tsx'

const statusPage: OAuth2Client = { client_id: 'b7c1', name: 'Status page', description: 'Reads status' }
const unnamed: OAuth2Client = { client_id: '0d93', name: '', description: '' }

async function openAccountClients(clients: readonly OAuth2Client[]) {
  const panel = new FakePanel()
  let stored = [...clients]
  panel.respond(listAccountClients, () => stored)
  panel.respond(createAccountClient, ({ body }) => {
    stored = [...stored, { client_id: 'c2a6', ...(body as { name: string; description: string }) }]
    return { id: 'c2a6', secret: 'vQ7rM2x9' }
  })
  panel.respond(deleteAccountClient, ({ path }) => {
    stored = stored.filter(({ client_id }) => !path.endsWith(client_id))
    return undefined
  })
  return openPart(<AccountClients />, { panel })
}

test('lists clients, and names unnamed ones', async () => {
  await openAccountClients([statusPage, unnamed])

  const rows = within(await screen.findByRole('table', { name: 'OAuth2 clients' }))
    .getAllByRole('row')
    .slice(1)
  expect(rows.map((row) => row.textContent)).toEqual([
    expect.stringContaining('Status page'),
    expect.stringContaining('Unnamed OAuth2 Client'),
  ])
  expect(screen.getByRole('link', { name: 'API documentation' }).getAttribute('href')).toMatch(/^\/\w/)
})

test('the secret of a new client is shown until the user confirms that it is saved', async () => {
  const { user, panel } = await openAccountClients([])
  await screen.findByText('No clients. Create one to use the API.')

  await user.click(screen.getByRole('button', { name: 'Create client' }))
  const form = within(await screen.findByRole('dialog', { name: 'Create OAuth2 client' }))
  await user.type(form.getByLabelText('Name'), 'Status page')
  await user.click(form.getByRole('button', { name: 'Create client' }))

  const credentials = await screen.findByRole('dialog', { name: 'OAuth2 client created' })
  expect(within(credentials).getByLabelText<HTMLInputElement>('Client secret').value).toBe('vQ7rM2x9')
  await user.click(within(credentials).getByRole('button', { name: 'Copy client secret' }))
  await within(credentials).findByRole('button', { name: 'Copied' })
  expect(await navigator.clipboard.readText()).toBe('vQ7rM2x9')
  await user.keyboard('{Escape}')
  expect(screen.queryByRole('dialog', { name: 'OAuth2 client created' })).not.toBeNull()
  await user.click(within(credentials).getByRole('button', { name: 'I have saved it' }))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  await screen.findByText('Status page')
  expect(panel.requests(createAccountClient)[0]?.body).toEqual({ name: 'Status page', description: '' })
})

test('deleting a client requires the acknowledgement', async () => {
  const { user, panel } = await openAccountClients([statusPage])

  await user.click(await screen.findByRole('button', { name: 'Delete Status page' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Delete Status page?' }))
  const confirm = dialog.getByRole<HTMLButtonElement>('button', { name: 'Delete client' })
  expect(confirm.disabled).toBe(true)
  await user.click(dialog.getByRole('switch', { name: 'I understand that programs using it stop working' }))
  await user.click(confirm)

  await screen.findByText('No clients. Create one to use the API.')
  expect(panel.requests(deleteAccountClient).map(({ path }) => path)).toEqual(['/api/self/oauth2/b7c1'])
})

test('a validation error is shown at its field', async () => {
  const { user, panel } = await openAccountClients([])
  panel.respond(createAccountClient, new Refusal('ErrFieldTooLarge', { field: 'name', max: 100 }))

  await user.click(await screen.findByRole('button', { name: 'Create client' }))
  const form = within(await screen.findByRole('dialog', { name: 'Create OAuth2 client' }))
  await user.click(form.getByRole('button', { name: 'Create client' }))

  await form.findByText('Name cannot be larger than 100')
})

test("a client of a server has its owner's permissions there, and the dialog says so", async () => {
  const panel = new FakePanel()
  panel.respond(listServerClients, [])
  panel.respond(createServerClient, { id: 'c2a6', secret: 'vQ7rM2x9' })
  const { user } = await openPart(<ServerClients server={aServer('deadbeef', 'lobby')} />, { panel })
  await screen.findByText('A client here gets only your permissions on this server.')

  await user.click(screen.getByRole('button', { name: 'Create client' }))
  const form = within(await screen.findByRole('dialog', { name: 'Create OAuth2 client' }))
  await user.click(form.getByRole('button', { name: 'Create client' }))

  await screen.findByText('This client has your permissions on lobby only, within its limits.')
  expect(panel.requests(createServerClient).map(({ path }) => path)).toEqual(['/api/servers/deadbeef/oauth2'])
})

/** Refuses a change until the password is confirmed. */
function requirePassword<R>(panel: FakePanel, answer: R): () => R | Refusal {
  let isConfirmed = false
  panel.respond(confirmPassword, ({ body }) => {
    isConfirmed = (body as { password: string }).password === 'correct horse'
    return isConfirmed ? undefined : new Refusal('ErrInvalidCredentials')
  })
  return () => (isConfirmed ? answer : new Refusal('ErrPasswordRequired'))
}

test('creating a client asks for the password when the sign-in is not recent', async () => {
  const { user, panel } = await openAccountClients([])
  panel.respond(createAccountClient, requirePassword(panel, { id: 'c2a6', secret: 'vQ7rM2x9' }))
  await user.click(screen.getByRole('button', { name: 'Create client' }))
  const form = within(await screen.findByRole('dialog', { name: 'Create OAuth2 client' }))

  await user.click(form.getByRole('button', { name: 'Create client' }))
  const question = within(await screen.findByRole('dialog', { name: 'Enter your password again' }))
  await user.type(question.getByLabelText('Current password'), 'wrong{Enter}')
  await question.findByText('This is not your current password.')
  await user.clear(question.getByLabelText('Current password'))
  await user.type(question.getByLabelText('Current password'), 'correct horse{Enter}')

  await screen.findByRole('dialog', { name: 'OAuth2 client created' })
  expect(panel.requests(createAccountClient)).toHaveLength(2)
})

test('deleting a client asks for the password, and says that it is deleted', async () => {
  const { user, panel } = await openAccountClients([statusPage])
  panel.respond(deleteAccountClient, requirePassword(panel, undefined))
  const confirmDeletion = async () => {
    await user.click(await screen.findByRole('button', { name: 'Delete Status page' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Delete Status page?' }))
    await user.click(dialog.getByRole('switch'))
    await user.click(dialog.getByRole('button', { name: 'Delete client' }))
    return within(await screen.findByRole('dialog', { name: 'Enter your password again' }))
  }

  await confirmDeletion()
  await user.keyboard('{Escape}')
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(screen.queryByText('Deleted Status page')).toBeNull()
  const question = await confirmDeletion()
  await user.type(question.getByLabelText('Current password'), 'correct horse{Enter}')

  await screen.findByText('Deleted Status page')
})

test('shows the use, pause and end of clients, and changes their limits', async () => {
  const old = new Date(Date.now() - 100 * 24 * 3_600_000).toISOString()
  const limited: OAuth2Client = {
    ...statusPage,
    limits: { permissions: ['startServer'], networks: ['192.0.2.1'] },
    isPaused: true,
    until: old,
    createdAt: old,
    lastUsedAt: old,
  }
  const { user, panel } = await openAccountClients([limited])
  panel.respond(putAccountClient, undefined)
  for (const text of ['Paused', 'Ended', 'Unused for 90 days', 'Limited']) await screen.findByText(text)

  await user.click(screen.getByRole('button', { name: 'Edit Status page' }))
  const form = within(await screen.findByRole('dialog', { name: 'Edit Status page' }))
  await user.click(form.getByRole('switch', { name: /^Pause this client/ }))
  await user.clear(form.getByLabelText(/^Ends at/))
  await user.type(form.getByRole('combobox', { name: /^Only from these addresses/ }), '2001:db8::/32{Enter}')
  await user.click(form.getByRole('button', { name: 'Save' }))

  await screen.findByText('Saved')
  expect(panel.requests(putAccountClient).map(({ body }) => body)).toEqual([
    {
      name: 'Status page',
      description: 'Reads status',
      limits: { permissions: ['startServer'], scopes: [], networks: ['192.0.2.1', '2001:db8::/32'] },
      isPaused: false,
    },
  ])
})
