import { Table, type TableProps } from '@mantine/core'
import classes from './card-table.module.css'

/**
 * A table whose rows become cards where it is narrow. There its cells are flex items: they take `flex` and `order`, and
 * show the text of their `data-label`.
 */
export function CardTable(props: TableProps) {
  return (
    <div className={classes.frame}>
      <Table className={classes.table} {...props} />
    </div>
  )
}
