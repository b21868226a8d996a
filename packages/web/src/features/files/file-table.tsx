import { VisuallyHidden } from '@mantine/core'
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react'
import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual'
import {
  type KeyboardEvent,
  type MouseEvent,
  type RefObject,
  useImperativeHandle,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { dirname } from '../../api/file-paths.ts'
import { useHotkeys } from '../../hotkeys/hotkeys.tsx'
import { useFormatters, useT } from '../../i18n/i18n.tsx'
import { type Action, actions } from './actions.ts'
import { columnNames, type FileItem, type Sort, type SortColumn, sortColumns } from './entries.ts'
import type { MenuPosition } from './file-menu.tsx'
import { FileRow } from './file-row.tsx'
import classes from './file-table.module.css'
import { useLongPress } from './use-long-press.ts'
import type { FileSelection } from './use-selection.ts'

/** Longer lists render only the rows in view. */
const virtualizeFrom = 200
/** Rows that Page Up and Page Down move by. */
const pageSize = 10

export interface FileTableHandle {
  /** Focuses the row of a path; if there is none, the active row. */
  readonly focus: (path?: string) => void
}

interface FileTableProps {
  readonly items: readonly FileItem[]
  readonly sort: Sort
  readonly onSort: (by: SortColumn) => void
  readonly selection: FileSelection
  readonly canWrite: boolean
  readonly isPhone: boolean
  readonly isBusy: boolean
  /** Rows show the folder of their item. */
  readonly isSearchResult: boolean
  readonly initialScrollTop: number
  readonly onScroll: (top: number) => void
  readonly getHref: (path: string) => string
  readonly onOpen: (item: FileItem) => void
  readonly onAction: (action: Action, items: readonly FileItem[]) => void
  readonly onMenu: (items: readonly FileItem[], position: MenuPosition) => void
  readonly onUp: () => void
  readonly handle: RefObject<FileTableHandle | null>
}

/** Files and folders as an ARIA grid: one tab stop, moved by the arrow keys. */
export function FileTable(props: FileTableProps) {
  const { items, sort, onSort, selection, canWrite, isPhone, isBusy, isSearchResult, getHref, handle } = props
  const t = useT()
  const formatters = useFormatters()
  const scroller = useRef<HTMLDivElement>(null)
  const [activePath, setActivePath] = useState<string>()
  const rowToFocus = useRef<number>(undefined)
  const height = useRowHeight(isPhone)
  // One time for all rows, so that they stay memoized.
  // biome-ignore lint/correctness/useExhaustiveDependencies: updated with the list
  const now = useMemo(() => Date.now(), [items])
  const activeIndex = items.findIndex(({ path, isUnsupported }) => path === activePath && !isUnsupported)
  const activeRow = Math.max(activeIndex, 0)
  const isVirtualized = items.length > virtualizeFrom

  const rows = useVirtualizer({
    count: isVirtualized ? items.length : 0,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    overscan: 12,
    // Used until the element has been measured, so that the first render shows rows.
    initialRect: { width: 0, height: innerHeight },
    // Also scrolls a list that is not virtualized.
    initialOffset: props.initialScrollTop,
    // Lets React batch the render of a scroll with others.
    useFlushSync: false,
    // Unmounting the focused row would lose the focus.
    rangeExtractor: (range) => [...new Set([...defaultRangeExtractor(range), activeRow])].sort((a, b) => a - b),
  })

  const focusRow = (index: number) => {
    const item = items[index]
    if (!item) return scroller.current?.focus()
    setActivePath(item.path)
    rowToFocus.current = index
    if (isVirtualized) rows.scrollToIndex(index)
    applyFocus()
  }
  /** Focuses `rowToFocus` as soon as that row is rendered. */
  const applyFocus = () => {
    if (rowToFocus.current === undefined) return
    const row = scroller.current?.querySelector<HTMLElement>(`tr[data-index="${rowToFocus.current}"] [data-main]`)
    if (!row) return
    rowToFocus.current = undefined
    row.focus()
    row.closest('tr')?.scrollIntoView({ block: 'nearest' })
  }
  useLayoutEffect(applyFocus)
  useLayoutEffect(() => scroller.current?.style.setProperty('--ik-row', `${height}px`), [height])
  useImperativeHandle(handle, () => ({
    focus(path) {
      const index = items.findIndex((item) => item.path === path)
      if (path !== undefined && index >= 0) focusRow(index)
      else if (items.length > 0) focusRow(activeRow)
      else scroller.current?.focus()
    },
  }))

  const isInside = () => scroller.current?.contains(document.activeElement) === true
  const common = { group: t('files.Files'), hiddenInPalette: true }
  useHotkeys([
    {
      ...common,
      keys: 'j',
      label: t('common.NextRow'),
      run: () => focusRow(isInside() ? Math.min(activeRow + 1, items.length - 1) : activeRow),
    },
    {
      ...common,
      keys: 'k',
      label: t('common.PreviousRow'),
      run: () => focusRow(isInside() ? Math.max(activeRow - 1, 0) : activeRow),
    },
    {
      ...common,
      keys: 'x',
      label: t('common.SelectRow'),
      run: () => {
        const item = items[activeRow]
        if (item && !item.isUnsupported && isInside()) selection.toggle(item.path)
      },
    },
  ])

  const handleKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const target = event.target instanceof HTMLElement ? event.target : undefined
    const item = items[activeRow]
    if (!target || event.altKey) return
    const hasMod = event.ctrlKey || event.metaKey
    if (hasMod && event.key.toLowerCase() === 'a') selection.selectAll()
    else if (hasMod) return
    else if (event.key === 'Escape' && selection.selected.length > 0) selection.clear()
    else if (event.key === 'Backspace') props.onUp()
    else if (event.key === ' ' && target.dataset.action === 'open' && item && !item.isUnsupported)
      selection.toggle(item.path)
    else if (event.key === 'Delete' && canWrite && item) props.onAction('delete', getTargets(item))
    else if (event.key === 'F2' && canWrite && item && !item.isUnsupported) props.onAction('rename', [item])
    else if (event.key === 'ArrowRight' || event.key === 'ArrowLeft') moveInRow(target, event.key)
    else {
      const targetRow = getTargetRow(event.key, activeRow, items.length)
      const next = targetRow === undefined ? undefined : items[targetRow]
      if (targetRow === undefined || !next) return
      if (event.shiftKey && item) selection.selectRange(item.path, next.path)
      focusRow(targetRow)
    }
    event.preventDefault()
    event.stopPropagation()
  }
  /** An action on a selected item applies to the whole selection. */
  const getTargets = (item: FileItem) =>
    selection.has(item.path) ? selection.selected : item.isUnsupported ? [] : [item]

  const longPress = useLongPress((row, position) => {
    const item = items[row]
    if (item && !item.isUnsupported) props.onMenu(getTargets(item), { ...position, anchor: 'pointer' })
  })
  const handleClick = (event: MouseEvent<HTMLElement>) => {
    const target = findTarget(event, items)
    if (!target || longPress.wasLongPress()) return event.preventDefault()
    const { item, action, element } = target
    setActivePath(item.path)
    if (item.isUnsupported) return
    if (action === 'select') return selection.toggle(item.path, event.shiftKey)
    if (action === 'menu') {
      const { left, right, bottom } = element.getBoundingClientRect()
      const end = document.documentElement.dir === 'rtl' ? left : right
      // The button is labelled with the name of its row, so its menu acts on that row alone, whatever is selected.
      return props.onMenu([item], { x: end, y: bottom, anchor: 'button' })
    }
    const quickAction = actions.find((one) => one === action)
    if (quickAction) return props.onAction(quickAction, [item])
    const hasModifier = event.ctrlKey || event.metaKey || event.shiftKey
    // Ctrl and click on a folder opens it in another browser tab, as on any link.
    if (hasModifier && action === 'open' && item.isFolder && !event.shiftKey) return
    event.preventDefault()
    if (hasModifier || (isPhone && selection.selected.length > 0)) return selection.toggle(item.path, event.shiftKey)
    if (action === 'open' || (action === 'row' && !getSelection()?.toString())) props.onOpen(item)
  }
  const handleContextMenu = (event: MouseEvent<HTMLElement>) => {
    const target = findTarget(event, items)
    if (!target || target.item.isUnsupported) return
    event.preventDefault()
    setActivePath(target.item.path)
    const isKeyboard = event.clientX === 0 && event.clientY === 0
    const { left, bottom } = target.element.getBoundingClientRect()
    const position = isKeyboard ? { x: left + 24, y: bottom } : { x: event.clientX, y: event.clientY }
    props.onMenu(getTargets(target.item), { ...position, anchor: 'pointer' })
  }
  /** Moves the tab stop to the row that got the focus. */
  const handleFocus = (event: { readonly target: EventTarget }) => {
    const target = findTarget(event, items)
    if (target) setActivePath(target.item.path)
  }

  const renderedRows = isVirtualized ? rows.getVirtualItems() : items.map((_, index) => ({ index, start: 0, end: 0 }))
  let renderedEnd = 0
  const columnCount = isPhone ? 3 : 5
  const body = renderedRows.flatMap(({ index, start, end }) => {
    const item = items[index]
    if (!item) return []
    const gap = isVirtualized ? start - renderedEnd : 0
    renderedEnd = end
    return [
      ...(gap > 0 ? [<SpacerRow key={`before ${index}`} height={gap} columnCount={columnCount} />] : []),
      <FileRow
        key={item.isUnsupported ? `${index} ${item.path}` : item.path}
        item={item}
        index={index}
        isSelected={selection.has(item.path) && !item.isUnsupported}
        isActive={index === activeRow}
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
  const below = isVirtualized ? rows.getTotalSize() - renderedEnd : 0

  return (
    <div
      ref={scroller}
      className={classes.scroller}
      tabIndex={-1}
      onScroll={({ currentTarget }) => props.onScroll(currentTarget.scrollTop)}
      data-quiet-focus
      data-selecting={selection.selected.length > 0 || undefined}
    >
      <table
        className={classes.table}
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a table of controls with arrow keys is a grid
        role="grid"
        aria-label={t('files.Files')}
        aria-rowcount={items.length + 1}
        aria-multiselectable
        aria-busy={isBusy}
        onKeyDown={handleKeyDown}
      >
        <colgroup>
          <col className={classes.check} />
          <col />
          {!isPhone && <col className={classes.size} />}
          {!isPhone && <col className={classes.modified} />}
          <col className={classes.actions} />
        </colgroup>
        <thead>
          <tr aria-rowindex={1}>
            <th scope="col" className={classes.check}>
              <input
                type="checkbox"
                aria-label={t('files.SelectAll')}
                checked={selection.isAll}
                ref={(box) => {
                  if (box) box.indeterminate = selection.selected.length > 0 && !selection.isAll
                }}
                onChange={() => (selection.isAll ? selection.clear() : selection.selectAll())}
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
                      (sort.isDescending ? (
                        <IconArrowDown size={14} aria-hidden />
                      ) : (
                        <IconArrowUp size={14} aria-hidden />
                      ))}
                  </button>
                </th>
              ))}
            <th scope="col" className={classes.actions}>
              <VisuallyHidden>{t('common.Actions')}</VisuallyHidden>
            </th>
          </tr>
        </thead>
        {/* biome-ignore lint/a11y/useKeyWithClickEvents: the controls in the rows are buttons and links; their clicks bubble here */}
        <tbody onClick={handleClick} onContextMenu={handleContextMenu} onFocus={handleFocus} {...longPress.events}>
          {body}
          {below > 0 && <SpacerRow height={below} columnCount={columnCount} />}
        </tbody>
      </table>
    </div>
  )
}

