import { expect, test } from 'vitest'
import { acceptedLanguage } from './accepted-language.ts'

test.each([
  ['de', 'de_DE'],
  ['en;q=0.5, cs-CZ, sk;q=0.9', 'cs_CZ'],
  ['tlh, ja;q=0.1', 'ja_JP'],
  ['fr;q=0, it;q=0.3', 'it_IT'],
  ['*', undefined],
  ['', undefined],
  ['de;q=x', undefined],
  ['\u0000;;;,,,q=,zh_TW', undefined],
  [`${'x,'.repeat(5_000)}de`, undefined],
])('%j asks for %s', (header, language) => {
  expect(acceptedLanguage(header)).toBe(language)
})
