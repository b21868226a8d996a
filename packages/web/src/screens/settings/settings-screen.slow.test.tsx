import { deleteMail, listMail, type QueuedMail, retryMail } from '@innkeeper/contract/alerts/mail'
import type { ResponseOf } from '@innkeeper/contract/api/endpoint'
import { getPanelRetention, putPanelRetention } from '@innkeeper/contract/backups/backup-plan'
import { keepEverything } from '@innkeeper/contract/backups/backup-retention'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { getConfig } from '@innkeeper/contract/settings/panel'
import {
  getLastBackup,
  listSettings,
  postSettings,
  type Setting,
  type SettingKey,
  type SettingValues,
  secretSettings,
  sendTestMail,
  settingKeys,
  settings,
} from '@innkeeper/contract/settings/settings'
import { listThemes } from '@innkeeper/contract/settings/themes'
import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { FakePanel } from '../../testing/fake-panel.ts'
import { openApp } from '../../testing/open-app.tsx'
import { aConfig } from '../../testing/samples.ts'

const admin = ['servers.admin']

interface PanelOptions {
  readonly values?: Partial<SettingValues>
  readonly fixed?: readonly SettingKey[]
  readonly mail?: readonly QueuedMail[]
  readonly lastBackup?: ResponseOf<typeof getLastBackup>
}

/** A panel that stores settings in `stored`. */
function aPanel(
  { values = {}, fixed = [], mail = [], lastBackup = {} }: PanelOptions = {},
  stored: Record<string, string | boolean> = {},
): FakePanel {
  const panel = new FakePanel()
  for (const key of settingKeys) stored[key] = values[key] ?? settings[key].default
  const getSetting = (key: SettingKey): Setting => ({
    value: secretSettings.includes(key) ? '' : (stored[key] ?? ''),
    isSet: stored[key] !== settings[key].default,
    isFixed: fixed.includes(key),
  })
  panel.respond(
    listSettings,
    () => Object.fromEntries(settingKeys.map((key) => [key, getSetting(key)])) as Record<SettingKey, Setting>,
  )
  panel.respond(postSettings, ({ body }) => {
    Object.assign(stored, body)
    return undefined
  })
  panel.setVersion(listSettings, postSettings, () => JSON.stringify(stored))
  panel.respond(getLastBackup, lastBackup)
  panel.respond(getPanelRetention, keepEverything)
  panel.respond(listThemes, [])
  panel.respond(listMail, {
    mail: [...mail],
    paging: { page: 1, pageSize: 10, maxSize: 100, total: mail.length },
    counts: { waiting: 0, sending: 0, sent: 0, failed: mail.filter(({ state }) => state === 'failed').length },
  })
  return panel
}

async function open(options?: PanelOptions, as: readonly string[] = admin) {
  const stored: Record<string, string | boolean> = {}
  const panel = aPanel(options, stored)
  const opened = await openApp('/settings', { as, panel })
  await screen.findByRole('form', { name: 'Email' })
  const card = (name: string) => within(screen.getByRole('form', { name }))
  return { ...opened, card, stored }
}

test('g c opens the settings', async () => {
  const { user, path } = await openApp('/account', { as: admin, panel: aPanel() })
  await screen.findByRole('heading', { name: 'Account' })

  await user.keyboard('gc')

  await waitFor(() => expect(path()).toBe('/settings'))
})

test.for([
  [undefined, 'There is no backup of Innkeeper yet. How to back up and restore'],
  [3 * 60_000, 'Last backup of Innkeeper: 3m ago How to back up and restore'],
] as const)('the last backup, %s ms ago, is shown with its age', async ([age, text]) => {
  const lastBackup = age === undefined ? {} : { lastBackupAt: new Date(Date.now() - age).toISOString() }

  const { card } = await open({ lastBackup })

  const link = await card('Panel').findByRole('link', { name: 'How to back up and restore' })
  expect(link.parentElement?.textContent).toBe(text)
})

test('without permission there is neither a navigation entry nor a page', async () => {
  const { panel } = await openApp('/settings', { as: ['servers.view'], panel: aPanel() })

  await screen.findByText('You do not have permission to view this page')
  expect(screen.queryByRole('link', { name: 'Settings' })).toBeNull()
  expect(panel.requests(listSettings)).toHaveLength(0)
})

