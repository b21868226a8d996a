import { deleteMail, listMail, type QueuedMail, retryMail } from '@innkeeper/contract/mail'
import { getConfig } from '@innkeeper/contract/panel'
import { Refusal } from '@innkeeper/contract/refusals'
import {
  listSettings,
  postSettings,
  type Setting,
  type SettingKey,
  type SettingValues,
  secretSettings,
  sendTestMail,
  settingDefaults,
  settingKeys,
} from '@innkeeper/contract/settings'
import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { FakePanel } from '../../testing/fake-panel.ts'
import { openApp } from '../../testing/open-app.tsx'
import { aConfig } from '../../testing/samples.ts'

const admin = ['servers.admin']

interface House {
  readonly values?: Partial<SettingValues>
  readonly fixed?: readonly SettingKey[]
  readonly mail?: readonly QueuedMail[]
}

/** A panel that keeps what it is told. */
function aPanel(
  { values = {}, fixed = [], mail = [] }: House = {},
  kept: Record<string, string | boolean> = {},
): FakePanel {
  const panel = new FakePanel()
  Object.assign(kept, settingDefaults, values)
  const settingOf = (key: SettingKey): Setting => ({
    value: secretSettings.includes(key) ? '' : (kept[key] ?? ''),
    isSet: kept[key] !== settingDefaults[key],
    isFixed: fixed.includes(key),
  })
  panel.answer(
    listSettings,
    () => Object.fromEntries(settingKeys.map((key) => [key, settingOf(key)])) as Record<SettingKey, Setting>,
  )
  panel.answer(postSettings, ({ body }) => {
    Object.assign(kept, body)
    return undefined
  })
  panel.version(listSettings, postSettings, () => `"${JSON.stringify(kept)}"`)
  panel.answer(listMail, {
    mail: [...mail],
    paging: { page: 1, pageSize: 10, maxSize: 100, total: mail.length },
    counts: { waiting: 0, sending: 0, sent: 0, failed: mail.filter(({ state }) => state === 'failed').length },
  })
  return panel
}

async function open(house?: House, as: readonly string[] = admin) {
  const kept: Record<string, string | boolean> = {}
  const panel = aPanel(house, kept)
  const opened = await openApp('/settings', { as, panel })
  await screen.findByRole('form', { name: 'Email' })
  const card = (name: string) => within(screen.getByRole('form', { name }))
  return { ...opened, card, kept }
}

test('g c leads to the settings', async () => {
  const { user, path } = await openApp('/account', { as: admin, panel: aPanel() })
  await screen.findByRole('heading', { name: 'Account' })

  await user.keyboard('gc')

  await waitFor(() => expect(path()).toBe('/settings'))
})

test('who may not change settings has no entry, and no page', async () => {
  const { panel } = await openApp('/settings', { as: ['servers.view'], panel: aPanel() })

  await screen.findByText('You cannot see this page')
  expect(screen.queryByRole('link', { name: 'Settings' })).toBeNull()
  expect(panel.asked(listSettings)).toHaveLength(0)
})

test('a card sends only what was changed, and says how much waits', async () => {
  const { user, card, panel } = await open()
  expect(card('Panel').queryByRole('button', { name: 'Save' })).toBeNull()

  await user.type(card('Panel').getByRole('textbox', { name: 'Company name' }), 'Oak Valley')
  await user.click(card('Panel').getByRole('switch', { name: 'Let people register themselves' }))
  expect(card('Panel').getByText('2 unsaved changes')).toBeDefined()
  expect(card('Email').queryByText(/unsaved/)).toBeNull()
  await user.click(card('Panel').getByRole('button', { name: 'Save' }))

  await waitFor(() => expect(card('Panel').queryByText(/unsaved/)).toBeNull())
  expect(panel.asked(postSettings)[0]?.body).toEqual({
    'panel.settings.companyName': 'Oak Valley',
    'panel.registrationEnabled': true,
  })
})

test('what is typed into a card while it is saved stays', async () => {
  const { user, card, panel } = await open()
  const end = panel.hold(postSettings)
  const name = card('Panel').getByRole<HTMLInputElement>('textbox', { name: 'Company name' })
  await user.type(name, 'Inn')
  await user.click(card('Panel').getByRole('button', { name: 'Save' }))
  await user.type(name, ' at the sea')

  end()

  await screen.findByText('Saved')
  expect(name.value).toBe('Inn at the sea')
  expect(card('Panel').getByText('1 unsaved change')).toBeTruthy()
  expect(panel.asked(postSettings).map(({ body }) => body)).toEqual([{ 'panel.settings.companyName': 'Inn' }])
})

