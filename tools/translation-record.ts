import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { defaultLanguage, languages } from '@innkeeper/contract/languages'
import { root } from './commands.ts'

/** Hashes of the English texts that translations were made from. Written by `npm run translations`. */
export const recordFile = 'packages/web/src/locales/translated-from.json'

/** The hash of the English that every translation of a text is of, or the hashes by language: `*` is all other ones. */
type Recorded = string | Readonly<Record<string, string>>

/** By key: `file.Key` of the web app, without the suffix of a plural form, and `mail.<kind>` of emails. */
export type TranslationRecord = ReadonlyMap<string, Recorded>

/** A text whose English changed after it was translated. */
export interface StaleText {
  readonly key: string
  readonly languages: readonly string[]
}

const translated: readonly string[] = languages.filter((language) => language !== defaultLanguage)

/** The hash of each English text; the plural forms of a text have one. */
export function englishHashes(): ReadonlyMap<string, string> {
  const texts = new Map<string, unknown[]>()
  const add = (key: string, text: unknown) => texts.set(key, [...(texts.get(key) ?? []), text])
  for (const path of globSync('packages/web/src/locales/en_US/*.json', { cwd: root }).sort())
    for (const [key, text] of Object.entries(readJson(path)))
      add(`${basename(path, '.json')}.${key.replace(/_(zero|one|other)$/, '')}`, text)
  const { kinds = {}, ...mail } = readJson(`packages/panel/src/mail/texts/${defaultLanguage}.json`)
  for (const [key, text] of [...Object.entries(kinds as object), ...Object.entries(mail)]) add(`mail.${key}`, text)
  return new Map([...texts].map(([key, forms]) => [key, hashOf(JSON.stringify(forms))]))
}

export function readRecord(): TranslationRecord {
  return new Map(
    existsSync(join(root, recordFile)) ? Object.entries(readJson(recordFile) as Record<string, Recorded>) : [],
  )
}

/** Writes a line for each text, so that branches that record other texts can be merged. */
export function writeRecord(record: TranslationRecord): void {
  const lines = [...record]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, recorded]) => `  ${JSON.stringify(key)}: ${formatRecorded(recorded)}`)
  writeFileSync(join(root, recordFile), `{\n${lines.join(',\n')}\n}\n`)
}

/** The texts whose English changed since they were translated. A text that is not recorded is new, and not one of them. */
export function staleTexts(english: ReadonlyMap<string, string>, record: TranslationRecord): readonly StaleText[] {
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

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8)
}

function readJson(path: string): Record<string, unknown> {
  return JSON.parse(readFileSync(join(root, path), 'utf8')) as Record<string, unknown>
}
