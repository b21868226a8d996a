import { getTag } from '@innkeeper/contract/text/languages'
import type { i18n } from 'i18next'
import { useTranslation } from 'react-i18next'
import { createFormatters, type Formatters } from './formatters.ts'

const formattersByLocale = new WeakMap<i18n, Map<string, Formatters>>()

/** Formats numbers, sizes, times and lists in the user's language. */
export function useFormatters(): Formatters {
  const { i18n } = useTranslation()
  return getFormatters(i18n, i18n.language)
}

function getFormatters(i18n: i18n, locale: string): Formatters {
  const cache = formattersByLocale.get(i18n) ?? new Map<string, Formatters>()
  formattersByLocale.set(i18n, cache)
  const cached = cache.get(locale)
  if (cached) return cached
  const t = i18n.getFixedT(locale)
  const formatters = createFormatters(getTag(locale), (key, values) => t(key, values ?? {}))
  cache.set(locale, formatters)
  return formatters
}
