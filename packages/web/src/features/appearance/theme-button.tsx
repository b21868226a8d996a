import { getConfig } from '@innkeeper/contract/panel'
import { ActionIcon, Box } from '@mantine/core'
import { IconDeviceDesktop, IconMoon, IconSun } from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import { useApiQuery } from '../../api/use-api-query.ts'
import { useT } from '../../i18n/i18n.tsx'
import { usePreference } from '../../session/preferences.tsx'
import { showTheme } from '../../theme/active-theme.ts'
import { lazyOverlay } from '../../ui/lazy-overlay.tsx'
import { type ColorScheme, ColorSchemeToggle, useColorSchemePreference } from './color-scheme.tsx'

const ThemeMenu = lazyOverlay(async () => (await import('./theme-menu.tsx')).ThemeMenu)
const none: readonly string[] = []

export const schemeIcons = {
  auto: IconDeviceDesktop,
  light: IconSun,
  dark: IconMoon,
} as const satisfies Record<ColorScheme, unknown>

/** The themes of the panel, and the one that the user, or this browser, chose. */
export function useThemes() {
  const config = useApiQuery(getConfig, {}, { staleTime: 60_000 })
  const available = config.data?.themes.available ?? none
  const [preferred, setPreferred] = usePreference('preferredTheme', { fallbackToLocal: true })
  const isAvailable = preferred !== undefined && available.includes(preferred)
  return {
    available,
    /** `undefined` until the panel has responded. */
    current: config.data && (isAvailable ? preferred : config.data.themes.active),
    setPreferred,
  }
}

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
