import { ActionIcon, useComputedColorScheme, useMantineColorScheme } from '@mantine/core'
import { IconMoon, IconSun } from '@tabler/icons-react'
import { useEffect } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import { usePreference } from '../../session/preferences.tsx'
import { updateBarColor } from '../../theme/active-theme.ts'

export const colorSchemes = ['auto', 'light', 'dark'] as const
export type ColorScheme = (typeof colorSchemes)[number]

const fromPreference: Readonly<Record<string, ColorScheme>> = { true: 'dark', false: 'light' }
const toPreference: Readonly<Record<ColorScheme, string>> = { auto: '', light: 'false', dark: 'true' }

/** The color scheme of the signed-in user, or of this browser without a signed-in user. */
export function useColorSchemePreference() {
  const [dark = '', setDark] = usePreference('dark', { fallbackToLocal: true })
  /** What `auto` resolves to. */
  const computed = useComputedColorScheme('light', { getInitialValueInEffect: false })
  return {
    computed,
    scheme: fromPreference[dark] ?? 'auto',
    setScheme: (scheme: ColorScheme) => setDark(toPreference[scheme]),
    toggle: () => setDark(toPreference[computed === 'dark' ? 'light' : 'dark']),
  } as const
}

/** Applies the preferred color scheme to the page. */
export function ColorSchemeSync(): null {
  const { scheme, computed } = useColorSchemePreference()
  const { setColorScheme } = useMantineColorScheme({ keepTransitions: true })
  // biome-ignore lint/correctness/useExhaustiveDependencies: Mantine returns a new setter whenever the scheme changes
  useEffect(() => setColorScheme(scheme), [scheme])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the color of the page depends on them
  useEffect(updateBarColor, [scheme, computed])
  return null
}

export function ColorSchemeToggle() {
  const t = useT()
  const { computed, toggle } = useColorSchemePreference()
  const Icon = computed === 'dark' ? IconSun : IconMoon
  const label = t(computed === 'dark' ? 'shell.SwitchToLight' : 'shell.SwitchToDark')
  return (
    <ActionIcon aria-label={label} data-tip={label} onClick={toggle}>
      <Icon size={19} aria-hidden />
    </ActionIcon>
  )
}
