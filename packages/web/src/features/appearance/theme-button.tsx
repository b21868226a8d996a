import { ActionIcon, Box } from '@mantine/core'
import { useEffect, useState } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import { showTheme } from '../../theme/active-theme.ts'
import { lazyOverlay } from '../../ui/loading/lazy-overlay.tsx'
import { ColorSchemeToggle, useColorSchemePreference } from './color-scheme.tsx'
import { schemeIcons, useThemes } from './use-themes.ts'

const ThemeMenu = lazyOverlay(async () => (await import('./theme-menu.tsx')).ThemeMenu)

/** Shows the chosen theme. */
export function ThemeSync(): null {
  const { current } = useThemes()
  useEffect(() => {
    if (current === undefined) return
    // Without its theme the page is as usable as before: nothing the user must act on.
    showTheme(current).catch((error: unknown) => console.warn(error))
  }, [current])
  return null
}

/** Chooses the color scheme, and the theme where there is more than one. */
export function ThemeButton() {
  const { available } = useThemes()
  return available.length > 1 ? <MenuButton /> : <ColorSchemeToggle />
}

function MenuButton() {
  const t = useT()
  const { scheme } = useColorSchemePreference()
  const [isOpen, setIsOpen] = useState(false)
  const Icon = schemeIcons[scheme]
  return (
    <Box pos="relative">
      <ActionIcon
        aria-label={t('shell.Appearance')}
        data-tip={t('shell.Appearance')}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        onClick={() => setIsOpen(true)}
      >
        <Icon size={19} aria-hidden />
      </ActionIcon>
      <ThemeMenu opened={isOpen} onClose={() => setIsOpen(false)} />
    </Box>
  )
}
