import type { ComponentProps } from 'react'
import classes from './row-list.module.css'

interface RowListProps extends ComponentProps<'ul'> {
  readonly label?: string
}

/** A list of rows with lines between them, for a card. Its children are `<li>` elements. */
export function RowList({ label, ...props }: RowListProps) {
  return <ul {...props} className={classes.list} aria-label={label} />
}
