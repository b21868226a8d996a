import { VisuallyHidden } from '@mantine/core'
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react'
import { type RefObject, useMemo } from 'react'
import { dirname } from '../../api/file-paths.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'
import controls from '../../ui/lists/row-controls.module.css'
import { columnNames, type Sort, type SortColumn, sortColumns } from './entries.ts'
import { FileRow } from './file-row.tsx'
import classes from './file-table.module.css'
import type { FileSelection } from './use-file-selection.ts'
import { type GridEventsOptions, useGridEvents } from './use-grid-events.ts'
import { type FileTableHandle, type GridRows, useGridRows } from './use-grid-rows.ts'

interface FileTableProps extends GridEventsOptions {
  readonly sort: Sort
  readonly onSort: (by: SortColumn) => void
  readonly isBusy: boolean
  /** Rows show the folder of their item. */
  readonly isSearchResult: boolean
  readonly initialScrollTop: number
  readonly onScroll: (top: number) => void
  readonly getHref: (path: string) => string
  readonly handle: RefObject<FileTableHandle | null>
}

/** Files and folders as an ARIA grid: one tab stop, moved by the arrow keys. */
export function FileTable(props: FileTableProps) {
  const { items, sort, onSort, selection, isPhone, isBusy, onScroll } = props
  const t = useT()
  const grid = useGridRows(props)
  const events = useGridEvents(props, grid)
  const hasSelection = selection.selected.length > 0

  return (
    <div
      ref={grid.scroller}
      className={classes.scroller}
      tabIndex={-1}
      onScroll={({ currentTarget }) => onScroll(currentTarget.scrollTop)}
      data-quiet-focus
      data-selecting={hasSelection || undefined}
    >
      <table
        className={`${controls.table} ${classes.table}`}
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a table of controls with arrow keys is a grid
        role="grid"
        aria-label={t('server.TabFiles')}
        aria-rowcount={items.length + 1}
        aria-multiselectable
        aria-busy={isBusy}
        onKeyDown={events.onKeyDown}
      >
        <colgroup>
          <col className={classes.check} />
          <col />
          {!isPhone && <col className={classes.size} />}
          {!isPhone && <col className={classes.modified} />}
          <col className={classes.actions} />
        </colgroup>
        <FileTableHead sort={sort} onSort={onSort} selection={selection} isPhone={isPhone} />
        <tbody {...events.rows}>
          <Rows {...props} grid={grid} />
        </tbody>
      </table>
    </div>
  )
}

function Rows({ grid, ...props }: FileTableProps & { readonly grid: GridRows }) {
  const { items, selection, canWrite, isPhone, isSearchResult, getHref } = props
  const t = useT()
  const formatters = useFormatters()
  // One time for all rows, so that they stay memoized.
  // biome-ignore lint/correctness/useExhaustiveDependencies: updated with the list
  const now = useMemo(() => Date.now(), [items])
  const columnCount = isPhone ? 3 : 5
  let renderedEnd = 0
  const rows = grid.rendered.flatMap(({ index, start, end }) => {
    const item = items[index]
    if (!item) return []
    const gap = start - renderedEnd
    renderedEnd = end
    return [
      ...(gap > 0 ? [<SpacerRow key={`before ${index}`} height={gap} columnCount={columnCount} />] : []),
      <FileRow
        key={item.isUnsupported ? `${index} ${item.path}` : item.path}
        item={item}
        index={index}
        isSelected={selection.has(item.path) && !item.isUnsupported}
        isActive={index === grid.activeRow}
        canWrite={canWrite}
        isPhone={isPhone}
        href={item.isFolder && !item.isUnsupported ? getHref(item.path) : undefined}
        folder={isSearchResult ? dirname(item.path) : undefined}
        t={t}
        formatters={formatters}
        now={now}
      />,
    ]
  })
  const below = grid.totalSize - renderedEnd
  return (
    <>
      {rows}
      {below > 0 && <SpacerRow height={below} columnCount={columnCount} />}
    </>
  )
}

/** Takes the height of rows that are not rendered. */
function SpacerRow({ height, columnCount }: { height: number; columnCount: number }) {
  return (
    <tr aria-hidden>
      <td colSpan={columnCount} style={{ blockSize: height }} />
    </tr>
  )
}

interface FileTableHeadProps {
  readonly sort: Sort
  readonly onSort: (by: SortColumn) => void
  readonly selection: FileSelection
  readonly isPhone: boolean
}

/** Selects all rows, and sorts them by a column. */
function FileTableHead({ sort, onSort, selection, isPhone }: FileTableHeadProps) {
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
              <button type="button" data-sorted={sort.by === column || undefined} onClick={() => onSort(column)}>
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