test.each([
  ['Panel', 'Company name'],
  ['Email', 'Host'],
])('what was typed into the card %s is not left behind unasked', async (name, field) => {
  const { user, card, path } = await open({ values: { 'panel.email.provider': 'smtp' } })
  await user.type(card(name).getByRole('textbox', { name: new RegExp(field) }), 'x')

  await user.click(screen.getAllByRole('link', { name: 'Users' })[0] as HTMLElement)
  await user.click(await screen.findByRole('button', { name: 'Cancel' }))

  expect(path()).toBe('/settings')
})

test('a setting that somebody else changed too is shown with both values, others are taken over', async () => {
  const { user, card, panel, kept } = await open()
  await user.type(card('Panel').getByRole('textbox', { name: 'Company name' }), 'Mine')
  kept['panel.settings.companyName'] = 'Theirs'

  await user.click(card('Panel').getByRole('button', { name: 'Save' }))
  const notice = within(await screen.findByRole('alert'))

  expect(notice.getByText('Mine')).toBeTruthy()
  expect(notice.getByText('Theirs')).toBeTruthy()
  await user.click(notice.getByRole('button', { name: 'Keep yours' }))
  await user.click(card('Panel').getByRole('button', { name: 'Save' }))
  await screen.findByText('Saved')
  expect(kept['panel.settings.companyName']).toBe('Mine')
  expect(panel.asked(postSettings)).toHaveLength(2)
})

test('a master URL that the environment sets is shown with the reason, and cannot be typed over', async () => {
  const { card } = await open({
    values: { 'panel.settings.masterUrl': 'https://panel.example.net' },
    fixed: ['panel.settings.masterUrl'],
  })

  const url = card('Panel').getByRole<HTMLInputElement>('textbox', { name: 'Master URL' })
  expect(url.value).toBe('https://panel.example.net')
  expect(url.readOnly).toBe(true)
  expect(card('Panel').getByText(/^Set by the environment/)).toBeDefined()
})

test('who is no administrator does not see who gets which mail', async () => {
  const { card, panel } = await open({ values: smtp }, ['panel.settings'])

  expect(card('Email')).toBeDefined()
  expect(screen.queryByText('Mail queue')).toBeNull()
  expect(panel.asked(listMail)).toEqual([])
})

test('who is no administrator sees where mail goes, and cannot change it', async () => {
  const { card } = await open({ values: smtp }, ['panel.settings'])
  const field = (form: string, name: string) => card(form).getByRole<HTMLInputElement>('textbox', { name })

  expect(field('Panel', 'Company name').readOnly).toBe(false)
  for (const [form, name] of [
    ['Panel', 'Master URL'],
    ['Email', 'Sender address'],
    ['Email', 'Host and port'],
  ] as const) {
    expect(field(form, name).readOnly, name).toBe(true)
  }
  expect(card('Email').queryByRole('button', { name: 'Replace' })).toBeNull()
  expect(card('Panel').queryByRole('button', { name: /^Use http/ })).toBeNull()
  expect(card('Email').getAllByText('Only administrators can change this.').length).toBeGreaterThan(1)
})

test('where mail is sent but its links lead nowhere, the panel says so and offers its address', async () => {
  const { user, card } = await open({ values: smtp })
  expect(card('Panel').getByText(/^Links in emails need the master URL/)).toBeDefined()

  await user.click(card('Panel').getByRole('button', { name: `Use ${location.origin}` }))

  expect(card('Panel').getByRole<HTMLInputElement>('textbox', { name: 'Master URL' }).value).toBe(location.origin)
  expect(card('Panel').queryByText(/^Links in emails need/)).toBeNull()
})

