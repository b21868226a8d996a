import { useHotkeys as useKeyCombinations } from '@mantine/hooks'
import { usePreference } from '../session/preferences.tsx'
import { hasCommandKey } from './platform.ts'

/**
 * A combination with a modifier, `mod+k`; `mod` is ⌘ on Apple's keyboards and Ctrl on others. It also works while typing. Saving
 * works when shortcuts are off, too: the browser would save the page instead.
 */
export function useShortcut(combination: `mod+${string}`, run: () => void): void {
  const [preference] = usePreference('shortcuts')
  const keys = combination.replace('mod', hasCommandKey() ? 'meta' : 'ctrl')
  useKeyCombinations(preference === 'off' && combination !== 'mod+s' ? [] : [[keys, run]], [], true)
}
