import { Paper } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './account-screen.module.css'

interface PartProps {
  /** What a link leads to: `#two-factor`. */
  readonly id: string
  readonly title: string
  /** At the end of its head. */
  readonly aside?: ReactNode
  /** The content brings its own distances. */
  readonly isBare?: boolean
  readonly children: ReactNode
}

/** One card of the account. */
export function Part({ id, title, aside, isBare = false, children }: PartProps) {
  return (
    <section id={id} className={classes.part} aria-labelledby={`${id}-title`} tabIndex={-1} data-quiet-focus>
      <Paper>
        <div className={classes.head}>
          <h2 id={`${id}-title`}>{title}</h2>
          {aside}
        </div>
        {isBare ? children : <div className={classes.body}>{children}</div>}
      </Paper>
    </section>
  )
}
