import { languageSetting } from '@innkeeper/contract/languages'
import { useCallback } from 'react'
import { useLocale, useT } from '../../i18n/i18n.tsx'
import { languageName } from '../../i18n/locale.ts'
import { usePreference } from '../../session/preferences.tsx'
import { useSession } from '../../session/session.tsx'
import { toast } from '../../ui/toast.tsx'

/** The language in use, and a way to another. The panel is told what a person who is logged in chose: mails come in it. */
export function useLanguage() {
  const t = useT()
  const { locale, choose: show } = useLocale()
  const { loggedIn } = useSession()
  const [, tellPanel] = usePreference(languageSetting)
  const choose = useCallback(
    async (language: string) => {
      try {
        await show(language)
      } catch (error) {
        console.error(error)
        return toast.error(t('language.NotLoaded', { name: languageName(language) }))
      }
      if (loggedIn) tellPanel(language)
    },
    [t, show, loggedIn, tellPanel],
  )
  return { locale, choose }
}