/** Takes the height of rows that are not rendered. */
function SpacerRow({ height, columnCount }: { height: number; columnCount: number }) {
  return (
    <tr aria-hidden className={classes.spacer}>
      <td colSpan={columnCount} style={{ blockSize: height }} />
    </tr>
  )
}

/** The row of an event, and the `data-action` of the control in it; `row` outside of any control. */
function findTarget({ target }: { readonly target: EventTarget }, items: readonly FileItem[]) {
  if (!(target instanceof Element)) return undefined
  const row = target.closest<HTMLElement>('tr[data-index]')
  const item = items[Number(row?.dataset.index)]
  if (!row || !item) return undefined
  const control = target.closest<HTMLElement>('[data-action]')
  return { item, action: control?.dataset.action ?? 'row', element: control ?? row }
}

/** The row that a key moves to; `undefined` for other keys. */
function getTargetRow(key: string, index: number, count: number): number | undefined {
  const targets: Readonly<Record<string, number>> = {
    ArrowDown: index + 1,
    ArrowUp: index - 1,
    PageDown: index + pageSize,
    PageUp: index - pageSize,
    Home: 0,
    End: count - 1,
  }
  const target = targets[key]
  return target === undefined ? undefined : Math.min(Math.max(target, 0), count - 1)
}

/** Moves the focus to the next or previous control of a row. */
function moveInRow(target: HTMLElement, key: string): void {
  const controls = [...(target.closest('tr')?.querySelectorAll<HTMLElement>('[data-action]:not(:disabled, td)') ?? [])]
  const step = (key === 'ArrowRight') === (document.documentElement.dir !== 'rtl') ? 1 : -1
  controls[controls.indexOf(target) + step]?.focus()
}

/** Row height in pixels, as the virtualizer needs it; it follows the browser's font size. */
function useRowHeight(isPhone: boolean): number {
  return useMemo(() => {
    const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 16
    const isCoarse = matchMedia('(pointer: coarse)').matches
    return Math.round(rem * (isPhone ? 3.75 : isCoarse ? 2.875 : 2.625))
  }, [isPhone])
}
