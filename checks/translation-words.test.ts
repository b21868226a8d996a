import { languages } from '@innkeeper/contract/text/languages'
import { describe, expect, test } from 'vitest'
import { mailCatalog, translatedCatalog } from '../tools/catalogs.ts'
import { files } from './sources.ts'
import { otherAddress, quotationMarks, replacedWords, termKeys } from './translation-words.ts'

const terms = termTable()

describe.each(Object.keys(quotationMarks).filter((language) => language !== 'en_US'))('%s', (language) => {
  const app = translatedCatalog(language)
  const texts = [...app, ...mailCatalog(language)]

  test('calls a thing by one word, in the web app and in emails', () => {
    const words = Object.entries(replacedWords[language] ?? {})

    const found = words.flatMap(([word, instead]) =>
      texts
        .filter(([, text]) => beginsWord(word).test(text))
        .map(([key]) => `${key}: “${word}” is called “${instead}” elsewhere`),
    )

    expect(found).toEqual([])
  })

  test('addresses the user in one way', () => {
    const words = otherAddress[language] ?? []

    const found = texts.filter(([, text]) => words.some((word) => beginsWord(`${word}_`).test(text)))

    expect(found).toEqual([])
  })

  test('has the quotation marks of the language', () => {
    const others = new RegExp(
      `[${[...'“”„«»‘「」『』״'].filter((mark) => !quotationMarks[language]?.includes(mark)).join('')}]`,
    )

    expect(texts.filter(([, text]) => others.test(text))).toEqual([])
  })

  test('shows the terms of docs/translating.md', () => {
    const shown = Object.entries(termKeys).map(([column, key]) => [column, app.get(key)])

    expect(Object.fromEntries(shown)).toEqual(terms.get(language))
  })
})

test('the check finds replaced words and another address', () => {
  expect(beginsWord('Knoten').test('Dem Knoten fehlt Platz')).toBe(true)
  expect(beginsWord('nó_').test('Os nós e o anónimo')).toBe(false)
  expect(beginsWord('du_').test('Kannst du es sehen?')).toBe(true)
  expect(beginsWord('du_').test('Während der Dauer')).toBe(false)
  expect(beginsWord('你').test('因此你可以')).toBe(true)
})

/** Every language has its quotation marks in the list. */
test('every language is checked', () => {
  expect(Object.keys(quotationMarks).sort()).toEqual([...languages].sort())
})

function beginsWord(word: string): RegExp {
  // Chinese, Japanese and Korean write words together, and Arabic and Hebrew put letters before them.
  const isJoined = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u.test(word)
  const escaped = word.replace(/_$/, '')
  return new RegExp(`${isJoined ? '' : '(?<!\\p{L})'}${escaped}${word.endsWith('_') ? '(?!\\p{L})' : ''}`, 'iu')
}

/** The terms of `docs/translating.md` by language and column. */
function termTable(): ReadonlyMap<string, Record<string, string>> {
  const [page] = files('docs/translating.md')
  const rows = (page?.text ?? '').split('\n').filter((line) => line.startsWith('| ') && line.split('|').length > 10)
  const [head = [], ...body] = rows.map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
  const columns = head.slice(1)
  return new Map(
    body.map(([language = '', ...words]) => [
      language,
      Object.fromEntries(columns.map((column, index) => [column, words[index] ?? ''])),
    ]),
  )
}
