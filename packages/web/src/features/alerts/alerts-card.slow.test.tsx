import {
  type AlertChannel,
  alertTypes,
  createAlertChannel,
  createServerAlertChannel,
  deleteAlertChannel,
  listAlertChannels,
  listAlertDeliveries,
  putAlertChannel,
  serverAlertTypes,
  testAlertChannel,
} from '@innkeeper/contract/alerts/alerts'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { listServers } from '@innkeeper/contract/servers/servers'
import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { FakePanel } from '../../testing/fake-panel.ts'
import { openPart } from '../../testing/open-part.tsx'
import { AlertsCard } from './alerts-card.tsx'

const onCall: AlertChannel = {
  id: '4c7b1c1e-0000-4000-8000-000000000001',
  name: 'On call',
  type: 'webhook',
  target: 'https://hooks.example.net/',
  host: 'hooks.example.net',
  alerts: ['crashed', 'nodeOffline'],
  diskFullPercent: 5,
  servers: [],
  quietHours: null,
  isEnabled: true,
  secret: 'whsec_c2VjcmV0',
  version: 'v1',
}

async function open(channels: readonly AlertChannel[] = []) {
  const panel = new FakePanel()
  const paging = { page: 1, pageSize: 10, maxSize: 100, total: 1 }
  panel.respond(listAlertChannels, [...channels])
  panel.respond(listAlertDeliveries, {
    deliveries: [
      {
        id: 'd',
        channelId: onCall.id,
        type: 'crashed',
        isResolved: false,
        title: 'Server crashed: lobby',
        state: 'failed',
        tries: 6,
        createdAt: '2026-01-01T00:00:00.000Z',
        answer: 'The service answered 503: no',
        isByNode: true,
      },
    ],
    paging,
  })
  return await openPart(<AlertsCard id="alerts" />, { panel })
}

test('without channels, a button for each common type opens its form', async () => {
  const { user } = await open()

  await user.click(await screen.findByRole('button', { name: 'Discord' }))

  const dialog = within(await screen.findByRole('dialog', { name: 'Add channel' }))
  expect(dialog.getByRole<HTMLSelectElement>('combobox', { name: 'Type' }).value).toBe('discord')
  expect(screen.getAllByRole('button', { hidden: true, name: /^(Discord|Email|Webhook)$/ })).toHaveLength(3)
})

