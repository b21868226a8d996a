import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { defaultLanguage, getTag } from '@innkeeper/contract/text/languages'
import { root } from './commands.ts'

/** Texts by `file.Key`; each plural form is an entry. Those of emails by their place: `mail.kinds.invite.lines.0`. */
export type Catalog = ReadonlyMap<string, string>

/** Folders of the texts in other languages, with a file for each language. */
export const [appTranslations, mailTranslations] = ['packages/web/translations', 'packages/panel/translations']

/** The English texts of the web app. */
export function englishCatalog(): Catalog {
  const paths = globSync('packages/web/src/locales/en_US/*.json', { cwd: root }).sort()
  return new Map(paths.flatMap((path) => [...textsIn(basename(path, '.json'), readJson(path))]))
}

/** The texts of the web app in another language. */
export function translatedCatalog(language: string): Catalog {
  const parts = readJson(`${appTranslations}/${language}.json`)
  return new Map(Object.entries(parts).flatMap(([file, texts]) => [...textsIn(file, texts)]))
}

/** The texts of emails. */
export function mailCatalog(language: string): Catalog {
  const english = 'packages/panel/src/mail/en_US.json'
  return textsIn('mail', readJson(language === defaultLanguage ? english : `${mailTranslations}/${language}.json`))
}

/** Texts that may stay English: in every language (`all`), and by language. */
export function sameAsEnglish(): Readonly<Record<string, readonly string[]>> {
  return readJson(`${appTranslations}/same-as-english.json`) as Record<string, string[]>
}

/** Keys with a description for translators; `*` at the end matches any rest. */
export function translatorDescriptions(): readonly string[] {
  return Object.keys(readJson('packages/web/src/locales/descriptions.json'))
}

/** The key that the source code uses: without the suffix of a plural form. */
export function baseKey(key: string): string {
  return key.replace(/_(zero|one|two|few|many|other)$/, '')
}

/** The keys of a complete translation: one for each plural category of the language. */
export function expectedKeys(language: string, english: Catalog): readonly string[] {
  const { pluralCategories } = new Intl.PluralRules(getTag(language)).resolvedOptions()
  const categories = (['one', 'two', 'few', 'many', 'other'] as const).filter((one) => pluralCategories.includes(one))
  const keys = [...english.keys()].flatMap((key) => {
    const base = baseKey(key)
    if (!english.has(`${base}_other`)) return [key]
    // A separate sentence for 0 is optional in English, and a plural category of some languages.
    const zero = english.has(`${base}_zero`) || pluralCategories.includes('zero') ? [`${base}_zero`] : []
    return [...zero, ...categories.map((category) => `${base}_${category}`)]
  })
  return [...new Set(keys)]
}

export function readJson(path: string): Record<string, unknown> {
  return JSON.parse(readFileSync(join(root, path), 'utf8')) as Record<string, unknown>
}

function textsIn(key: string, value: unknown): Catalog {
  if (typeof value === 'string') return new Map([[key, value]])
  return new Map(Object.entries(value as object).flatMap(([name, part]) => [...textsIn(`${key}.${name}`, part)]))
}