test('each provider asks for its own fields only', async () => {
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

test('what a provider cannot do without is asked for at its field', async () => {
  const { user, card, panel } = await open()
  await user.click(card('Email').getByRole('radio', { name: 'SMTP' }))
  await user.type(card('Email').getByRole('textbox', { name: 'Host and port' }), 'no host')
  await user.click(card('Email').getByRole('button', { name: 'Save' }))

  expect(card('Email').getByText('Sender address is required')).toBeDefined()
  expect(card('Email').getByText('Host and port must be a valid IP or FQDN')).toBeDefined()
  expect(document.activeElement).toBe(card('Email').getByRole('textbox', { name: 'Sender address' }))
  expect(panel.asked(postSettings)).toHaveLength(0)
})

test('what the panel objects to is told at the field', async () => {
  const { user, card, panel } = await open()
  panel.answer(postSettings, new Refusal('ErrFieldInvalid', { field: 'panel.settings.companyName' }))
  await user.type(card('Panel').getByRole('textbox', { name: 'Company name' }), 'Oak')
  await user.click(card('Panel').getByRole('button', { name: 'Save' }))

  await card('Panel').findByText('Company name is not valid')
})

const smtp = {
  'panel.email.provider': 'smtp',
  'panel.email.from': 'inn@example.net',
  'panel.email.host': 'mail.example.net',
  'panel.email.password': 'hush',
} as const

test('a secret is never shown; it can be replaced, and removed where it is optional', async () => {
  const { user, card, panel } = await open({ values: smtp })
  expect(card('Email').getByText('Set. It is never shown.')).toBeDefined()
  expect(card('Email').queryByLabelText('Password (optional)')).toBeNull()

  await user.click(card('Email').getByRole('button', { name: 'Replace' }))
  expect(card('Email').queryByText(/unsaved/)).toBeNull()
  await user.keyboard('louder')
  await user.click(card('Email').getByRole('button', { name: 'Save' }))
  await card('Email').findByText('Set. It is never shown.')
  await user.click(card('Email').getByRole('button', { name: 'Remove' }))
  await user.click(card('Email').getByRole('button', { name: 'Save' }))

  await card('Email').findByLabelText('Password (optional)')
  expect(panel.asked(postSettings).map(({ body }) => body)).toEqual([
    { 'panel.email.password': 'louder' },
    { 'panel.email.password': '' },
  ])
})

test('a test mail shows what the provider said', async () => {
  const { user, card, panel } = await open({ values: smtp })
  panel.answer(sendTestMail, { delivered: false, answer: '535 5.7.8 authentication failed' })
  await user.click(card('Email').getByRole('button', { name: 'Send a test mail' }))
  const failure = await card('Email').findByRole('alert')
  expect(failure.textContent).toBe('The test mail was not sent.535 5.7.8 authentication failed')

  panel.answer(sendTestMail, { delivered: true, answer: '250 2.0.0 queued as 4F2' })
  await user.click(card('Email').getByRole('button', { name: 'Send a test mail' }))

  await card('Email').findByText('The provider took the mail to mara@example.net.')
  expect(card('Email').getByText('250 2.0.0 queued as 4F2')).toBeDefined()
})

test('a test goes by what is saved: changes are saved first', async () => {
  const { user, card, panel } = await open({ values: smtp })
  panel.answer(sendTestMail, { delivered: true, answer: '250 queued' })
  await user.type(card('Email').getByRole('textbox', { name: 'Host and port' }), ':2525')
  await user.click(card('Email').getByRole('button', { name: 'Save and send a test mail' }))

  await card('Email').findByText('250 queued')
  expect(panel.asked(postSettings)[0]?.body).toEqual({ 'panel.email.host': 'mail.example.net:2525' })
})

test('the first test, which also chooses the provider, shows what was said', async () => {
  const { user, card, panel } = await open()
  panel.answer(sendTestMail, { delivered: true, answer: '250 queued' })
  await user.click(card('Email').getByText('SMTP', { exact: true }))
  await user.type(card('Email').getByRole('textbox', { name: 'Sender address' }), 'inn@example.net')
  await user.type(card('Email').getByRole('textbox', { name: 'Host and port' }), 'mail.example.net')
  await user.click(card('Email').getByRole('button', { name: 'Save and send a test mail' }))

  await card('Email').findByText('250 queued')
})

test('the default theme is asked for only where there is a choice', async () => {
  await open()
  expect(screen.queryByRole('form', { name: 'Theme' })).toBeNull()
})

test('where there are themes the default one can be chosen', async () => {
  const panel = aPanel()
  panel.answer(getConfig, aConfig({ themes: { active: 'Innkeeper', available: ['Innkeeper', 'Harbour'] } }))
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

test('a mail that was given up says why, counts at the sections, and can be tried again', async () => {
  const { user, panel } = await open({ mail: [failed] })
  panel.answer(retryMail, undefined)

  await screen.findByText('connect ECONNREFUSED 192.0.2.1:587')
  expect(screen.getByRole('img', { name: '1 mail failed' })).toBeDefined()
  await user.click(screen.getByRole('button', { name: 'Try again: Invitation to wren@example.net' }))

  await waitFor(() => expect(panel.asked(retryMail)[0]?.path).toBe(`/api/mail/${failed.id}/retry`))
})

test('a mail is deleted after a question', async () => {
  const { user, panel } = await open({ mail: [failed] })
  panel.answer(deleteMail, undefined)

  await user.click(await screen.findByRole('button', { name: 'Delete: Invitation to wren@example.net' }))
  const dialog = within(await screen.findByRole('dialog'))
  expect(panel.asked(deleteMail)).toHaveLength(0)
  await user.click(dialog.getByRole('button', { name: 'Delete mail' }))

  await waitFor(() => expect(panel.asked(deleteMail)).toHaveLength(1))
})
