import { expect, test } from 'vitest'
import { closestLanguage, getDirection, getTag, isLanguage, languages } from './languages.ts'

test.each([
  ['de', 'de_DE'],
  ['de-AT', 'de_DE'],
  ['en-GB', 'en_US'],
  ['es', 'es_ES'],
  ['es-MX', 'es_419'],
  ['pt', 'pt_BR'],
  ['pt-AO', 'pt_PT'],
  ['nb-NO', 'no_NO'],
  ['nn', 'no_NO'],
  ['iw', 'he_IL'],
  ['in', 'id_ID'],
  ['sr', 'sr_SP'],
  ['sr-Latn-RS', 'sr_SP'],
  ['zh', 'zh_CN'],
  ['zh-SG', 'zh_CN'],
  ['zh-Hant', 'zh_TW'],
  ['zh-TW', 'zh_TW'],
  ['zh-Hant-HK', 'zh_HK'],
  ['zh-MO', 'zh_HK'],
])('the closest language for %s is %s', (tag, language) => {
  expect(closestLanguage([tag], languages)).toBe(language)
})

test('the first supported tag wins, and no tag falls back to another language', () => {
  expect(closestLanguage(['tlh', '*', 'not a tag', 'fi-FI', 'sv'], languages)).toBe('fi_FI')
  expect(closestLanguage(['tlh'], languages)).toBeUndefined()
  expect(closestLanguage([], languages)).toBeUndefined()
})

test('every language has a BCP 47 tag and a direction', () => {
  for (const language of languages) {
    expect(Intl.DateTimeFormat.supportedLocalesOf(getTag(language))).toHaveLength(1)
    expect(new Intl.Locale(getTag(language)).maximize().region).toMatch(/^(?!SP)[A-Z]{2}$|^419$/)
  }
  expect(languages.filter((language) => getDirection(language) === 'rtl')).toEqual(['ar_SA', 'he_IL'])
  expect([isLanguage('sr_SP'), isLanguage('sr-RS'), isLanguage('__proto__')]).toEqual([true, false, false])
})
