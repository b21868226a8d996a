import { getConfig } from '@innkeeper/contract/settings/panel'
import {
  getLastBackup,
  getSetting,
  listSettings,
  postSettings,
  putSetting,
  type SettingKey,
  settingKeys,
} from '@innkeeper/contract/settings/settings'
import { builtInTheme } from '@innkeeper/contract/theme/names'
import { expect } from 'vitest'
import { TestPanel, test } from '../testing/test-panel.ts'
import { recordBackup } from './last-backup.ts'

const put = (
  testPanel: TestPanel,
  key: SettingKey,
  value: string | boolean,
  as: Awaited<ReturnType<TestPanel['admin']>>,
) => testPanel.send(putSetting, { params: { key }, body: { value } }, as)

test('the company name is in the public configuration', async ({ testPanel }) => {
  const admin = await testPanel.admin()

  const { status } = await put(testPanel, 'panel.settings.companyName', ' Northwind Games ', admin)

  expect(status).toBe(204)
  expect((await testPanel.send(getConfig, {})).answer.branding.name).toBe('Northwind Games')
  await put(testPanel, 'panel.settings.companyName', '', admin)
  expect((await testPanel.send(getConfig, {})).answer.branding.name).toBe('Innkeeper')
})

test('a secret can be written and not read', async ({ testPanel }) => {
  const admin = await testPanel.admin()
  await put(testPanel, 'panel.email.password', 'hunter2-hunter2', admin)

  const one = await testPanel.send(getSetting, { params: { key: 'panel.email.password' } }, admin)
  const all = await testPanel.send(listSettings, {}, admin)

  expect(one.answer).toEqual({ value: '', isSet: true, isFixed: false })
  expect(all.answer['panel.email.password']).toEqual({ value: '', isSet: true, isFixed: false })
  expect(all.answer['panel.email.key']).toEqual({ value: '', isSet: false, isFixed: false })
  expect(Object.keys(all.answer).sort()).toEqual([...settingKeys].sort())
  expect(JSON.stringify(all.answer)).not.toContain('hunter2')
})

test('registration is a flag, also as form text', async ({ testPanel }) => {
  const admin = await testPanel.admin()

  await put(testPanel, 'panel.registrationEnabled', 'false', admin)
  const off = await testPanel.send(getSetting, { params: { key: 'panel.registrationEnabled' } }, admin)
  const wrong = await put(testPanel, 'panel.registrationEnabled', 'perhaps', admin)

  expect(off.answer.value).toBe(false)
  expect((await testPanel.send(getConfig, {})).answer.registrationEnabled).toBe(false)
  expect([wrong.status, wrong.metadata.field]).toEqual([400, 'panel.registrationEnabled'])
})

test('several settings are stored atomically', async ({ testPanel }) => {
  const admin = await testPanel.admin()

  const refused = await testPanel.send(
    postSettings,
    { body: { 'panel.settings.companyName': 'Half', 'panel.email.from': 'nobody' } },
    admin,
  )
  const done = await testPanel.send(
    postSettings,
    { body: { 'panel.email.provider': 'smtp', 'panel.email.host': 'mail.example.org', 'panel.email.key': 'k' } },
    admin,
  )

  expect([refused.refusal, refused.metadata.field]).toEqual(['ErrFieldNotEmail', 'panel.email.from'])
  expect((await testPanel.send(getConfig, {})).answer.branding.name).toBe('Innkeeper')
  expect(done.status).toBe(204)
  const { answer } = await testPanel.send(listSettings, {}, admin)
  expect(answer['panel.email.host'].value).toBe('mail.example.org')
})

/** Who may read and write each setting, written independently of the table. */
const rules: Readonly<Record<SettingKey, { readonly read: boolean; readonly clerkWrites: boolean }>> = {
  'panel.settings.companyName': { read: true, clerkWrites: true },
  'panel.settings.defaultTheme': { read: true, clerkWrites: true },
  'panel.settings.masterUrl': { read: true, clerkWrites: false },
  'panel.settings.templateIndex': { read: true, clerkWrites: false },
  'panel.registrationEnabled': { read: true, clerkWrites: true },
  'panel.secondFactor.required': { read: true, clerkWrites: false },
  'panel.secondFactor.from': { read: true, clerkWrites: false },
  'panel.email.provider': { read: true, clerkWrites: false },
  'panel.email.from': { read: true, clerkWrites: false },
  'panel.email.domain': { read: true, clerkWrites: false },
  'panel.email.host': { read: true, clerkWrites: false },
  'panel.email.key': { read: false, clerkWrites: false },
  'panel.email.username': { read: true, clerkWrites: false },
  'panel.email.password': { read: false, clerkWrites: false },
  'panel.dns.provider': { read: true, clerkWrites: false },
  'panel.dns.zone': { read: true, clerkWrites: false },
  'panel.dns.server': { read: true, clerkWrites: false },
  'panel.dns.url': { read: true, clerkWrites: false },
  'panel.dns.keyName': { read: true, clerkWrites: false },
  'panel.dns.key': { read: false, clerkWrites: false },
}
const samples: Partial<Record<SettingKey, string>> = {
  'panel.settings.masterUrl': 'https://panel.example.org',
  'panel.settings.templateIndex': 'https://templates.example.org',
  'panel.registrationEnabled': 'true',
  'panel.secondFactor.required': 'nobody',
  'panel.secondFactor.from': '2027-01-31',
  'panel.email.provider': 'smtp',
  'panel.email.from': 'panel@example.org',
  'panel.dns.provider': 'powerdns',
  'panel.dns.url': 'http://127.0.0.1:8081',
}

