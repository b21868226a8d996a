import { Alert as MantineAlert } from '@mantine/core'
import { IconAlertTriangle, IconCircleCheck, IconCircleX, IconInfoCircle } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import classes from './alert.module.css'

const icons = { info: IconInfoCircle, success: IconCircleCheck, warning: IconAlertTriangle, error: IconCircleX }

interface AlertProps {
  readonly type: keyof typeof icons
  readonly children: ReactNode
  /** A button or link at its end. */
  readonly action?: ReactNode
  /** Read out at once when it appears; otherwise a screen reader waits for a pause. */
  readonly urgent?: boolean
}

/** A message in its place: icon, words and colour say of which type it is. */
export function Alert({ type, children, action, urgent = type === 'error' }: AlertProps) {
  const Icon = icons[type]
  return (
    <MantineAlert
      role={urgent ? 'alert' : 'status'}
      icon={<Icon size={18} aria-hidden />}
      classNames={{
        root: `${classes.root} ${classes[type]}`,
        wrapper: classes.wrapper,
        icon: classes.icon,
        message: classes.message,
      }}
    >
      <div className={classes.text}>{children}</div>
      {action}
    </MantineAlert>
  )
}
