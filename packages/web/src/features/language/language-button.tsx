import { Button } from '@mantine/core'
import { IconLanguage } from '@tabler/icons-react'
import { useState } from 'react'
import { useLocale, useT } from '../../i18n/i18n.tsx'
import { languageName } from '../../i18n/locale.ts'
import { lazyOverlay } from '../../ui/loading/lazy-overlay.tsx'

const LanguagePicker = lazyOverlay(async () => (await import('./language-picker.tsx')).LanguagePicker)

/** A button with the current language that opens the language picker. */
export function LanguageButton() {
  const t = useT()
  const { locale } = useLocale()
  const [isOpen, setIsOpen] = useState(false)

  return (
    <>
      <Button
        variant="subtle"
        size="xs"
        leftSection={<IconLanguage size={19} aria-hidden />}
        aria-label={t('language.Language', { name: languageName(locale) })}
        onClick={() => setIsOpen(true)}
      >
        <bdi>{languageName(locale)}</bdi>
      </Button>
      <LanguagePicker opened={isOpen} onClose={() => setIsOpen(false)} />
    </>
  )
}