test('a card sends only changed settings, and counts unsaved ones', async () => {
  const { user, card, panel } = await open()
  expect(card('Panel').queryByRole('button', { name: 'Save' })).toBeNull()

  await user.type(card('Panel').getByRole('textbox', { name: 'Company name' }), 'Oak Valley')
  await user.click(card('Panel').getByRole('switch', { name: 'Allow registration' }))
  expect(card('Panel').getByText('2 unsaved changes')).toBeDefined()
  expect(card('Email').queryByText(/unsaved/)).toBeNull()
  await user.click(card('Panel').getByRole('button', { name: 'Save' }))

  await waitFor(() => expect(card('Panel').queryByText(/unsaved/)).toBeNull())
  expect(panel.requests(postSettings)[0]?.body).toEqual({
    'panel.settings.companyName': 'Oak Valley',
    'panel.registrationEnabled': true,
  })
})

test('text typed while a card is saved is kept', async () => {
  const { user, card, panel } = await open()
  const resume = panel.pause(postSettings)
  const name = card('Panel').getByRole<HTMLInputElement>('textbox', { name: 'Company name' })
  await user.type(name, 'Inn')
  await user.click(card('Panel').getByRole('button', { name: 'Save' }))
  await user.type(name, ' at the sea')

  resume()

  await screen.findByText('Saved')
  expect(name.value).toBe('Inn at the sea')
  expect(card('Panel').getByText('1 unsaved change')).toBeTruthy()
  expect(panel.requests(postSettings).map(({ body }) => body)).toEqual([{ 'panel.settings.companyName': 'Inn' }])
})

test.each([
  ['Panel', 'Company name'],
  ['Email', 'Host'],
])('leaving the card %s with unsaved changes asks first', async (name, field) => {
  const { user, card, path } = await open({ values: { 'panel.email.provider': 'smtp' } })
  await user.type(card(name).getByRole('textbox', { name: new RegExp(field) }), 'x')

  await user.click(screen.getAllByRole('link', { name: 'Users' })[0] as HTMLElement)
  await user.click(await screen.findByRole('button', { name: 'Cancel' }))

  expect(path()).toBe('/settings')
})

test('a setting that another user changed too is shown with both values', async () => {
  const { user, card, panel, stored } = await open()
  await user.type(card('Panel').getByRole('textbox', { name: 'Company name' }), 'Oak Valley')
  stored['panel.settings.companyName'] = 'Pine Hill'

  await user.click(card('Panel').getByRole('button', { name: 'Save' }))
  const notice = within(await screen.findByRole('alert'))

  expect(notice.getByText('Oak Valley')).toBeTruthy()
  expect(notice.getByText('Pine Hill')).toBeTruthy()
  await user.click(notice.getByRole('button', { name: 'Keep yours' }))
  await user.click(card('Panel').getByRole('button', { name: 'Save' }))
  await screen.findByText('Saved')
  expect(stored['panel.settings.companyName']).toBe('Oak Valley')
  expect(panel.requests(postSettings)).toHaveLength(2)
})

test('a master URL set by the environment is read-only and shows why', async () => {
  const { card } = await open({
    values: { 'panel.settings.masterUrl': 'https://panel.example.net' },
    fixed: ['panel.settings.masterUrl'],
  })

  expect(card('Panel').queryByRole('textbox', { name: 'Master URL' })).toBeNull()
  expect(card('Panel').getByText('https://panel.example.net')).toBeDefined()
  expect(card('Panel').getByRole('button', { name: 'Copy Master URL' })).toBeDefined()
  expect(card('Panel').getByText('Set by INNKEEPER_MASTER_URL.')).toBeDefined()
})

test('the outbox is hidden until a provider is set', async () => {
  const { card, user } = await open()
  expect(screen.queryByRole('region', { name: 'Outbox' })).toBeNull()

  await user.click(card('Email').getByRole('radio', { name: 'SMTP' }))
  await user.type(card('Email').getByRole('textbox', { name: 'Sender address' }), 'panel@example.net')
  await user.type(card('Email').getByRole('textbox', { name: 'Host and port' }), 'mail.example.net:587')
  await user.click(card('Email').getByRole('button', { name: 'Save' }))

  expect(await screen.findByRole('region', { name: 'Outbox' })).toBeDefined()
})

test('users without admin permission do not see the outbox', async () => {
  const { card, panel } = await open({ values: smtp }, ['panel.settings'])

  expect(card('Email')).toBeDefined()
  expect(screen.queryByText('Outbox')).toBeNull()
  expect(panel.requests(listMail)).toEqual([])
})

