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
  /** Announced by screen readers at once when it appears; otherwise at the next pause. */
  readonly urgent?: boolean
  /** Part of the page from the start: not announced. */
  readonly isStatic?: boolean
}

/** A message with an icon and a color for its type. */
export function Alert({ type, children, action, urgent = type === 'error', isStatic = false }: AlertProps) {
  const Icon = icons[type]
  const style = { '--tone': `var(--ik-${tones[type]})`, '--tone-soft': `var(--ik-${tones[type]}-soft)` }
  return (
    <MantineAlert
      role={isStatic ? 'note' : urgent ? 'alert' : 'status'}
      icon={<Icon size={18} aria-hidden />}
      style={style}
      classNames={classes}
    >
      <Group gap={10}>
        <Box flex="1 1 12rem" miw={0}>
          {children}
        </Box>
        {action}
      </Group>
    </MantineAlert>
  )
}
