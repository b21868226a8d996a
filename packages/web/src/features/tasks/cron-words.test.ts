import { languages } from '@innkeeper/contract/languages'
import { expect, onTestFinished, test, vi } from 'vitest'
import { loadWording, wordingOf } from './cron-words.ts'

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
  // Languages that the library does not have.
  ['el_GR', 'en'],
  ['et_EE', 'en'],
  ['lt_LT', 'en'],
])('schedules in %s are described in %s', (language, wording) => {
  expect(wordingOf(language)).toBe(wording)
})

test('a schedule is said in the language of the person, and with its clock', async () => {
  const [english, german, chinese] = await Promise.all(['en_US', 'de_DE', 'zh_HK'].map(loadWording))

  expect(english?.('30 6 ? * 1,4')).toBe('At 06:30 AM, only on Monday and Thursday')
  expect(german?.('30 18 ? * 1,4')).toBe('Um 18:30, nur jeden Montag und Donnerstag')
  expect(chinese?.('30 18 */1 * ?')).toBe('在 18:30')
  expect(english?.('nonsense')).toBeUndefined()
})

test('every language of the product has its words without a complaint of the library', async () => {
  const complaint = vi.spyOn(console, 'warn')
  onTestFinished(() => complaint.mockRestore())

  const said = await Promise.all(languages.map(async (language) => (await loadWording(language))('0 4 2 */3 ?')))

  expect(said.filter((words) => !words)).toEqual([])
  expect(complaint.mock.calls).toEqual([])
})
