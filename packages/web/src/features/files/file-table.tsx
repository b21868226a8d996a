import { VisuallyHidden } from '@mantine/core'
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react'
import { type RefObject, useMemo } from 'react'
import { dirname } from '../../api/file-paths.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'
import controls from '../../ui/lists/row-controls.module.css'
import { columnNames, sortColumns } from './entries.ts'
import { FileRow } from './file-row.tsx'
import classes from './file-table.module.css'
import type { FileBrowserState } from './use-file-browser.ts'
import { type GridEventsOptions, useGridEvents } from './use-grid-events.ts'
import { type FileTableHandle, type GridRows, useGridRows } from './use-grid-rows.ts'

interface FileTableProps extends GridEventsOptions {
  readonly initialScrollTop: number
  readonly onScroll: (top: number) => void
  readonly handle: RefObject<FileTableHandle | null>
}

/** Files and folders as an ARIA grid: one tab stop, moved by the arrow keys. */
export function FileTable(props: FileTableProps) {
  const { browser, onScroll, initialScrollTop, handle } = props
  const { listed, query, selection, isPhone } = browser
  const t = useT()
  const grid = useGridRows({ items: listed.items, isPhone, initialScrollTop, handle })
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
        aria-rowcount={listed.items.length + 1}
        aria-multiselectable
        aria-busy={query.isFetching}
        onKeyDown={events.onKeyDown}
      >
        <colgroup>
          <col className={classes.check} />
          <col />
          {!isPhone && <col className={classes.size} />}
          {!isPhone && <col className={classes.modified} />}
          <col className={classes.actions} />
        </colgroup>
        <FileTableHead {...browser} />
        <tbody {...events.rows}>
          <Rows browser={browser} grid={grid} />
        </tbody>
      </table>
    </div>
  )
}

function Rows({ browser, grid }: { browser: FileBrowserState; grid: GridRows }) {
  const { selection, canWrite, isPhone, getHref } = browser
  const { items, search } = browser.listed
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
        folder={search.isSearching ? dirname(item.path) : undefined}
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

/** Selects all rows, and sorts them by a column. */
function FileTableHead({ listed: { sort, sortBy }, selection, isPhone }: FileBrowserState) {
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
              <button type="button" data-sorted={sort.by === column || undefined} onClick={() => sortBy(column)}>
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
