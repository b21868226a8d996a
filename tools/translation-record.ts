import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { defaultLanguage, languages } from '@innkeeper/contract/text/languages'
import {
  appTranslations,
  baseKey,
  englishCatalog,
  expectedKeys,
  mailCatalog,
  readJson,
  translatedCatalog,
} from './catalogs.ts'
import { root } from './commands.ts'

/** Hashes of the English texts that translations were made from. Written by `npm run translations`. */
export const recordFile: string = `${appTranslations}/translated-from.json`

/** The hash of the English that every translation of a text is of, or the hashes by language: `*` is all other ones. */
type Recorded = string | Readonly<Record<string, string>>

/** By key: `file.Key` of the web app, without the suffix of a plural form, and `mail.<kind>` of emails. */
export type TranslationRecord = ReadonlyMap<string, Recorded>

/** A text, and the languages in which something is wrong with it. */
export interface TextInLanguages {
  readonly key: string
  readonly languages: readonly string[]
}

/** What a release fails on. At run time, a missing text is shown in English. */
export interface TranslationReport {
  readonly missing: readonly TextInLanguages[]
  /** Texts whose English changed after they were translated. */
  readonly stale: readonly TextInLanguages[]
  /** Translations of texts that English no longer has. */
  readonly unused: readonly TextInLanguages[]
}

/** The languages that English is translated to. */
export const translated: readonly string[] = languages.filter((language) => language !== defaultLanguage)

/** Compares the translations with the English texts and the record. */
export function translationReport(record: TranslationRecord): TranslationReport {
  const [app, mail] = [englishCatalog(), mailCatalog(defaultLanguage)]
  const found = translated.map((language) => {
    const expected = [...expectedKeys(language, app), ...mail.keys()]
    const texts = new Map([...translatedCatalog(language), ...mailCatalog(language)])
    return { language, ...compareKeys(expected, [...texts.keys()]) }
  })
  return {
    missing: byText(found.map(({ language, missing }) => [language, missing])),
    stale: staleTexts(englishHashes(), record),
    unused: byText(found.map(({ language, unused }) => [language, unused])),
  }
}

/** The texts that a translation lacks, and those that it has too many; without the suffixes of plural forms. */
export function compareKeys(expected: readonly string[], found: readonly string[]) {
  const [wanted, has] = [new Set(expected), new Set(found)]
  const getTexts = (keys: readonly string[]) => [...new Set(keys.map(baseKey))]
  return {
    missing: getTexts(expected.filter((key) => !has.has(key))),
    unused: getTexts(found.filter((key) => !wanted.has(key))),
  }
}

function byText(keysByLanguage: readonly (readonly [string, readonly string[]])[]): readonly TextInLanguages[] {
  const byKey = new Map<string, string[]>()
  for (const [language, keys] of keysByLanguage)
    for (const key of keys) byKey.set(key, [...(byKey.get(key) ?? []), language])
  return [...byKey].map(([key, names]) => ({ key, languages: names }))
}

/** The hash of each English text; the plural forms of a text have one, and all lines of an email. */
export function englishHashes(): ReadonlyMap<string, string> {
  const forms = new Map<string, string[]>()
  const add = (key: string, text: string) => forms.set(key, [...(forms.get(key) ?? []), text])
  for (const [key, text] of englishCatalog()) add(baseKey(key), text)
  for (const [key, text] of mailCatalog(defaultLanguage))
    add(key.replace(/^mail\.(?:kinds\.)?(\w+).*/, 'mail.$1'), text)
  return new Map([...forms].map(([key, texts]) => [key, getHash(JSON.stringify(texts))]))
}

export function readRecord(): TranslationRecord {
  return new Map(Object.entries(readJson(recordFile) as Record<string, Recorded>))
}

/** Writes a line for each text, so that branches that record other texts can be merged. */
export function writeRecord(record: TranslationRecord): void {
  const lines = [...record]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, recorded]) => `  ${JSON.stringify(key)}: ${formatRecorded(recorded)}`)
  writeFileSync(join(root, recordFile), `{\n${lines.join(',\n')}\n}\n`)
}

/** The texts whose English changed since they were translated. A text that is not recorded is new, and not one of them. */
export function staleTexts(
  english: ReadonlyMap<string, string>,
  record: TranslationRecord,
): readonly TextInLanguages[] {
  return [...english].flatMap(([key, hash]) => {
    const recorded = record.get(key)
    const stale = translated.filter((language) => recorded !== undefined && hashIn(recorded, language) !== hash)
    return stale.length === 0 ? [] : [{ key, languages: stale }]
  })
}

/** The record with all new texts and without removed ones. */
export function withNewTexts(english: ReadonlyMap<string, string>, record: TranslationRecord): TranslationRecord {
  return new Map([...english].map(([key, hash]) => [key, record.get(key) ?? hash]))
}

/** The record after the translations of some texts were made from the present English, in some languages or in all. */
export function withTranslated(
  english: ReadonlyMap<string, string>,
  record: TranslationRecord,
  { keys, languages: done = translated }: { readonly keys: readonly string[]; readonly languages?: readonly string[] },
): TranslationRecord {
  const next = new Map(record)
  for (const key of keys) {
    const hash = english.get(key)
    const recorded = record.get(key)
    if (hash === undefined || recorded === undefined) continue
    const hashes = translated.map(
      (language) => [language, done.includes(language) ? hash : hashIn(recorded, language)] as const,
    )
    const others = hashes.find(([, one]) => one !== hash)?.[1]
    const current = hashes.filter(([, one]) => one === hash)
    next.set(key, others === undefined ? hash : { '*': others, ...Object.fromEntries(current) })
  }
  return next
}

function hashIn(recorded: Recorded, language: string): string {
  return typeof recorded === 'string' ? recorded : (recorded[language] ?? recorded['*'] ?? '')
}

function formatRecorded(recorded: Recorded): string {
  if (typeof recorded === 'string') return JSON.stringify(recorded)
  const fields = Object.entries(recorded).map(
    ([language, hash]) => `${JSON.stringify(language)}: ${JSON.stringify(hash)}`,
  )
  return `{ ${fields.join(', ')} }`
}

function getHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8)
}
