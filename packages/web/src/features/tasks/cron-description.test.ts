import { languages } from '@innkeeper/contract/languages'
import { expect, onTestFinished, test, vi } from 'vitest'
import { getCronLocale, loadCronDescriptions } from './cron-description.ts'

test.each([
  ['en_US', 'en'],
  ['de_DE', 'de'],
  ['es_419', 'es'],
  ['no_NO', 'nb'],
  ['pt_BR', 'pt_BR'],
  ['pt_PT', 'pt_PT'],
  ['sr_SP', 'sr'],
  ['zh_CN', 'zh_CN'],
  ['zh_TW', 'zh_TW'],
  ['zh_HK', 'zh_TW'],
  // Languages without a translation.
  ['el_GR', 'en'],
  ['et_EE', 'en'],
  ['lt_LT', 'en'],
])('schedules in %s are described in %s', (language, wording) => {
  expect(getCronLocale(language)).toBe(wording)
})

test('a schedule is described in the language of the user, with its clock format', async () => {
  const [english, german, chinese] = await Promise.all(['en_US', 'de_DE', 'zh_HK'].map(loadCronDescriptions))

  expect(english?.('30 6 ? * 1,4')).toBe('At 06:30 AM, only on Monday and Thursday')
  expect(german?.('30 18 ? * 1,4')).toBe('Um 18:30, nur jeden Montag und Donnerstag')
  expect(chinese?.('30 18 */1 * ?')).toBe('在 18:30')
  expect(english?.('nonsense')).toBeUndefined()
})

test('every language has a description and no warning of the library', async () => {
  const warn = vi.spyOn(console, 'warn')
  onTestFinished(() => warn.mockRestore())

  const descriptions = await Promise.all(
    languages.map(async (language) => (await loadCronDescriptions(language))('0 4 2 */3 ?')),
  )

  expect(descriptions.filter((description) => !description)).toEqual([])
  expect(warn.mock.calls).toEqual([])
})
