import { IconAlertTriangle, IconCircleCheck, IconCircleX, IconInfoCircle } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import classes from './notice.module.css'

const icons = { info: IconInfoCircle, success: IconCircleCheck, warning: IconAlertTriangle, error: IconCircleX }

interface NoticeProps {
  readonly kind: keyof typeof icons
  readonly children: ReactNode
  /** A button or link at its end. */
  readonly action?: ReactNode
  /** Read out as soon as it appears: for what a person must know now. */
  readonly urgent?: boolean
}

/** A message in its place: icon, words and colour say what kind. */
export function Notice({ kind, children, action, urgent = kind === 'error' }: NoticeProps) {
  const Icon = icons[kind]
  return (
    <div className={`${classes.notice} ${classes[kind]}`} role={urgent ? 'alert' : 'status'}>
      <span className={classes.icon}>
        <Icon size={18} stroke={1.6} aria-hidden />
      </span>
      <div className={classes.body}>{children}</div>
      {action}
    </div>
  )
}