test.for(settingKeys)('%s is read and written by whom the rules allow', async (key, { testPanel }) => {
  const admin = await testPanel.admin()
  const clerk = await testPanel.createUser({ scopes: ['panel.settings'] })
  const other = await testPanel.createUser({ scopes: ['users.view', 'servers.view'] })
  const stored = samples[key] ?? (key === 'panel.settings.defaultTheme' ? builtInTheme : 'sample')
  const { read, clerkWrites } = rules[key]
  const storedRows = () => testPanel.db.selectFrom('settings').selectAll().orderBy('key').execute()

  expect((await put(testPanel, key, stored, admin)).status).toBe(204)
  const before = await storedRows()
  for (const as of [admin, clerk]) {
    const one = await testPanel.send(getSetting, { params: { key } }, as)
    const all = await testPanel.send(listSettings, {}, as)
    expect([String(one.answer.value), one.answer.isSet]).toEqual([read ? stored : '', true])
    expect(all.answer[key]).toEqual(one.answer)
  }
  const written = [
    await put(testPanel, key, stored, clerk),
    await testPanel.request('POST', '/api/settings', { [key]: stored }, clerk),
  ]
  const expected = clerkWrites ? [204, undefined] : [403, 'servers.admin']
  for (const { status, metadata } of written) expect([status, metadata?.scope]).toEqual(expected)
  const byOther = [
    await testPanel.send(getSetting, { params: { key } }, other),
    await testPanel.send(listSettings, {}, other),
    await put(testPanel, key, '', other),
    await testPanel.request('POST', '/api/settings', { [key]: '' }, other),
  ]
  expect(byOther.map(({ status, metadata }) => [status, metadata.scope])).toEqual(
    byOther.map(() => [403, 'panel.settings']),
  )
  expect(await storedRows()).toEqual(before)
})

test('a change of several settings, one of which is for administrators, stores none', async ({ testPanel }) => {
  const clerk = await testPanel.createUser({ scopes: ['panel.settings'] })
  const body = { 'panel.settings.companyName': 'Inn', 'panel.email.host': 'mail.example.org' }

  const { status } = await testPanel.send(postSettings, { body }, clerk)

  expect(status).toBe(403)
  expect(await testPanel.db.selectFrom('settings').select('key').execute()).not.toContainEqual({
    key: 'panel.settings.companyName',
  })
})

test('an unknown setting and an unknown provider are rejected', async ({ testPanel }) => {
  const admin = await testPanel.admin()

  expect((await testPanel.request('GET', '/api/settings/panel.web.host', undefined, admin)).status).toBe(404)
  expect((await testPanel.request('PUT', '/api/settings/__proto__', { value: 'x' }, admin)).status).toBe(404)
  expect((await testPanel.request('POST', '/api/settings', { 'panel.web.host': 'x' }, admin)).refusal).toBe(
    'ErrFieldInvalid',
  )
  const provider = await put(testPanel, 'panel.email.provider', 'pigeon', admin)
  expect([provider.refusal, provider.metadata.provider]).toEqual(['ErrServiceInvalidProvider', 'pigeon'])
})

test('the time of the last backup is known when there is one, and does not appear among the settings', async ({
  testPanel,
}) => {
  const url = testPanel.databaseUrl
  const admin = await testPanel.admin()

  const before = await testPanel.send(getLastBackup, {}, admin)
  await recordBackup(url, Date.parse('2026-11-25T09:57:22Z'))
  await recordBackup(url, Date.parse('2026-11-26T09:57:22Z'))
  const after = await testPanel.send(getLastBackup, {}, admin)
  const withoutScope = await testPanel.send(getLastBackup, {}, await testPanel.createUser())

  expect([before.answer, after.answer]).toEqual([{}, { lastBackupAt: '2026-11-26T09:57:22.000Z' }])
  expect(withoutScope.status).toBe(403)
  const { answer } = await testPanel.send(listSettings, {}, admin)
  expect(Object.keys(answer).sort()).toEqual([...settingKeys].sort())
})

test('the master URL of the environment takes precedence, and is marked in the response', async () => {
  const testPanel = await TestPanel.start({ masterUrl: 'https://panel.example.org' })
  const admin = await testPanel.admin()

  await put(testPanel, 'panel.settings.masterUrl', 'https://other.example.org', admin)

  const { answer } = await testPanel.send(getSetting, { params: { key: 'panel.settings.masterUrl' } }, admin)
  expect(answer).toEqual({ value: 'https://panel.example.org', isSet: true, isFixed: true })
  await testPanel.stop()
})

test('a setting stored by another panel applies when the cache has expired', async () => {
  let time = Date.now()
  const testPanel = await TestPanel.start({ now: () => time })
  expect((await testPanel.send(getConfig, {})).answer.branding.name).toBe('Innkeeper')
  await testPanel.db.insertInto('settings').values({ key: 'panel.settings.companyName', value: 'Elsewhere' }).execute()

  const before = (await testPanel.send(getConfig, {})).answer.branding.name
  time += 1_001
  const after = (await testPanel.send(getConfig, {})).answer.branding.name

  expect([before, after]).toEqual(['Innkeeper', 'Elsewhere'])
  await testPanel.stop()
})
