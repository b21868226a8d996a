import { Popover } from '@mantine/core'
import type { ReactNode } from 'react'

interface InfoPopoverProps {
  /** The button that opens it. */
  readonly children: ReactNode
  readonly text: string
}

/** More about what a button says. Unlike a tooltip, everyone can open it: by click, touch and keyboard. */
export function InfoPopover({ children, text }: InfoPopoverProps) {
  return (
    <Popover withArrow returnFocus>
      <Popover.Target>{children}</Popover.Target>
      <Popover.Dropdown maw="20rem" fz="compact">
        {text}
      </Popover.Dropdown>
    </Popover>
  )
}