test('a channel is added with its alerts, servers and quiet hours', async () => {
  const { user, panel } = await open()
  panel.respond(createAlertChannel, onCall)
  await screen.findByText('No alert channels yet')

  await user.click(screen.getByRole('button', { name: 'Add channel' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Add channel' }))
  await user.type(dialog.getByRole('textbox', { name: 'Name' }), 'On call')
  await user.selectOptions(dialog.getByRole('combobox', { name: 'Type' }), 'ntfy')
  await user.type(dialog.getByRole('textbox', { name: 'Channel URL' }), 'https://ntfy.sh/games')
  await user.click(dialog.getByRole('checkbox', { name: 'Task failed' }))
  const percent = dialog.getByRole('textbox', { name: "Alert when a node's free disk space falls below (%)" })
  await user.clear(percent)
  await user.type(percent, '12')
  await user.click(dialog.getByRole('switch', { name: 'Quiet hours' }))
  await user.click(dialog.getByRole('button', { name: 'Save' }))

  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(panel.requests(createAlertChannel)).toMatchObject([
    {
      body: {
        name: 'On call',
        type: 'ntfy',
        target: 'https://ntfy.sh/games',
        alerts: alertTypes.filter((type) => type !== 'taskFailed'),
        diskFullPercent: 12,
        servers: [],
        quietHours: { from: '22:00', to: '07:00' },
        isEnabled: true,
      },
    },
  ])
})

test('a channel without a name is not sent, and the name gets the focus', async () => {
  const { user, panel } = await open()
  await user.click(await screen.findByRole('button', { name: 'Add channel' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Add channel' }))

  await user.type(dialog.getByRole('textbox', { name: 'Channel URL' }), 'https://ntfy.sh/games')
  await user.click(dialog.getByRole('button', { name: 'Save' }))

  await waitFor(() => expect(document.activeElement).toBe(dialog.getByRole('textbox', { name: 'Name' })))
  expect(panel.requests(createAlertChannel)).toEqual([])
})

test('a URL that the panel refuses is an error of its field', async () => {
  const { user, panel } = await open([onCall])
  panel.respond(putAlertChannel, new Refusal('ErrFieldInvalid', { field: 'target' }))

  await user.click(await screen.findByRole('button', { name: 'Edit On call' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Edit On call' }))
  expect(dialog.getByRole('textbox', { name: 'Signing secret' })).toHaveProperty('value', 'whsec_c2VjcmV0')
  const url = dialog.getByRole('textbox', { name: 'Channel URL' })
  await user.clear(url)
  await user.type(url, 'http://10.0.0.1/')
  await user.click(dialog.getByRole('button', { name: 'Save' }))

  await dialog.findByText('Channel URL is invalid')
  expect(panel.requests(putAlertChannel)).toHaveLength(1)
})

test('servers that cannot be loaded say so, instead of showing their IDs', async () => {
  const { user, panel } = await open([{ ...onCall, servers: ['00c0ffee'] }])
  panel.respond(listServers, new Refusal('ErrServiceNotAvailable'))

  await user.click(await screen.findByRole('button', { name: 'Edit On call' }))

  const dialog = within(await screen.findByRole('dialog', { name: 'Edit On call' }))
  expect((await dialog.findByRole('alert')).textContent).toContain('Could not load the servers')
  expect(dialog.queryByText('00c0ffee')).toBeNull()
})

test('a channel that someone else changed too is shown with both versions, and a draft of it has no URL', async () => {
  const { user, panel } = await open([onCall])
  await user.click(await screen.findByRole('button', { name: 'Edit On call' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Edit On call' }))
  await user.type(dialog.getByRole('textbox', { name: 'Name' }), ' at night')
  await user.type(dialog.getByRole('textbox', { name: 'Channel URL' }), 'unsaved')
  await waitFor(() => expect(Object.values(sessionStorage).join()).toContain('On call at night'))
  expect(Object.values(sessionStorage).join()).not.toContain('hooks.example.net')
  panel.respond(listAlertChannels, [{ ...onCall, name: 'Weekend', alerts: ['crashed'], version: 'v2' }])
  panel.respond(putAlertChannel, ({ headers }) =>
    headers.get('if-match') === '"v2"' ? undefined : new Refusal('ErrStaleVersion'),
  )

  await user.click(dialog.getByRole('button', { name: 'Save' }))
  await screen.findByText('Weekend', { selector: 'td' })
  expect(screen.getByText('On call at night', { selector: 'td' })).toBeDefined()
  await user.click(screen.getByRole('button', { name: /Keep yours/ }))
  await user.click(screen.getByRole('button', { name: 'Save' }))

  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(panel.requests(putAlertChannel).at(-1)?.body).toMatchObject({
    name: 'On call at night',
    alerts: ['crashed'],
    target: 'https://hooks.example.net/unsaved',
  })
})

test('a channel is tested and deleted, and the log shows why a delivery failed', async () => {
  const { user, panel } = await open([onCall])
  panel.respond(testAlertChannel, { delivered: false, answer: 'The service answered 404: no hook' })
  panel.respond(deleteAlertChannel, undefined)

  await screen.findByText('The service answered 503: no')
  screen.getByText('Sent directly by the node')
  await user.click(screen.getByRole('button', { name: 'Send a test message to On call' }))
  await screen.findByText('The service answered 404: no hook')
  await user.click(screen.getByRole('button', { name: 'Delete On call' }))
  await user.click(await screen.findByRole('button', { name: 'Delete' }))

  await waitFor(() => expect(panel.requests(deleteAlertChannel)).toHaveLength(1))
})

test('the card of a server offers alerts about servers only, and saves to that server', async () => {
  const panel = new FakePanel()
  panel.respond(createServerAlertChannel, onCall)
  const { user } = await openPart(<AlertsCard id="alerts" server="00c0ffee" />, { panel, as: [] })
  await screen.findByText('No alert channels yet')

  await user.click(screen.getByRole('button', { name: 'Add channel' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Add channel' }))
  expect(dialog.getAllByRole('checkbox')).toHaveLength(serverAlertTypes.length)
  await user.type(dialog.getByRole('textbox', { name: 'Name' }), 'On call')
  await user.type(dialog.getByRole('textbox', { name: 'Channel URL' }), 'https://hooks.example.net/')
  await user.click(dialog.getByRole('button', { name: 'Save' }))

  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(panel.requests(createServerAlertChannel)).toMatchObject([
    { path: '/api/servers/00c0ffee/alerts/channels', body: { name: 'On call', alerts: serverAlertTypes } },
  ])
})

test('a channel says who made it and why it is paused, and an administrator who saves it takes it over', async () => {
  const owner = { id: 2, username: 'mara' }
  const { user, panel } = await open([
    { ...onCall, owner, paused: 'ownerLacksPermission' },
    { ...onCall, id: '4c7b1c1e-0000-4000-8000-000000000002', name: 'Night', owner },
  ])
  panel.respond(putAlertChannel, undefined)
  await screen.findByText('Paused because mara no longer has the permission for this channel.')
  screen.getByText('Made by mara')

  for (const name of ['On call', 'Night']) {
    await user.click(screen.getByRole('button', { name: `Edit ${name}` }))
    const dialog = within(await screen.findByRole('dialog', { name: `Edit ${name}` }))
    await user.click(dialog.getByRole('button', { name: 'Save' }))
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  }

  const targets = panel.requests(putAlertChannel).map(({ body }) => (body as { target?: string }).target)
  expect(targets).toEqual([onCall.target, undefined])
})

test('a hidden URL is kept when it stays empty, but not with another type', async () => {
  const { target: _, ...hidden } = { ...onCall, secret: '' }
  const { user, panel } = await open([hidden])
  panel.respond(putAlertChannel, undefined)
  const edit = async () => {
    await user.click(await screen.findByRole('button', { name: 'Edit On call' }))
    return within(await screen.findByRole('dialog', { name: 'Edit On call' }))
  }
  const dialog = await edit()
  dialog.getByText(/^Leave empty to keep the address at hooks\.example\.net\./)
  await user.selectOptions(dialog.getByRole('combobox', { name: 'Type' }), 'slack')
  await user.click(dialog.getByRole('button', { name: 'Save' }))
  await waitFor(() => expect(document.activeElement).toBe(dialog.getByRole('textbox', { name: 'Channel URL' })))
  expect(panel.requests(putAlertChannel)).toEqual([])

  await user.selectOptions(dialog.getByRole('combobox', { name: 'Type' }), 'webhook')
  await user.click(dialog.getByRole('button', { name: 'Save' }))

  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(panel.requests(putAlertChannel)[0]?.body).not.toHaveProperty('target')
})
