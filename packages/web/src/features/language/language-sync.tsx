import { languageSetting } from '@innkeeper/contract/text/languages'
import { useEffect } from 'react'
import { useLocale } from '../../i18n/i18n.tsx'
import { hasStoredLocale, locales } from '../../i18n/locale.ts'
import { usePreference } from '../../session/preferences.tsx'

/** Shows the language that a user selected in another browser, unless one was selected in this browser. */
export function LanguageSync(): null {
  const { locale, setLocale } = useLocale()
  const [preferred] = usePreference(languageSetting)
  const isWanted = preferred !== undefined && preferred !== locale && locales.includes(preferred)

  useEffect(() => {
    if (!isWanted || hasStoredLocale()) return
    // A language that cannot be loaded leaves the page as it is.
    setLocale(preferred).catch(console.error)
  }, [isWanted, preferred, setLocale])
  return null
}
