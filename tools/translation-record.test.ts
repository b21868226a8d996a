import { expect, test } from 'vitest'
import { expectedKeys } from './catalogs.ts'
import { compareKeys, staleTexts, withNewTexts, withTranslated } from './translation-record.ts'

const english = new Map([
  ['files.Open', 'new'],
  ['files.Move', 'same'],
  ['files.Added', 'first'],
])
const record = withNewTexts(
  english,
  new Map([
    ['files.Open', 'old'],
    ['files.Move', 'same'],
    ['files.Removed', 'gone'],
  ]),
)

test('a text whose English changed is stale in every language, and a new one is not', () => {
  expect([...record.keys()]).toEqual(['files.Open', 'files.Move', 'files.Added'])
  expect(staleTexts(english, record)).toEqual([
    { key: 'files.Open', languages: expect.arrayContaining(['de_DE', 'zh_TW']) },
  ])
})

test('a text stays stale in the languages in which it was not translated again', () => {
  const german = withTranslated(english, record, { keys: ['files.Open'], languages: ['de_DE'] })

  expect(staleTexts(english, german)[0]?.languages).not.toContain('de_DE')
  expect(staleTexts(english, german)[0]?.languages).toContain('fr_FR')
  expect(staleTexts(new Map([...english, ['files.Open', 'newer']]), german)[0]?.languages).toContain('de_DE')
})

test('a text is recorded with one hash when all languages are of the same English', () => {
  const german = withTranslated(english, record, { keys: ['files.Open'], languages: ['de_DE'] })

  const all = withTranslated(english, german, { keys: ['files.Open'] })

  expect(all.get('files.Open')).toBe('new')
  expect(staleTexts(english, all)).toEqual([])
})

test('a translation has each text, with the plural forms of its language', () => {
  const texts = new Map([
    ['files.Count_one', '{count} file'],
    ['files.Count_other', '{count} files'],
    ['files.Title', 'Files'],
  ])
  const expected = ['files.Count_one', 'files.Count_few', 'files.Count_many', 'files.Count_other', 'files.Title']

  expect(expectedKeys('pl_PL', texts)).toEqual(expected)
  expect(compareKeys(expected, ['files.Count_one', 'files.Count_other', 'files.Gone'])).toEqual({
    missing: ['files.Count', 'files.Title'],
    unused: ['files.Gone'],
  })
})
