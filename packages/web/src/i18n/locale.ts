import { closestLanguage, defaultLanguage, getTag } from '@innkeeper/contract/text/languages'
import { browserStorage } from '../api/storage.ts'

/** Every text of a locale, by `file.Key`. */
export type Catalog = Readonly<Record<string, string>>

/** The texts of a locale, by file and key. */
export type CatalogFiles = Readonly<Record<string, Readonly<Record<string, string>>>>

export const defaultLocale: string = defaultLanguage
const storageKey = 'innkeeper.locale'

/** One loader per translation, each a chunk of its own. They may lack texts. Other files of the folder have no `_`. */
const translations = import.meta.glob<CatalogFiles>('../../translations/*_*.json', { import: 'default' })
const loaders = new Map<string, () => Promise<CatalogFiles>>([
  [defaultLocale, loadEnglish],
  ...Object.entries(translations).map(([path, load]) => [stem(path), load] as const),
])

/** The locales that have a catalog. */
export const locales: readonly string[] = [...loaders.keys()].sort()

/** Made from the English texts, to find layouts that longer texts break and texts that are not in the catalog. */
export const pseudoLocale = 'en_XA'

/** Chinese is named by its script. */
const nameTags: Readonly<Record<string, string>> = { zh_CN: 'zh-Hans', zh_TW: 'zh-Hant' }

/** The name of a locale in its own language; with the region if there are several locales of that language. */
export function languageName(locale: string): string {
  const [language = locale] = locale.split('_')
  const isAmbiguous = locales.filter((other) => other.split('_')[0] === language).length > 1
  const tag = nameTags[locale] ?? (isAmbiguous ? getTag(locale) : language)
  const names = new Intl.DisplayNames([tag], { type: 'language', style: 'short' })
  const name = names.of(tag) ?? locale
  return name.charAt(0).toLocaleUpperCase(tag) + name.slice(1)
}

/** The name of English in a language: `Englisch`. Undefined in English. */
export function englishIn(locale: string): string | undefined {
  const tag = getTag(locale)
  return tag.startsWith('en-') ? undefined : new Intl.DisplayNames([tag], { type: 'language' }).of('en')
}

/** The stored locale, else the browser's language, else English. The pseudo-locale can only be stored. */
export function preferredLocale(
  stored: string | null = browserStorage.get(storageKey),
  languages: readonly string[] = navigator.languages,
  offered: readonly string[] = locales,
): string {
  if (stored !== null && [...offered, pseudoLocale].includes(stored)) return stored
  return closestLanguage(languages, offered) ?? defaultLocale
}

export function saveLocale(locale: string): void {
  browserStorage.set(storageKey, locale)
}

/** Whether a language was selected in this browser. */
export function hasStoredLocale(): boolean {
  return browserStorage.get(storageKey) !== null
}

/** Calls the listener with the locale that was selected in another tab. */
export function onLocaleStored(listener: (locale: string) => void): () => void {
  const onStorage = ({ key, newValue }: StorageEvent) => {
    if (key === storageKey && newValue !== null) listener(newValue)
  }
  window.addEventListener('storage', onStorage)
  return () => window.removeEventListener('storage', onStorage)
}

/** Loads all texts of a locale. Rejects when there is no such catalog or it cannot be loaded. */
export async function loadCatalog(locale: string): Promise<Catalog> {
  if (locale === pseudoLocale) {
    const { pseudolocalize } = await import('./pseudo-locale.ts')
    return pseudolocalize(await loadCatalog(defaultLocale))
  }
  const load = loaders.get(locale)
  if (!load) throw new Error(`there is no catalog for ${locale}`)
  const files = Object.entries(await load())
  return Object.assign({}, ...files.map(([file, texts]) => prefixKeys(file, texts)))
}

async function loadEnglish(): Promise<CatalogFiles> {
  const { default: files } = await import('../locales/en_US.ts')
  return Object.fromEntries(Object.entries(files).map(([path, texts]) => [stem(path), texts]))
}

function prefixKeys(file: string, texts: Catalog): Catalog {
  return Object.fromEntries(Object.entries(texts).map(([key, text]) => [`${file}.${key}`, text]))
}

/** The name of a file without folder and ending. */
function stem(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1).replace(/\.\w+$/, '')
}
