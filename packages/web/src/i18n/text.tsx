import { directionOf, tagOf } from '@innkeeper/contract/languages'
import { limits } from '@innkeeper/contract/limits'
import { useDirection } from '@mantine/core'
import { createInstance, type i18n } from 'i18next'
import { type ReactNode, useCallback, useEffect } from 'react'
import { I18nextProvider, useTranslation } from 'react-i18next'
import { withTimeout } from '../api/timeout.ts'
import { type Formats, formatsFor } from './format.ts'
import { type Catalogue, defaultLocale, loadCatalogue, preferredLocale, rememberLocale } from './locale.ts'

export type TextValues = Readonly<Record<string, string | number | boolean>>
/** A text of the catalogue by `file.Key`; `{name}` is filled from the values, `count` chooses the plural form. */
export type Text = (key: string, values?: TextValues) => string

const namespace = 'translation'

interface Loading {
  readonly load?: (locale: string) => Promise<Catalogue>
  /** How long another language than English may take before the app begins in English. */
  readonly timeoutMs?: number
}

/**
 * Loads the texts in the language of this person, and the English ones beside them: they stand in for texts that the
 * language lacks, and for the whole language when it cannot be loaded. Rejects when there are no texts at all.
 */
export async function openTexts(
  locale: string = preferredLocale(),
  { load = loadCatalogue, timeoutMs = 10_000 }: Loading = {},
): Promise<i18n> {
  const wanted = [...new Set([defaultLocale, locale])]
  const loaded = await Promise.allSettled(
    wanted.map((one) => withTimeout(load(one), one === defaultLocale ? limits.viewLoadMs : timeoutMs)),
  )
  for (const result of loaded) if (result.status === 'rejected') console.error(result.reason)
  const catalogues = wanted.flatMap((one, at) => {
    const result = loaded[at]
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
export function TextProvider({ texts, children }: { texts: i18n; children: ReactNode }) {
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

export function useText(): Text {
  const { t } = useTranslation()
  return useCallback<Text>((key, values) => t(key, values ?? {}), [t])
}

/** The locale in use, and a way to another, which rejects when that cannot be loaded; the page stays where it is. */
export function useLocale() {
  const { i18n } = useTranslation()
  const choose = useCallback(
    async (locale: string) => {
      if (!i18n.hasResourceBundle(locale, namespace)) {
        i18n.addResourceBundle(locale, namespace, await loadCatalogue(locale))
      }
      await i18n.changeLanguage(locale)
      rememberLocale(locale)
    },
    [i18n],
  )
  return { locale: i18n.language, choose }
}

/** Numbers, sizes and times as the language writes them. */
export function useFormats(): Formats {
  return formatsFor(tagOf(useTranslation().i18n.language))
}
