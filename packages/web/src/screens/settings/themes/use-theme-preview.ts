import type { Theme } from '@innkeeper/contract/theme/theme-file'
import { useCallback, useEffect, useState } from 'react'
import { useThemes } from '../../../features/appearance/use-themes.ts'
import { showLoadedTheme, showTheme } from '../../../theme/active-theme.ts'

/** Shows a theme on this page only, until it is stopped or the page is left. */
export function useThemePreview() {
  const { current } = useThemes()
  const [name, setName] = useState<string>()
  const stop = useCallback(() => {
    setName(undefined)
    // The theme was on screen before: it is loaded from the browser's cache.
    if (current !== undefined) showTheme(current).catch((error: unknown) => console.warn(error))
  }, [current])
  const start = useCallback(async (newName: string, theme: Theme) => {
    const { toLoadedTheme } = await import('../../../theme/load-theme.ts')
    showLoadedTheme(toLoadedTheme(newName, theme))
    setName(newName)
  }, [])
  const isActive = name !== undefined
  useEffect(() => (isActive ? stop : undefined), [isActive, stop])
  return { name, start, stop }
}
export type ThemePreview = ReturnType<typeof useThemePreview>
