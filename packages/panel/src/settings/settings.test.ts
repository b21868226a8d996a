import { getConfig } from '@innkeeper/contract/panel'
import {
  adminSettings,
  getLastBackup,
  getSetting,
  listSettings,
  postSettings,
  putSetting,
  type SettingKey,
  settingKeys,
} from '@innkeeper/contract/settings'
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

test.for(adminSettings)(
  '%s is for administrators, because the mail settings give access to all accounts',
  async (key, { testPanel }) => {
    const clerk = await testPanel.createUser({ scopes: ['panel.settings'] })
    const before = await testPanel.db.selectFrom('settings').selectAll().execute()

    const one = await put(testPanel, key, '', clerk)
    const many = await testPanel.request(
      'POST',
      '/api/settings',
      { 'panel.settings.companyName': 'Inn', [key]: '' },
      clerk,
    )

    for (const { status, refusal, metadata } of [one, many]) {
      expect([status, refusal, metadata.scope]).toEqual([403, 'ErrMissingScope', 'servers.admin'])
    }
    expect(await testPanel.db.selectFrom('settings').selectAll().execute()).toEqual(before)
    expect((await put(testPanel, 'panel.settings.companyName', 'Our inn', clerk)).status).toBe(204)
    expect((await put(testPanel, 'panel.registrationEnabled', false, clerk)).status).toBe(204)
  },
)

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
  const nobody = await testPanel.send(getLastBackup, {}, await testPanel.createUser())

  expect([before.answer, after.answer]).toEqual([{}, { lastBackupAt: '2026-11-26T09:57:22.000Z' }])
  expect(nobody.status).toBe(403)
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