test('users without admin permission see the email settings, but cannot change them', async () => {
  const { card } = await open({ values: smtp }, ['panel.settings'])
  const field = (form: string, name: string) => card(form).getByRole<HTMLInputElement>('textbox', { name })

  expect(field('Panel', 'Company name').readOnly).toBe(false)
  for (const [form, name] of [
    ['Panel', 'Master URL'],
    ['Email', 'Sender address'],
    ['Email', 'Host and port'],
  ] as const) {
    expect(card(form).queryByRole('textbox', { name }), name).toBeNull()
  }
  expect(card('Email').queryByRole('button', { name: 'Replace' })).toBeNull()
  expect(card('Panel').queryByRole('button', { name: /^Use http/ })).toBeNull()
  expect(card('Email').getAllByText('Only administrators can change this.').length).toBeGreaterThan(1)
})

test('warns when emails are sent without a master URL, and offers the current address', async () => {
  const { user, card } = await open({ values: smtp })
  expect(card('Panel').getByText(/^Links in emails need the master URL/)).toBeDefined()

  await user.click(card('Panel').getByRole('button', { name: `Use ${location.origin}` }))

  expect(card('Panel').getByRole<HTMLInputElement>('textbox', { name: 'Master URL' }).value).toBe(location.origin)
  expect(card('Panel').queryByText(/^Links in emails need/)).toBeNull()
})

test('each provider shows its own fields only', async () => {
  const { user, card } = await open()
  const fields = () =>
    card('Email')
      .queryAllByRole('textbox')
      .map((field) => (field as HTMLInputElement).labels?.[0]?.textContent)
  expect(fields()).toEqual([])

  await user.click(card('Email').getByRole('radio', { name: 'SMTP' }))
  expect(fields()).toEqual(['Sender address', 'Host and port', 'Username (optional)'])
  await user.click(card('Email').getByRole('radio', { name: 'Mailjet' }))
  expect(fields()).toEqual(['Sender address', 'Public key'])
  expect(card('Email').getByLabelText('Private key')).toBeDefined()
})

test('missing required fields of a provider are shown at the fields', async () => {
  const { user, card, panel } = await open()
  await user.click(card('Email').getByRole('radio', { name: 'SMTP' }))
  await user.type(card('Email').getByRole('textbox', { name: 'Host and port' }), 'no host')
  await user.click(card('Email').getByRole('button', { name: 'Save' }))

  expect(card('Email').getByText('Sender address is required')).toBeDefined()
  expect(card('Email').getByText('Host and port must be a valid IP or FQDN')).toBeDefined()
  expect(document.activeElement).toBe(card('Email').getByRole('textbox', { name: 'Sender address' }))
  expect(panel.requests(postSettings)).toHaveLength(0)
})

test('an error of the panel is shown at its field', async () => {
  const { user, card, panel } = await open()
  panel.respond(postSettings, new Refusal('ErrFieldInvalid', { field: 'panel.settings.companyName' }))
  await user.type(card('Panel').getByRole('textbox', { name: 'Company name' }), 'Oak')
  await user.click(card('Panel').getByRole('button', { name: 'Save' }))

  await card('Panel').findByText('Company name is invalid')
})

const smtp = {
  'panel.email.provider': 'smtp',
  'panel.email.from': 'inn@example.net',
  'panel.email.host': 'mail.example.net',
  'panel.email.password': 'hush',
} as const

test('a secret is never shown; it can be replaced, and removed where it is optional', async () => {
  const { user, card, panel } = await open({ values: smtp })
  expect(card('Email').getByText('Set. Never shown.')).toBeDefined()
  expect(card('Email').queryByLabelText('Password (optional)')).toBeNull()

  await user.click(card('Email').getByRole('button', { name: 'Replace' }))
  expect(card('Email').queryByText(/unsaved/)).toBeNull()
  await user.keyboard('louder')
  await user.click(card('Email').getByRole('button', { name: 'Save' }))
  await card('Email').findByText('Set. Never shown.')
  await user.click(card('Email').getByRole('button', { name: 'Remove' }))
  await user.click(card('Email').getByRole('button', { name: 'Save' }))

  await card('Email').findByLabelText('Password (optional)')
  expect(panel.requests(postSettings).map(({ body }) => body)).toEqual([
    { 'panel.email.password': 'louder' },
    { 'panel.email.password': '' },
  ])
})

