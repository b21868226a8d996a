import { closestLanguage, defaultLanguage, tagOf } from '@innkeeper/contract/languages'
import { browserStorage } from '../api/storage.ts'

/** One loader per locale, each a chunk of its own. */
const loaders = import.meta.glob<Readonly<Record<string, Catalog>>>('../locales/*.ts', { import: 'default' })

/** Every text of a locale, by `file.Key`. */
export type Catalog = Readonly<Record<string, string>>

export const defaultLocale: string = defaultLanguage
const storageKey = 'innkeeper.locale'

/** The locales that have a catalog. */
export const locales: readonly string[] = Object.keys(loaders).map(stem).sort()

/** The name of a locale in its own language; with the region if there are several locales of that language. */
export function languageName(locale: string): string {
  const [language = locale] = locale.split('_')
  const isAmbiguous = locales.filter((other) => other.split('_')[0] === language).length > 1
  const tag = isAmbiguous ? tagOf(locale) : language
  const name = new Intl.DisplayNames([tag], { type: 'language' }).of(tag) ?? locale
  return name.charAt(0).toLocaleUpperCase(tag) + name.slice(1)
}

/** The stored locale, else the browser's language, else English. */
export function preferredLocale(
  stored: string | null = browserStorage.get(storageKey),
  languages: readonly string[] = navigator.languages,
  offered: readonly string[] = locales,
): string {
  if (stored !== null && offered.includes(stored)) return stored
  return closestLanguage(languages, offered) ?? defaultLocale
}

export function saveLocale(locale: string): void {
  browserStorage.set(storageKey, locale)
}

/** Loads all texts of a locale. Rejects when there is no such catalog or it cannot be loaded. */
export async function loadCatalog(locale: string): Promise<Catalog> {
  const path = Object.keys(loaders).find((candidate) => stem(candidate) === locale)
  const files = path === undefined ? undefined : await loaders[path]?.()
  if (!files) throw new Error(`there is no catalog for ${locale}`)
  return Object.assign({}, ...Object.entries(files).map(([file, texts]) => prefixKeys(stem(file), texts)))
}

function prefixKeys(file: string, texts: Catalog): Catalog {
  return Object.fromEntries(Object.entries(texts).map(([key, text]) => [`${file}.${key}`, text]))
}

/** The name of a file without folder and ending. */
function stem(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1).replace(/\.\w+$/, '')
}
