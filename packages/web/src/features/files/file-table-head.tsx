import { VisuallyHidden } from '@mantine/core'
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react'
import { useT } from '../../i18n/i18n.tsx'
import controls from '../../ui/row-controls.module.css'
import { columnNames, type Sort, type SortColumn, sortColumns } from './entries.ts'
import classes from './file-table.module.css'
import type { FileSelection } from './use-file-selection.ts'

interface FileTableHeadProps {
  readonly sort: Sort
  readonly onSort: (by: SortColumn) => void
  readonly selection: FileSelection
  readonly isPhone: boolean
}

/** Selects all rows, and sorts them by a column. */
export function FileTableHead({ sort, onSort, selection, isPhone }: FileTableHeadProps) {
  const t = useT()
  return (
    <thead>
      <tr aria-rowindex={1}>
        <th scope="col" className={classes.check}>
          <input
            type="checkbox"
            className={controls.checkbox}
            aria-label={t('files.SelectAll')}
            checked={selection.isAll}
            ref={(box) => {
              if (box) box.indeterminate = selection.selected.length > 0 && !selection.isAll
            }}
            onChange={selection.toggleAll}
          />
        </th>
        {sortColumns
          .filter((column) => !isPhone || column === 'name')
          .map((column) => (
            <th
              key={column}
              scope="col"
              className={classes[column]}
              aria-sort={sort.by === column ? (sort.isDescending ? 'descending' : 'ascending') : 'none'}
            >
              <button type="button" onClick={() => onSort(column)}>
                {t(columnNames[column])}
                {sort.by === column &&
                  (sort.isDescending ? <IconArrowDown size={14} aria-hidden /> : <IconArrowUp size={14} aria-hidden />)}
              </button>
            </th>
          ))}
        <th scope="col" className={classes.actions}>
          <VisuallyHidden>{t('common.Actions')}</VisuallyHidden>
        </th>
      </tr>
    </thead>
  )
}