test('a test email shows the response of the provider', async () => {
  const { user, card, panel } = await open({ values: smtp })
  panel.respond(sendTestMail, { delivered: false, answer: '535 5.7.8 authentication failed' })
  await user.click(card('Email').getByRole('button', { name: 'Send test email' }))
  const failure = await card('Email').findByRole('alert')
  expect(failure.textContent).toBe('Test email not sent.535 5.7.8 authentication failed')

  panel.respond(sendTestMail, { delivered: true, answer: '250 2.0.0 queued as 4F2' })
  await user.click(card('Email').getByRole('button', { name: 'Send test email' }))

  await card('Email').findByText('The mail server accepted the test email to mara@example.net.')
  expect(card('Email').getByText('250 2.0.0 queued as 4F2')).toBeDefined()
})

test('changes are saved before a test email is sent', async () => {
  const { user, card, panel } = await open({ values: smtp })
  panel.respond(sendTestMail, { delivered: true, answer: '250 queued' })
  await user.type(card('Email').getByRole('textbox', { name: 'Host and port' }), ':2525')
  await user.click(card('Email').getByRole('button', { name: 'Save and send test email' }))

  await card('Email').findByText('250 queued')
  expect(panel.requests(postSettings)[0]?.body).toEqual({ 'panel.email.host': 'mail.example.net:2525' })
})

test('a test email that also saves the provider shows the response', async () => {
  const { user, card, panel } = await open()
  panel.respond(sendTestMail, { delivered: true, answer: '250 queued' })
  await user.click(card('Email').getByText('SMTP', { exact: true }))
  await user.type(card('Email').getByRole('textbox', { name: 'Sender address' }), 'inn@example.net')
  await user.type(card('Email').getByRole('textbox', { name: 'Host and port' }), 'mail.example.net')
  await user.click(card('Email').getByRole('button', { name: 'Save and send test email' }))

  await card('Email').findByText('250 queued')
})

test('the default theme can be selected when there are several', async () => {
  const panel = aPanel()
  panel.respond(getConfig, aConfig({ themes: { active: 'Innkeeper', available: ['Innkeeper', 'Harbour'] } }))
  await openApp('/settings', { as: admin, panel })

  const theme = within(await screen.findByRole('form', { name: 'Theme' }))
  expect(theme.getByRole<HTMLInputElement>('combobox', { name: 'Default theme' }).value).toBe('Innkeeper')
})

const failed: QueuedMail = {
  id: '7c3b7a36-6a0d-4a5c-9a57-0f8d5a3f1c11',
  kind: 'invite',
  to: 'wren@example.net',
  state: 'failed',
  tries: 6,
  createdAt: '2026-11-20T10:00:00Z',
  endedAt: '2026-11-21T10:00:00Z',
  lastError: 'connect ECONNREFUSED 192.0.2.1:587',
}

test('a failed email shows its error, is counted in the navigation, and can be retried', async () => {
  const { user, panel } = await open({ mail: [failed] })
  panel.respond(retryMail, undefined)

  await screen.findByText('connect ECONNREFUSED 192.0.2.1:587')
  expect(screen.getByRole('img', { name: '1 failed email' })).toBeDefined()
  await user.click(screen.getByRole('button', { name: 'Try again: Invitation to wren@example.net' }))

  await waitFor(() => expect(panel.requests(retryMail)[0]?.path).toBe(`/api/mail/${failed.id}/retry`))
})

test('an email is deleted after a confirmation', async () => {
  const { user, panel } = await open({ mail: [failed] })
  panel.respond(deleteMail, undefined)

  await user.click(await screen.findByRole('button', { name: 'Delete: Invitation to wren@example.net' }))
  const dialog = within(await screen.findByRole('dialog'))
  expect(panel.requests(deleteMail)).toHaveLength(0)
  await user.click(dialog.getByRole('button', { name: 'Delete email' }))

  await waitFor(() => expect(panel.requests(deleteMail)).toHaveLength(1))
})

test('the default retention of the panel is shown and saved', async () => {
  const { panel, user } = await open()
  panel.respond(putPanelRetention, undefined)
  const card = within(await screen.findByRole('form', { name: 'Backups' }))

  const daily = await card.findByRole('textbox', { name: 'Daily' })
  await user.clear(daily)
  await user.type(daily, '7')
  await user.click(card.getByRole('button', { name: 'Save' }))

  await waitFor(() => {
    expect(panel.requests(putPanelRetention).map(({ body }) => body)).toEqual([{ ...keepEverything, daily: 7 }])
  })
})
