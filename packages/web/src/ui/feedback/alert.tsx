import { Box, Group, Alert as MantineAlert } from '@mantine/core'
import { IconAlertTriangle, IconCircleCheck, IconCircleX, IconInfoCircle } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import classes from './alert.module.css'

const icons = { info: IconInfoCircle, success: IconCircleCheck, warning: IconAlertTriangle, error: IconCircleX }
const tones = { info: 'info', success: 'online', warning: 'warning', error: 'offline' } as const

interface AlertProps {
  readonly type: keyof typeof icons
  readonly children: ReactNode
  /** A button or link at its end. */
  readonly action?: ReactNode
  /**
   * For a message that appears because something happened: `alert` is announced by screen readers at once, `status` at the
   * next pause. A `note` is part of the page and not announced.
   */
  readonly role?: 'alert' | 'status' | 'note'
}

/** A message with an icon and a color for its type. */
export function Alert({ type, children, action, role = type === 'error' ? 'alert' : 'note' }: AlertProps) {
  const Icon = icons[type]
  const style = { '--tone': `var(--ik-${tones[type]})`, '--tone-soft': `var(--ik-${tones[type]}-soft)` }
  return (
    <MantineAlert role={role} icon={<Icon size={18} aria-hidden />} style={style} classNames={classes}>
      <Group gap="sm">
        <Box flex="1 1 12rem" miw={0}>
          {children}
        </Box>
        {action}
      </Group>
    </MantineAlert>
  )
}
