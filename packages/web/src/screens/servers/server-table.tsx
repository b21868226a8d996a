import type { ListedServer } from '@innkeeper/contract/servers/servers'
import { Group, Skeleton, Text, VisuallyHidden } from '@mantine/core'
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react'
import { type MouseEvent, memo, useRef } from 'react'
import { useNavigate } from 'react-router'
import { useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'
import { usePinnedServers } from '../../session/preferences.tsx'
import { findControls, moveInList, useArrowFocus } from '../../ui/keyboard/use-arrow-focus.ts'
import controls from '../../ui/lists/row-controls.module.css'
import type { Selection } from '../../ui/lists/use-selection.ts'
import { type Column, columns } from './columns.tsx'
import { type Sorting, toggleSort } from './list/list-filter.ts'
import { getRenderedRows, type ServerListProps, toRow } from './list/server-list.ts'
import { ServerTableRow } from './server-row.tsx'
import classes from './servers.module.css'

interface ServerTableProps extends ServerListProps {
  readonly selection: Selection<ListedServer>
  readonly sorting: Sorting
  readonly selectAllLabel: string
  /** Without tags they cannot be sorted by, and the address has a column of its own in a narrower list. */
  readonly hasTags: boolean
  /** Whether rows are as low as one line of text. */
  readonly isCompact: boolean
}

/**
 * Servers as a table. A click on a row opens its server; the arrow keys, `j`, `k`, Enter and `x` work on the focused row. It is not
 * Mantine's, which brings scroll areas and floating elements into the first load.
 */
export function ServerTable({ selection, sorting, selectAllLabel, hasTags, isCompact, ...list }: ServerTableProps) {
  const t = useT()
  const formatters = useFormatters()
  const navigate = useNavigate()
  const { pinned } = usePinnedServers()
  const body = useRef<HTMLTableSectionElement>(null)

  const getId = (row: number) => body.current?.querySelectorAll<HTMLElement>('a[data-row]')[row]?.dataset.row
  const selectRange = (from: number, to: number) => {
    const [one, other] = [getId(from), getId(to)]
    if (one && other) selection.selectRange(one, other)
  }
  const moveFocus = useArrowFocus({
    move: moveInList,
    root: body,
    // Only the rendered rows: the next ones follow as these scroll into view.
    getRows: (rows) => findControls(rows, 'tr', 'a, button, input'),
    // In a list that scrolls, rows of the range may not be loaded.
    ...(list.rendered ? {} : { onRange: selectRange }),
    hotkeys: {
      group: t('servers.List'),
      onSelect: (row) => {
        const id = getId(row)
        if (id) selection.toggle(id)
      },
    },
  })

  const open = (event: MouseEvent<HTMLElement>) => {
    if (event.defaultPrevented || !(event.target instanceof HTMLElement)) return
    if (event.target.closest('a, button, input, label') || getSelection()?.toString()) return
    const id = event.target.closest('tr')?.querySelector<HTMLElement>('a[data-row]')?.dataset.row
    if (id) void navigate(`/server/${id}`)
  }
  return (
    <table
      className={`${controls.table} ${classes.table}`}
      data-tags={hasTags || undefined}
      data-compact={isCompact || undefined}
      data-selecting={selection.selected.length > 0 || undefined}
      aria-rowcount={list.rendered && list.rows.length + 1}
    >
      <TableHead
        {...{ selectAllLabel, hasTags, actions: list.actions }}
        isAllSelected={selection.isAll}
        isAnySelected={selection.selected.length > 0}
        sort={sorting.sort}
        order={sorting.order}
      />
      <tbody ref={body} onClick={open} onKeyDown={moveFocus}>
        <Spacer height={list.rendered?.before} />
        {getRenderedRows(list).map(({ index, server }) => {
          const rowIndex = list.rendered && index + 2
          return server ? (
            <ServerTableRow
              key={server.id}
              {...toRow(server, list)}
              {...{ t, formatters }}
              isSelected={selection.has(server.id)}
              isPinned={pinned.includes(server.id)}
              aria-rowindex={rowIndex}
            />
          ) : (
            <LoadingRow key={index} aria-rowindex={rowIndex} />
          )
        })}
        <Spacer height={list.rendered?.after} />
      </tbody>
    </table>
  )
}

interface TableHeadProps extends Sorting, Pick<ServerTableProps, 'selectAllLabel' | 'hasTags' | 'actions'> {
  readonly isAllSelected: boolean
  readonly isAnySelected: boolean
}

/** Memoized: a list that scrolls is rendered with every frame. */
const TableHead = memo(function TableHead({ selectAllLabel, hasTags, actions, ...props }: TableHeadProps) {
  const { isAllSelected, isAnySelected, ...sorting } = props
  const t = useT()
  return (
    <thead>
      <tr>
        <th scope="col" className={classes.select}>
          <label>
            <input
              type="checkbox"
              className={controls.checkbox}
              aria-label={selectAllLabel}
              checked={isAllSelected}
              ref={(box) => {
                if (box) box.indeterminate = isAnySelected && !isAllSelected
              }}
              onChange={actions.toggleAll}
            />
          </label>
        </th>
        {Object.entries(columns).map(([name, { buttons, ...column }]) => (
          <SortableHeader
            key={name}
            {...column}
            buttons={buttons.filter(({ sort }) => sort !== 'tags' || hasTags)}
            sorting={sorting}
            onSort={actions.sort}
          />
        ))}
        <th scope="col" className={classes.actions}>
          <VisuallyHidden>{t('common.Actions')}</VisuallyHidden>
        </th>
      </tr>
    </thead>
  )
})

interface SortableHeaderProps extends Omit<Column, 'render'> {
  readonly sorting: Sorting
  readonly onSort: (sorting: Sorting) => void
}

/** A column header that sorts by its column; the next click reverses the order. */
function SortableHeader(props: SortableHeaderProps) {
  const { buttons, sorting, onSort, className: cellClass, isNumeric = false } = props
  const t = useT()
  const isSorted = buttons.some(({ sort }) => sort === sorting.sort)
  const Arrow = sorting.order === 'asc' ? IconArrowUp : IconArrowDown
  return (
    <th
      scope="col"
      className={cellClass}
      aria-sort={isSorted ? (sorting.order === 'asc' ? 'ascending' : 'descending') : undefined}
    >
      <Group gap="md" wrap="nowrap" justify={isNumeric ? 'flex-end' : 'flex-start'}>
        {buttons.map(({ sort, label, className }) => (
          <button
            key={sort}
            type="button"
            className={className}
            data-sorted={sort === sorting.sort || undefined}
            onClick={() => onSort(toggleSort(sort, sorting))}
          >
            <Text span inherit truncate>
              {t(label)}
            </Text>
            {sort === sorting.sort && <Arrow size={13} aria-hidden />}
          </button>
        ))}
      </Group>
    </th>
  )
}

/** The height of the rows that are not rendered. */
function Spacer({ height = 0 }: { height?: number | undefined }) {
  return height > 0 && <tr aria-hidden style={{ blockSize: height }} />
}

/** A row that is not loaded yet. */
function LoadingRow(props: { 'aria-rowindex': number | undefined }) {
  const t = useT()
  return (
    <tr {...props}>
      <td colSpan={Object.keys(columns).length + 2}>
        <Skeleton h={12} maw="24rem" role="img" aria-label={t('common.Loading')} />
      </td>
    </tr>
  )
}
