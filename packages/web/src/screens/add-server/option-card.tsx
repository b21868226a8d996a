import { Group, Radio } from '@mantine/core'
import type { KeyboardEvent, ReactNode } from 'react'
import classes from './add-server.module.css'

interface OptionCardProps {
  readonly value: string
  /** Tab stops at one card of a group; the arrow keys move between them. See `getTabStop`. */
  readonly isTabStop: boolean
  readonly disabled?: boolean
  readonly withIndicator?: boolean
  /** Double click and Enter select the card and go on. */
  readonly onChoose?: () => void
  readonly children: ReactNode
}

/** A card of a `Radio.Group`. */
export function OptionCard(props: OptionCardProps) {
  const { value, isTabStop, disabled = false, withIndicator = false, onChoose, children } = props
  const choose = onChoose && {
    onDoubleClick: onChoose,
    onKeyDown: (event: KeyboardEvent) => {
      if (event.key !== 'Enter' || event.ctrlKey || event.metaKey) return
      event.preventDefault()
      onChoose()
    },
  }
  return (
    <Radio.Card
      value={value}
      className={classes.card}
      radius="lg"
      px="md"
      py="sm"
      disabled={disabled}
      tabIndex={isTabStop ? 0 : -1}
      {...choose}
      // Arrow keys move among the cards of one name, and must not stop at a disabled one.
      {...(disabled ? { name: 'disabled' } : {})}
    >
      <Group gap="sm" wrap="nowrap">
        {withIndicator && <Radio.Indicator className={classes.indicator} />}
        {children}
      </Group>
    </Radio.Card>
  )
}

/** The card that Tab stops at: the selected one, or else the first. */
export function getTabStop(values: readonly string[], selected: string | undefined): string | undefined {
  return values.find((value) => value === selected) ?? values[0]
}
