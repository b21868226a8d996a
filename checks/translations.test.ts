import { defaultLanguage, languages, tagOf } from '@innkeeper/contract/languages'
import { describe, expect, test } from 'vitest'
import { baseKey, type Catalog, englishCatalog, placeholders, sameAsEnglish, translatedCatalog } from './texts.ts'

const english = englishCatalog()
const allowedSame = sameAsEnglish()
const translated = languages.filter((language) => language !== defaultLanguage)

describe.each(translated)('%s', (language) => {
  const texts = translatedCatalog(language)

  test('has exactly the expected texts and plural forms', () => {
    const expected = expectedKeys(language, english)

    expect(texts, `add packages/web/src/locales/translations/${language}.json`).toBeDefined()
    expect({
      missing: expected.filter((key) => !texts?.has(key)),
      unknown: [...(texts?.keys() ?? [])].filter((key) => !expected.includes(key)),
    }).toEqual({ missing: [], unknown: [] })
  })

  test('has the same placeholders as the English text', () => {
    expect([...(texts ?? [])].flatMap(([key, text]) => partProblems(key, text))).toEqual([])
  })

  test('has no empty or untranslated text', () => {
    const allowed = new Set([...(allowedSame.all ?? []), ...(allowedSame[language] ?? [])])
    const left = [...(texts ?? [])].filter(
      ([key, text]) => text.trim() === '' || (text === englishFor(key) && hasWords(text) && !allowed.has(text)),
    )

    expect(left, 'translate them, or list them in packages/web/src/locales/same-as-english.json').toEqual([])
  })

  test('writes units as sizes are shown', () => {
    const wrong = [...(texts ?? [])].filter(([key]) => {
      const unit = /\b[KMGT]iB\b/.exec(englishFor(key))?.[0]
      return unit !== undefined && !texts?.get(key)?.includes(texts.get(`units.${unit}`) ?? unit)
    })

    expect(wrong).toEqual([])
  })

  test('lists only texts that are identical to English as such', () => {
    const unchanged = new Set(
      [...(texts ?? [])].filter(([key, text]) => text === englishFor(key)).map(([, text]) => text),
    )

    expect((allowedSame[language] ?? []).filter((text) => !unchanged.has(text))).toEqual([])
  })
})

test('the check finds a missing plural form, placeholder and tag', () => {
  const small: Catalog = new Map([
    ['files.Count_one', '{count} file'],
    ['files.Count_other', '{count} files'],
    ['files.Title', 'Files'],
  ])

  expect(expectedKeys('pl_PL', small)).toEqual([
    'files.Count_one',
    'files.Count_few',
    'files.Count_many',
    'files.Count_other',
    'files.Title',
  ])
  expect(parts('<link>{name}</link> of {name}, {size}')).toEqual(['</link>', '<link>', '{name}', '{size}'])
})

/** The keys of a complete translation: one for each plural category of the language. */
function expectedKeys(language: string, catalog: Catalog): string[] {
  const { pluralCategories } = new Intl.PluralRules(tagOf(language)).resolvedOptions()
  const categories = (['one', 'two', 'few', 'many', 'other'] as const).filter((one) => pluralCategories.includes(one))
  const keys = [...catalog.keys()].flatMap((key) => {
    const base = baseKey(key)
    if (!catalog.has(`${base}_other`)) return [key]
    // A separate sentence for 0 is optional in English, and a plural category of some languages.
    const zero = catalog.has(`${base}_zero`) || pluralCategories.includes('zero') ? [`${base}_zero`] : []
    return [...zero, ...categories.map((category) => `${base}_${category}`)]
  })
  return [...new Set(keys)]
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
