import { globSync } from 'node:fs'
import { basename } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  appTranslations,
  baseKey,
  englishCatalog,
  expectedKeys,
  mailTranslations,
  sameAsEnglish,
  translatedCatalog,
} from '../tools/catalogs.ts'
import { root } from '../tools/commands.ts'
import { translated } from '../tools/translation-record.ts'
import { placeholders } from './texts.ts'

// Missing and stale translations do not fail here: `npm run translations` lists them, and `npm run package` fails.

const english = englishCatalog()
const allowedSame = sameAsEnglish()

test.each([appTranslations, mailTranslations])('%s has a file for every language, and no other', (folder) => {
  const codes = globSync(`${folder}/*_*.json`, { cwd: root }).map((path) => basename(path, '.json'))

  expect(codes.sort()).toEqual([...translated].sort())
})

describe.each(translated)('%s', (language) => {
  const texts = existing(language)

  test('has the same placeholders as the English text', () => {
    expect([...texts].flatMap(([key, text]) => partProblems(key, text))).toEqual([])
  })

  test('has no empty or untranslated text', () => {
    const allowed = new Set([...(allowedSame.all ?? []), ...(allowedSame[language] ?? [])])
    const left = [...texts].filter(
      ([key, text]) => text.trim() === '' || (text === englishFor(key) && hasWords(text) && !allowed.has(text)),
    )

    expect(left, 'translate them, or list them in packages/web/translations/same-as-english.json').toEqual([])
  })

  test('writes units as sizes are shown', () => {
    const wrong = [...texts].filter(([key]) => {
      const unit = /\b[KMGT]iB\b/.exec(englishFor(key))?.[0]
      return unit !== undefined && !texts.get(key)?.includes(texts.get(`units.${unit}`) ?? unit)
    })

    expect(wrong).toEqual([])
  })

  test('lists only texts that are identical to English as such', () => {
    const unchanged = new Set([...texts].filter(([key, text]) => text === englishFor(key)).map(([, text]) => text))

    expect((allowedSame[language] ?? []).filter((text) => !unchanged.has(text))).toEqual([])
  })
})

test('the check finds a placeholder and a tag', () => {
  expect(parts('<link>{name}</link> of {name}, {size}')).toEqual(['</link>', '<link>', '{name}', '{size}'])
})

/** The translations of texts that English has. */
function existing(language: string): ReadonlyMap<string, string> {
  const expected = new Set(expectedKeys(language, english))
  return new Map([...translatedCatalog(language)].filter(([key]) => expected.has(key)))
}

/** The English text that a key is translated from. */
function englishFor(key: string): string {
  return english.get(key) ?? otherForm(key) ?? ''
}

function otherForm(key: string): string | undefined {
  return english.get(`${baseKey(key)}_other`)
}

function partProblems(key: string, text: string): string[] {
  const source = parts(englishFor(key))
  const has = parts(text)
  // "No file", "one file", "two files": a form for one number need not show it.
  const canLack = (part: string) =>
    /_(zero|one|two)$/.test(key) && /^\{(count|number|lines|tries|done|total|max|changes|entries)\}$/.test(part)
  const lacks = source.filter((part) => !has.includes(part) && !canLack(part))
  const known = [...source, ...parts(otherForm(key) ?? ''), '{count}', '{number}']
  const added = has.filter((part) => !known.includes(part))
  return [
    ...lacks.map((part) => `${key}: ${part} is missing`),
    ...added.map((part) => `${key}: ${part} is not in the English text`),
  ]
}

/** Placeholders and tags of a text. */
function parts(text: string): string[] {
  const tags = [...text.matchAll(/<\/?\w+\/?>/g)].map(([tag]) => tag)
  return [...new Set([...tags, ...placeholders(text).map((name) => `{${name}}`)])].sort()
}

function hasWords(text: string): boolean {
  return /\p{L}/u.test(text.replace(/\{\w+\}|<\/?\w+\/?>/g, ''))
}
