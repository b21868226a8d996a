import { Button } from '@mantine/core'
import { IconLanguage } from '@tabler/icons-react'
import { useState } from 'react'
import { nameOf } from '../../i18n/locale.ts'
import { useLocale, useText } from '../../i18n/text.tsx'
import { lazyOverlay } from '../../ui/lazy-overlay.tsx'

const LanguagePicker = lazyOverlay(async () => (await import('./language-picker.tsx')).LanguagePicker)

/** Names the language in use and opens the choice of others. */
export function LanguageButton({ compact = false }: { compact?: boolean }) {
  const text = useText()
  const { locale } = useLocale()
  const [isOpen, setIsOpen] = useState(false)
  const [wasOpened, setWasOpened] = useState(false)

  return (
    <>
      <Button
        variant="subtle"
        color="gray"
        size="xs"
        leftSection={<IconLanguage size={19} stroke={1.6} aria-hidden />}
        aria-label={text('language.Language', { name: nameOf(locale) })}
        onClick={() => {
          setWasOpened(true)
          setIsOpen(true)
        }}
      >
        {!compact && <bdi>{nameOf(locale)}</bdi>}
      </Button>
      {wasOpened && <LanguagePicker opened={isOpen} onClose={() => setIsOpen(false)} />}
    </>
  )
}
