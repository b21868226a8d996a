import { useMediaQuery } from '@mantine/hooks'
import { usePreference } from '../../session/preferences.tsx'
import { useIsPhone } from '../../ui/layout/page.tsx'

export interface CompactRows {
  /** A touch screen has higher buttons. */
  readonly canBeCompact: boolean
  /** Whether rows are as low as one line of text. */
  readonly isCompact: boolean
  readonly toggle: () => void
}

/** The height of the rows of the list, a choice of the user. */
export function useCompactRows(): CompactRows {
  const [stored, store] = usePreference('serverRows')
  const isTouch = useMediaQuery('(pointer: coarse)', false, { getInitialValueInEffect: false }) ?? false
  const canBeCompact = !useIsPhone() && !isTouch
  return {
    canBeCompact,
    isCompact: canBeCompact && stored === 'compact',
    toggle: () => store(stored === 'compact' ? 'normal' : 'compact'),
  }
}
