import { readFileSync } from 'node:fs'
import { mailKinds } from '@innkeeper/contract/alerts/mail'
import { defaultLanguage, type Language, languages } from '@innkeeper/contract/text/languages'
import { describe, expect, test } from 'vitest'
import { textsIn, withFallback } from './texts.ts'

const translated = languages.filter((language) => language !== defaultLanguage)

/** All texts of a file by their path: `kinds.invite.lines.0`. */
function flatTexts(language: Language): Map<string, string> {
  const texts = new Map<string, string>()
  const walk = (value: unknown, place: string) => {
    if (typeof value === 'string') texts.set(place, value)
    else for (const [key, inner] of Object.entries(value as object)) walk(inner, place === '' ? key : `${place}.${key}`)
  }
  const file = language === defaultLanguage ? './en_US.json' : `../../translations/${language}.json`
  walk(JSON.parse(readFileSync(new URL(file, import.meta.url), 'utf8')), '')
  return texts
}

const placeholders = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([name]) => name).sort()
const english = flatTexts(defaultLanguage)

/** Texts that may be the same as in English: punctuation only. */
const alike = new Set(['labelled'])
/** Languages with another script contain no English words. */
const lettered: readonly (readonly [Language, RegExp])[] = [
  ['ar_SA', /\p{Script=Arabic}/u],
  ['el_GR', /\p{Script=Greek}/u],
  ['he_IL', /\p{Script=Hebrew}/u],
  ['ja_JP', /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/u],
  ['ko_KR', /\p{Script=Hangul}/u],
  ['ru_RU', /\p{Script=Cyrillic}/u],
  ['sr_SP', /\p{Script=Cyrillic}/u],
  ['uk_UA', /\p{Script=Cyrillic}/u],
  ['zh_CN', /\p{Script=Han}/u],
  ['zh_HK', /\p{Script=Han}/u],
  ['zh_TW', /\p{Script=Han}/u],
]
const latinNames = /\{\w+\}|OAuth2|SSH|SFTP|e?-?mail/g

test('English has every kind of mail, and no other', () => {
  expect(Object.keys(textsIn(defaultLanguage).kinds).sort()).toEqual([...mailKinds, 'test', 'alert'].sort())
})

test('an unknown language falls back to English', () => {
  for (const language of ['tlh', '', '__proto__', '../translations/de_DE']) {
    expect(textsIn(language)).toEqual(textsIn(defaultLanguage))
  }
})

describe.each(translated)('%s', (language) => {
  // What English no longer has is not used: `npm run translations` lists it, as it lists missing translations.
  const texts = new Map([...flatTexts(language)].filter(([place]) => english.has(place)))

  test('has the same placeholders as English, line by line', () => {
    const byKey = (texts: ReadonlyMap<string, string>) =>
      Object.fromEntries([...texts].map(([place, text]) => [place, placeholders(text)]))

    expect(byKey(new Map([...english].filter(([place]) => texts.has(place))))).toEqual(byKey(texts))
  })

  test('has no empty or English text, and no stray brace or space', () => {
    const wrong = [...texts].filter(([place, text]) => {
      const rest = text.replace(/\{\w+\}/g, '')
      const isEnglish = text === english.get(place) && !alike.has(place)
      return isEnglish || text.trim() !== text || text === '' || / {2}/.test(text) || /[{}<>&]/.test(rest)
    })

    expect(wrong).toEqual([])
  })
})

test('what a language lacks is in English, and what English no longer has is dropped', () => {
  const english = {
    footer: 'Footer',
    kinds: { invite: { subject: 'Invited', lines: ['One', 'Two'], action: 'Accept' } },
  }

  const texts = withFallback(english, {
    kinds: { invite: { lines: ['Eins'], action: 'Annehmen' }, gone: { lines: [] } },
  })

  expect(texts).toEqual({
    footer: 'Footer',
    kinds: { invite: { subject: 'Invited', lines: ['Eins', 'Two'], action: 'Annehmen' } },
  })
})

test.each(lettered)('%s uses its own script', (language, script) => {
  const foreign = [...flatTexts(language)].filter(([place, text]) => {
    const rest = text.replace(latinNames, '')
    return !alike.has(place) && (!script.test(rest) || /[A-Za-z]/.test(rest))
  })

  expect(foreign).toEqual([])
})

test('no two languages are the same everywhere', () => {
  const whole = languages.map((language) => JSON.stringify([...flatTexts(language)]))

  expect(new Set(whole).size).toBe(languages.length)
})
