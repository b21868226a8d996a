import { Pill } from '@mantine/core'
import classes from './removable-pill.module.css'

interface RemovablePillProps {
  readonly label: string
  readonly removeLabel: string
  readonly onRemove: (() => void) | undefined
}

/** A value of a `TagsInput` or `MultiSelect` whose remove button can be reached by keyboard and on touch screens. */
export function RemovablePill({ label, removeLabel, onRemove }: RemovablePillProps) {
  return (
    <Pill
      withRemoveButton
      onRemove={() => onRemove?.()}
      classNames={classes}
      removeButtonProps={{ 'aria-hidden': false, 'aria-label': removeLabel, tabIndex: 0 }}
    >
      {label}
    </Pill>
  )
}
