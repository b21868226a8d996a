import { directionOf, tagOf } from '@innkeeper/contract/languages'
import { useDirection } from '@mantine/core'
import { createInstance, type i18n } from 'i18next'
import { type ReactNode, useCallback, useEffect } from 'react'
import { I18nextProvider, useTranslation } from 'react-i18next'
import { type Formats, formatsFor } from './format.ts'
import { defaultLocale, loadCatalogue, preferredLocale, rememberLocale } from './locale.ts'

export type TextValues = Readonly<Record<string, string | number | boolean>>
/** A text of the catalogue by `file.Key`; `{name}` is filled from the values, `count` chooses the plural form. */
export type Text = (key: string, values?: TextValues) => string

const namespace = 'translation'

/** Loads the texts in the language of this person; English when that cannot be had. */
export async function openTexts(locale: string = preferredLocale()): Promise<i18n> {
  const texts = createInstance()
  await texts.init({
    lng: locale,
    fallbackLng: defaultLocale,
    load: 'currentOnly',
    resources: { [locale]: { [namespace]: await loadCatalogue(locale) } },
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

/** The locale in use, and a way to another; the page stays where it is. */
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
