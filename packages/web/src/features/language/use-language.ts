import { languageSetting } from '@innkeeper/contract/text/languages'
import { useLocale, useT } from '../../i18n/i18n.tsx'
import { languageName } from '../../i18n/locale.ts'
import { usePreference } from '../../session/preferences.tsx'
import { useSession } from '../../session/session.tsx'
import { toast } from '../../ui/toasts/toast.tsx'

/**
 * The language in use and its setter. The panel stores the choice of a signed-in user because it sends emails in that
 * language.
 */
export function useLanguage() {
  const t = useT()
  const { locale, setLocale } = useLocale()
  const { isSignedIn } = useSession()
  const [, storeLanguage] = usePreference(languageSetting)
  const setLanguage = async (language: string) => {
    try {
      await setLocale(language)
    } catch (error) {
      console.error(error)
      return toast.error(t('language.NotLoaded', { name: languageName(language) }))
    }
    if (isSignedIn) storeLanguage(language)
  }
  return { locale, setLanguage }
}
