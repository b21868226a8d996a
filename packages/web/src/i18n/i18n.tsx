import { getDirection, getTag, isolate } from '@innkeeper/contract/text/languages'
import { useDirection } from '@mantine/core'
import { createInstance, type FormatterModule, type i18n } from 'i18next'
import { type ReactNode, useCallback, useEffect, useLayoutEffect } from 'react'
import { I18nextProvider, useTranslation } from 'react-i18next'
import { loadCode } from '../api/load-code.ts'
import { type Catalog, defaultLocale, loadCatalog, onLocaleStored, preferredLocale, saveLocale } from './locale.ts'
import { getNumberFormatter } from './number-format.ts'
import type { TranslationKey } from './translation-key.ts'

export type { TranslationKey }

export type TranslationValues = Readonly<Record<string, string | number | boolean>>

/** Returns the text of a key `file.Key`. `{name}` is replaced by the value of that name; `count` selects the plural form. */
export type TFunction = (key: TranslationKey, values?: TranslationValues) => string

const namespace = 'translation'

interface Options {
  readonly load?: (locale: string) => Promise<Catalog>
  /** How long to wait for a language other than English before starting in English. */
  readonly timeoutMs?: number
}

/**
 * Loads the catalog of the user's language, and the English one as the fallback for missing texts and for a language
 * that cannot be loaded. Rejects when no catalog can be loaded.
 */
export async function createI18n(
  locale: string = preferredLocale(),
  { load = loadCatalog, timeoutMs = 10_000 }: Options = {},
): Promise<i18n> {
  const locales = [...new Set([defaultLocale, locale])]
  const results = await Promise.allSettled(
    locales.map((localeName) => loadCode(() => load(localeName), localeName === defaultLocale ? {} : { timeoutMs })),
  )
  const catalogs = results.flatMap((result, index) =>
    result.status === 'fulfilled' ? [[locales[index] as string, result.value] as const] : [],
  )
  for (const result of results) if (result.status === 'rejected') console.error(result.reason)
  const [language] = catalogs.at(-1) ?? []
  if (language === undefined) throw new Error('no catalog could be loaded')
  const i18n = createInstance().use(formatter)
  await i18n.init({
    lng: language,
    fallbackLng: defaultLocale,
    load: 'currentOnly',
    resources: Object.fromEntries(catalogs.map(([localeName, catalog]) => [localeName, { [namespace]: catalog }])),
    keySeparator: false,
    nsSeparator: false,
    interpolation: { prefix: '{', suffix: '}', escapeValue: false, alwaysFormat: true },
  })
  return i18n
}

/**
 * Formats the values in texts. Numbers are formatted for the language: `12,345`; pass numbers that are not quantities, such as
 * ports, as strings. In right-to-left languages other values are isolated (bidirectional text), because a name in another
 * script would move the punctuation beside it.
 */
const formatter: FormatterModule = {
  type: 'formatter',
  init: () => undefined,
  add: () => undefined,
  addCached: () => undefined,
  format: (value: unknown, _, language = defaultLocale) => {
    if (typeof value === 'number') return getNumberFormatter(getTag(language))(value, Number.isInteger(value) ? 0 : 2)
    // Anything else is left to i18next.
    return typeof value === 'string' ? isolate(value, language) : (value as string)
  },
}

/** Provides the texts, sets the language and direction of the document, and follows the language of other tabs. */
export function I18nProvider({ i18n, children }: { i18n: i18n; children: ReactNode }) {
  return (
    <I18nextProvider i18n={i18n}>
      <DocumentLanguage />
      {children}
    </I18nextProvider>
  )
}

function DocumentLanguage(): null {
  const { i18n } = useTranslation()
  const { setDirection } = useDirection()
  const locale = i18n.language

  useLayoutEffect(() => {
    document.documentElement.lang = getTag(locale)
    setDirection(getDirection(locale))
  }, [locale, setDirection])

  useEffect(
    () =>
      onLocaleStored((selected) => {
        // A language that cannot be loaded leaves this tab as it is.
        changeLocale(i18n, selected).catch(console.error)
      }),
    [i18n],
  )
  return null
}

/**
 * Returns the text of a key that is put together from a name from outside, such as an action of a newer node. Returns
 * undefined when the catalog has no such key. Not for texts with plural forms.
 */
export function findText(t: TFunction, key: string): string | undefined {
  const text = t(key as TranslationKey)
  // i18next returns the key itself when it has no text.
  return text === key ? undefined : text
}

export function useT(): TFunction {
  const { t } = useTranslation()
  return useCallback<TFunction>((key, values) => t(key, values ?? {}), [t])
}

/** The locale in use. `setLocale` changes it without a reload, and rejects when the catalog cannot be loaded. */
export function useLocale() {
  const { i18n } = useTranslation()
  const setLocale = useCallback(
    async (locale: string) => {
      await changeLocale(i18n, locale)
      saveLocale(locale)
    },
    [i18n],
  )
  return { locale: i18n.language, setLocale }
}

async function changeLocale(i18n: i18n, locale: string): Promise<void> {
  if (!i18n.hasResourceBundle(locale, namespace)) {
    i18n.addResourceBundle(locale, namespace, await loadCatalog(locale))
  }
  await i18n.changeLanguage(locale)
}
