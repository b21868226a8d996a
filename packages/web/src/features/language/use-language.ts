import { languageSetting } from '@innkeeper/contract/languages'
import { useCallback } from 'react'
import { nameOf } from '../../i18n/locale.ts'
import { useLocale, useText } from '../../i18n/text.tsx'
import { usePreference } from '../../session/preferences.tsx'
import { useSession } from '../../session/session.tsx'
import { toast } from '../../ui/toast.tsx'

/** The language in use, and a way to another. The panel is told what a person who is logged in chose: mails come in it. */
export function useLanguage() {
  const text = useText()
  const { locale, choose: show } = useLocale()
  const { loggedIn } = useSession()
  const [, tellPanel] = usePreference(languageSetting)
  const choose = useCallback(
    async (language: string) => {
      try {
        await show(language)
      } catch (error) {
        console.error(error)
        return toast.error(text('language.NotLoaded', { name: nameOf(language) }))
      }
      if (loggedIn) tellPanel(language)
    },
    [text, show, loggedIn, tellPanel],
  )
  return { locale, choose }
}
