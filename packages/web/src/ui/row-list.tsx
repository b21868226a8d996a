import type { ReactNode } from 'react'
import classes from './row-list.module.css'

/** A list of rows with lines between them, for a card. Its children are `<li>` elements. */
export function RowList({ label, children }: { label?: string; children: ReactNode }) {
  return (
    <ul className={classes.list} aria-label={label}>
      {children}
    </ul>
  )
}
