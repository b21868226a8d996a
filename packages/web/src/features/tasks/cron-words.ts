import { tagOf } from '@innkeeper/contract/languages'
import { useQuery } from '@tanstack/react-query'
import { hasTwelveHourClock } from '../../i18n/formatters.ts'
import { type TFunction, useLocale, useT } from '../../i18n/i18n.tsx'

/** The languages that schedules can be described in, each a chunk of its own; English is in the library itself. */
const loaders: Readonly<Record<string, () => Promise<unknown>>> = {
  ar: () => import('cronstrue/locales/ar.js'),
  cs: () => import('cronstrue/locales/cs.js'),
  da: () => import('cronstrue/locales/da.js'),
  de: () => import('cronstrue/locales/de.js'),
  es: () => import('cronstrue/locales/es.js'),
  fi: () => import('cronstrue/locales/fi.js'),
  fr: () => import('cronstrue/locales/fr.js'),
  he: () => import('cronstrue/locales/he.js'),
  hu: () => import('cronstrue/locales/hu.js'),
  id: () => import('cronstrue/locales/id.js'),
  it: () => import('cronstrue/locales/it.js'),
  ja: () => import('cronstrue/locales/ja.js'),
  ko: () => import('cronstrue/locales/ko.js'),
  nb: () => import('cronstrue/locales/nb.js'),
  nl: () => import('cronstrue/locales/nl.js'),
  pl: () => import('cronstrue/locales/pl.js'),
  pt_BR: () => import('cronstrue/locales/pt_BR.js'),
  pt_PT: () => import('cronstrue/locales/pt_PT.js'),
  ro: () => import('cronstrue/locales/ro.js'),
  ru: () => import('cronstrue/locales/ru.js'),
  sk: () => import('cronstrue/locales/sk.js'),
  sr: () => import('cronstrue/locales/sr.js'),
  sv: () => import('cronstrue/locales/sv.js'),
  tr: () => import('cronstrue/locales/tr.js'),
  uk: () => import('cronstrue/locales/uk.js'),
  vi: () => import('cronstrue/locales/vi.js'),
  zh_CN: () => import('cronstrue/locales/zh_CN.js'),
  zh_TW: () => import('cronstrue/locales/zh_TW.js'),
}

/** What the library calls a language by another name than we do. */
const renamed: Readonly<Record<string, string>> = { zh_HK: 'zh_TW', no: 'nb' }

/** The locale in which a language has its schedules described: its own, that of its first part, or English. */
export function wordingOf(language: string): string {
  const prefix = language.split('_')[0] ?? ''
  const names = [language, prefix].map((name) => renamed[name] ?? name)
  return names.find((name) => Object.hasOwn(loaders, name)) ?? 'en'
}

/** Says a schedule in words; `undefined` for what it does not understand. */
export type Wording = (expression: string) => string | undefined

export async function loadWording(language: string): Promise<Wording> {
  const locale = wordingOf(language)
  const [{ toString: describe }] = await Promise.all([import('cronstrue'), loaders[locale]?.()])
  // In Chinese the library leaves AM and PM untranslated.
  const use24HourTimeFormat = locale.startsWith('zh') || !hasTwelveHourClock(tagOf(language))
  return (expression) => {
    try {
      return describe(expression, { locale, use24HourTimeFormat })
    } catch {
      // It throws a text for what is no schedule to it.
      return undefined
    }
  }
}

/** Says schedules in the language of this person. Until the words are there, and where there are none, as they stand. */
export function useCronWords(): (expression: string) => string {
  const t = useT()
  const { locale } = useLocale()
  const wording = useQuery({
    queryKey: ['cron-wording', locale],
    queryFn: () => loadWording(locale),
    staleTime: Number.POSITIVE_INFINITY,
    meta: { quiet: true },
  })
  return (expression) => every(t, expression) ?? wording.data?.(expression) ?? expression
}

/** `@every` is no cron to the library. */
function every(t: TFunction, expression: string): string | undefined {
  const duration = /^@every\s+(\S.*)$/i.exec(expression.trim())?.[1]
  return duration === undefined ? undefined : t('tasks.Every', { duration })
}
