import { getTag } from '@innkeeper/contract/text/languages'
import { useQuery } from '@tanstack/react-query'
import { type Formatters, hasTwelveHourClock } from '../../i18n/formatters.ts'
import { type TFunction, useLocale, useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'
import { weekdaysFromMonday } from '../../i18n/zoned-time.ts'
import { getCronMode, parseCron } from './cron-fields.ts'

/** The translations of cronstrue, each a chunk of its own. English is part of the library. */
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

/** Languages that have another name in cronstrue. */
const localeAliases: Readonly<Record<string, string>> = { zh_HK: 'zh_TW', no: 'nb' }

/** The cronstrue locale of a language: the same locale, that of its language without the region, or English. */
export function getCronLocale(language: string): string {
  const prefix = language.split('_')[0] ?? ''
  const names = [language, prefix].map((name) => localeAliases[name] ?? name)
  return names.find((name) => Object.hasOwn(loaders, name)) ?? 'en'
}

/** Describes a cron expression in words; `undefined` when it is invalid. */
export type DescribeCron = (expression: string) => string | undefined

export async function loadCronDescriptions(language: string): Promise<DescribeCron> {
  const locale = getCronLocale(language)
  const [{ toString: describe }] = await Promise.all([import('cronstrue'), loaders[locale]?.()])
  // cronstrue does not translate AM and PM to Chinese.
  const use24HourTimeFormat = locale.startsWith('zh') || !hasTwelveHourClock(getTag(language))
  return (expression) => {
    try {
      return describe(expression, { locale, use24HourTimeFormat })
    } catch {
      // cronstrue throws strings for invalid expressions.
      return undefined
    }
  }
}

/**
 * Describes cron expressions in the user's language: those of the forms by sentences of the catalog, others by cronstrue.
 * Until its translation is loaded, and for invalid expressions, the function returns the expression itself.
 */
export function useCronDescription(): (expression: string) => string {
  const t = useT()
  const { locale } = useLocale()
  const descriptions = useQuery({
    queryKey: ['cron-descriptions', locale],
    queryFn: () => loadCronDescriptions(locale),
    staleTime: Number.POSITIVE_INFINITY,
    meta: { quiet: true },
  })
  const formatters = useFormatters()
  return (expression) =>
    describeInterval(t, expression) ??
    describeSimpleCron(t, formatters, expression) ??
    descriptions.data?.(expression) ??
    expression
}

/** cronstrue does not support `@every`. */
function describeInterval(t: TFunction, expression: string): string | undefined {
  const duration = /^@every\s+(\S.*)$/i.exec(expression.trim())?.[1]
  return duration === undefined ? undefined : t('tasks.Every', { duration })
}

/** Describes an expression that one of the forms can represent: `Mondays at 3:30 AM`; `undefined` for any other. */
export function describeSimpleCron(
  t: TFunction,
  { timeOfDay, list }: Pick<Formatters, 'timeOfDay' | 'list'>,
  expression: string,
): string | undefined {
  const mode = getCronMode(expression)
  const { minute, hour, day, month, weekdays } = parseCron(expression)
  const count = (amount: number | '*') => (amount === '*' ? 1 : amount)
  if (mode === 'advanced') return undefined
  // "Every day" has keys of its own: the plural category of 1 is that of 21 as well in some languages.
  if (mode === 'hourly') {
    return count(hour) === 1 ? t('tasks.EveryHour', { minute }) : t('tasks.RunsHourly', { count: count(hour), minute })
  }
  const time = timeOfDay(count(hour), minute)
  if (mode === 'daily') {
    return count(day) === 1 ? t('tasks.EveryDay', { time }) : t('tasks.RunsDaily', { count: count(day), time })
  }
  if (mode === 'monthly') {
    const values = { day: count(day), time }
    return count(month) === 1
      ? t('tasks.EveryMonth', values)
      : t('tasks.RunsMonthly', { count: count(month), ...values })
  }
  const days = weekdaysFromMonday.filter((weekday) => weekdays.includes(weekday))
  return t('tasks.RunsWeekly', { days: list(days.map((weekday) => t(`tasks.OnWeekday_${weekday}`))), time })
}
