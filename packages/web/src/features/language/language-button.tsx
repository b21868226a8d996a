import { Button } from '@mantine/core'
import { IconLanguage } from '@tabler/icons-react'
import { useState } from 'react'
import { useLocale, useT } from '../../i18n/i18n.tsx'
import { languageName } from '../../i18n/locale.ts'
import { lazyOverlay } from '../../ui/lazy-overlay.tsx'

const LanguagePicker = lazyOverlay(async () => (await import('./language-picker.tsx')).LanguagePicker)

/** Names the language in use and opens the choice of others. */
export function LanguageButton({ compact = false }: { compact?: boolean }) {
  const t = useT()
  const { locale } = useLocale()
  const [isOpen, setIsOpen] = useState(false)
  const [wasOpened, setWasOpened] = useState(false)

  return (
    <>
      <Button
        variant="subtle"
        color="gray"
        size="xs"
        leftSection={<IconLanguage size={19} aria-hidden />}
        aria-label={t('language.Language', { name: languageName(locale) })}
        onClick={() => {
          setWasOpened(true)
          setIsOpen(true)
        }}
      >
        {!compact && <bdi>{languageName(locale)}</bdi>}
      </Button>
      {wasOpened && <LanguagePicker opened={isOpen} onClose={() => setIsOpen(false)} />}
    </>
  )
}
