import { useMediaQuery } from '@mantine/hooks'
import { usePreference } from '../../session/preferences.tsx'
import { useIsPhone } from '../../ui/layout/page.tsx'

/** The height of the rows of the list, a choice of the user. */
export function useCompactRows() {
  const [stored, store] = usePreference('serverRows')
  const isTouch = useMediaQuery('(pointer: coarse)', false, { getInitialValueInEffect: false }) ?? false
  // A touch screen has higher buttons.
  const canBeCompact = !useIsPhone() && !isTouch
  return {
    canBeCompact,
    /** Whether rows are as low as one line of text. */
    isCompact: canBeCompact && stored === 'compact',
    toggle: () => store(stored === 'compact' ? 'normal' : 'compact'),
  }
}
