import { getConfig } from '@innkeeper/contract/settings/panel'
import { IconDeviceDesktop, IconMoon, IconSun } from '@tabler/icons-react'
import { useApiQuery } from '../../api/use-api.ts'
import { usePreference } from '../../session/preferences.tsx'
import type { ColorScheme } from './color-scheme.tsx'

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
