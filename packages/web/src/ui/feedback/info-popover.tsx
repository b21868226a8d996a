import { Popover } from '@mantine/core'
import { type KeyboardEvent, type ReactNode, useState } from 'react'

interface ButtonProps {
  readonly onClick: () => void
  readonly onKeyDown: (event: KeyboardEvent) => void
}

interface InfoPopoverProps {
  /** Renders the button that opens it. */
  readonly renderButton: (props: ButtonProps) => ReactNode
  readonly text: string
}

/** More about what a button says. Unlike a tooltip, everyone can open it: by click, touch and keyboard. */
export function InfoPopover({ renderButton, text }: InfoPopoverProps) {
  const [opened, setOpened] = useState(false)
  const onKeyDown = (event: KeyboardEvent) => {
    if (!opened || event.key !== 'Escape') return
    // The dialog around it stays open.
    event.stopPropagation()
    setOpened(false)
  }
  return (
    <Popover opened={opened} onChange={setOpened} withArrow>
      <Popover.Target>{renderButton({ onClick: () => setOpened(!opened), onKeyDown })}</Popover.Target>
      <Popover.Dropdown maw="20rem" fz="compact">
        {text}
      </Popover.Dropdown>
    </Popover>
  )
}
