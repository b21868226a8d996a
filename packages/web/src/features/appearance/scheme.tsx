import { ActionIcon, useComputedColorScheme, useMantineColorScheme } from '@mantine/core'
import { IconMoon, IconSun } from '@tabler/icons-react'
import { useEffect } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import { usePreference } from '../../session/preferences.tsx'

/** Light, dark, or as the system until a person has chosen. Kept per person when logged in, per browser otherwise. */
export function useScheme() {
  const [dark, setDark] = usePreference('dark', { orThisBrowsers: true })
  const shown = useComputedColorScheme('light', { getInitialValueInEffect: false })
  const chosen = dark === 'true' ? 'dark' : dark === 'false' ? 'light' : 'auto'
  return {
    shown,
    chosen,
    choose: (scheme: 'light' | 'dark' | 'auto') => setDark(scheme === 'auto' ? '' : String(scheme === 'dark')),
    toggle: () => setDark(String(shown !== 'dark')),
  } as const
}

/** Keeps the page in the chosen scheme. */
export function SchemeKeeper(): null {
  const { chosen } = useScheme()
  const { setColorScheme } = useMantineColorScheme({ keepTransitions: true })
  // biome-ignore lint/correctness/useExhaustiveDependencies: Mantine makes a new setter at every change of the scheme
  useEffect(() => setColorScheme(chosen), [chosen])
  return null
}

export function SchemeToggle() {
  const t = useT()
  const { shown, toggle } = useScheme()
  const Icon = shown === 'dark' ? IconSun : IconMoon
  return (
    <ActionIcon
      aria-label={t(shown === 'dark' ? 'shell.SwitchToLight' : 'shell.SwitchToDark')}
      title={t(shown === 'dark' ? 'shell.SwitchToLight' : 'shell.SwitchToDark')}
      onClick={toggle}
    >
      <Icon size={19} aria-hidden />
    </ActionIcon>
  )
}
