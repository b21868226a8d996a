import { readdirSync, readFileSync } from 'node:fs'
import { defaultLanguage, type Language, languages } from '@innkeeper/contract/languages'
import { mailKinds } from '@innkeeper/contract/mail'
import { describe, expect, test } from 'vitest'
import { textsIn } from './texts.ts'

const folder = new URL('./texts/', import.meta.url)
const translated = languages.filter((language) => language !== defaultLanguage)

/** All texts of a file by their path: `kinds.invite.lines.0`. */
function flatTexts(language: Language): Map<string, string> {
  const texts = new Map<string, string>()
  const walk = (value: unknown, place: string) => {
    if (typeof value === 'string') texts.set(place, value)
    else for (const [key, inner] of Object.entries(value as object)) walk(inner, place === '' ? key : `${place}.${key}`)
  }
  walk(JSON.parse(readFileSync(new URL(`${language}.json`, folder), 'utf8')), '')
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

test('there is a file for every language, and no other', () => {
  expect(readdirSync(folder).sort()).toEqual(languages.map((language) => `${language}.json`).sort())
})

test('English has every kind of mail, and no other', () => {
  expect(Object.keys(textsIn(defaultLanguage).kinds).sort()).toEqual([...mailKinds, 'test', 'alert'].sort())
})

test('an unknown language falls back to English', () => {
  for (const language of ['tlh', '', '__proto__', '../texts/de_DE']) {
    expect(textsIn(language)).toEqual(textsIn(defaultLanguage))
  }
})

describe.each(translated)('%s', (language) => {
  const texts = flatTexts(language)

  test('has the same keys as English', () => {
    expect([...texts.keys()]).toEqual([...english.keys()])
  })

  test('has the same placeholders as English, line by line', () => {
    const byKey = (texts: ReadonlyMap<string, string>) =>
      Object.fromEntries([...texts].map(([place, text]) => [place, placeholders(text)]))

    expect(byKey(texts)).toEqual(byKey(english))
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
