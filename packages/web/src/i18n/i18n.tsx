import { directionOf, tagOf } from '@innkeeper/contract/languages'
import { limits } from '@innkeeper/contract/limits'
import { useDirection } from '@mantine/core'
import { createInstance, type i18n } from 'i18next'
import { type ReactNode, useCallback, useEffect } from 'react'
import { I18nextProvider, useTranslation } from 'react-i18next'
import { withTimeout } from '../api/timeout.ts'
import { type Formatters, getFormatters } from './formatters.ts'
import { type Catalog, defaultLocale, loadCatalog, preferredLocale, saveLocale } from './locale.ts'

export type TranslationValues = Readonly<Record<string, string | number | boolean>>
/** A text of the catalogue by `file.Key`; `{name}` is filled from the values, `count` chooses the plural form. */
export type TFunction = (key: string, values?: TranslationValues) => string

const namespace = 'translation'

interface Loading {
  readonly load?: (locale: string) => Promise<Catalog>
  /** How long another language than English may take before the app begins in English. */
  readonly timeoutMs?: number
}

/**
 * Loads the texts in the language of this person, and the English ones beside them: they stand in for texts that the
 * language lacks, and for the whole language when it cannot be loaded. Rejects when there are no texts at all.
 */
export async function createI18n(
  locale: string = preferredLocale(),
  { load = loadCatalog, timeoutMs = 10_000 }: Loading = {},
): Promise<i18n> {
  const wanted = [...new Set([defaultLocale, locale])]
  const loaded = await Promise.allSettled(
    wanted.map((one) => withTimeout(load(one), one === defaultLocale ? limits.viewLoadMs : timeoutMs)),
  )
  for (const result of loaded) if (result.status === 'rejected') console.error(result.reason)
  const catalogues = wanted.flatMap((one, index) => {
    const result = loaded[index]
    return result?.status === 'fulfilled' ? [[one, result.value] as const] : []
  })
  const [last] = catalogues.at(-1) ?? []
  if (last === undefined) throw new Error('no catalogue of texts could be loaded')
  const texts = createInstance()
  await texts.init({
    lng: last,
    fallbackLng: defaultLocale,
    load: 'currentOnly',
    resources: Object.fromEntries(catalogues.map(([one, catalogue]) => [one, { [namespace]: catalogue }])),
    keySeparator: false,
    nsSeparator: false,
    interpolation: { prefix: '{', suffix: '}', escapeValue: false },
  })
  return texts
}

/** Gives the app its texts, and the page its language and direction. */
export function I18nProvider({ texts, children }: { texts: i18n; children: ReactNode }) {
  return (
    <I18nextProvider i18n={texts}>
      <PageLanguage />
      {children}
    </I18nextProvider>
  )
}

function PageLanguage(): null {
  const { i18n } = useTranslation()
  const { setDirection } = useDirection()
  const locale = i18n.language

  useEffect(() => {
    document.documentElement.lang = tagOf(locale)
    setDirection(directionOf(locale))
  }, [locale, setDirection])
  return null
}

export function useT(): TFunction {
  const { t } = useTranslation()
  return useCallback<TFunction>((key, values) => t(key, values ?? {}), [t])
}

/** The locale in use, and a way to another, which rejects when that cannot be loaded; the page stays where it is. */
export function useLocale() {
  const { i18n } = useTranslation()
  const setLocale = useCallback(
    async (locale: string) => {
      if (!i18n.hasResourceBundle(locale, namespace)) {
        i18n.addResourceBundle(locale, namespace, await loadCatalog(locale))
      }
      await i18n.changeLanguage(locale)
      saveLocale(locale)
    },
    [i18n],
  )
  return { locale: i18n.language, choose: setLocale }
}

/** Numbers, sizes and times as the language writes them. */
export function useFormatters(): Formatters {
  return getFormatters(tagOf(useTranslation().i18n.language))
}
