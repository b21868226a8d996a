import { languages } from '@innkeeper/contract/text/languages'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createFormatters } from '../../i18n/formatters.ts'
import { createI18n, type TFunction } from '../../i18n/i18n.tsx'
import { describeSimpleCron, getCronLocale, loadCronDescriptions } from './cron-description.ts'

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

async function loadEnglish(): Promise<TFunction> {
  const i18n = await createI18n('en_US')
  return (key, values = {}) => i18n.t(key, values)
}

test.each([
  ['5 */1 * * ?', 'Every hour at minute 5'],
  ['5 */6 * * ?', 'Every 6 hours at minute 5'],
  ['0 4 */1 * ?', 'Every day at 4:00 AM'],
  ['30 18 */2 * ?', 'Every 2 days at 6:30 PM'],
  ['30 3 ? * 1', 'Mondays at 3:30 AM'],
  ['30 3 * * sun,mon,thu', 'Mondays, Thursdays, and Sundays at 3:30 AM'],
  ['0 0 15 */1 ?', 'Every month on day 15 at 12:00 AM'],
  ['0 0 15 */3 ?', 'Every 3 months on day 15 at 12:00 AM'],
  ['@daily', 'Every day at 12:00 AM'],
])('a schedule of the forms is a plain sentence: %s', async (expression, sentence) => {
  const t = await loadEnglish()

  const description = describeSimpleCron(t, createFormatters('en-US', t), expression)

  expect(description?.replaceAll(/\s/g, ' ')).toBe(sentence)
})

test('times are in the clock format of the language', async () => {
  const t = await loadEnglish()

  expect(describeSimpleCron(t, createFormatters('de-DE', t), '30 18 */1 * ?')).toBe('Every day at 18:30')
})

test.each(['0 4 1 1 *', '*/5 * * * *', '0 0 31 * 1', '*/10 * * * * *', 'nonsense'])(
  'a schedule that no form can represent is left to the library: %s',
  async (expression) => {
    const t = await loadEnglish()

    expect(describeSimpleCron(t, createFormatters('en-US', t), expression)).toBeUndefined()
  },
)
