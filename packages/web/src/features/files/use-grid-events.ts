import { type KeyboardEvent, type MouseEvent, type PointerEvent, useRef } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import { isRtl } from '../../ui/keyboard/arrow-keys.ts'
import { moveInList, useArrowFocus } from '../../ui/keyboard/use-arrow-focus.ts'
import { actions } from './actions.ts'
import type { FileItem } from './entries.ts'
import type { MenuPosition } from './file-menu.tsx'
import type { FileBrowserState } from './use-file-browser.ts'
import type { GridRows } from './use-grid-rows.ts'

export interface GridEventsOptions {
  readonly browser: FileBrowserState
  readonly onMenu: (items: readonly FileItem[], position: MenuPosition) => void
}

/** Keys, clicks and long presses in the grid. The rows have no handlers of their own; see `FileRow`. */
export function useGridEvents({ browser, onMenu }: GridEventsOptions, grid: GridRows) {
  const { selection, canWrite, isPhone, goUp } = browser
  const { items } = browser.listed
  const { open, runAction } = browser.actions
  const { scroller, activeRow, setActivePath, focusRow } = grid
  const t = useT()
  const moveFocus = useArrowFocus({
    move: moveInList,
    root: scroller,
    getRows: (root) => getControls(root, items.length),
    focusRow,
    onRange: (from, to) => {
      const [firstItem, lastItem] = [items[from], items[to]]
      if (firstItem && lastItem) selection.selectRange(firstItem.path, lastItem.path)
    },
    hotkeys: {
      group: t('server.TabFiles'),
      firstRow: activeRow,
      onSelect: (index) => {
        const item = items[index]
        if (item && !item.isUnsupported) selection.toggle(item.path)
      },
    },
  })

  const handleKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const target = event.target instanceof HTMLElement ? event.target : undefined
    const item = items[activeRow]
    if (!target || event.altKey) return
    const hasMod = event.ctrlKey || event.metaKey
    if (moveFocus(event)) return
    if (hasMod && event.key.toLowerCase() === 'a') selection.selectAll()
    else if (hasMod) return
    else if (event.key === 'Escape' && selection.selected.length > 0) selection.clear()
    else if (event.key === 'Backspace') goUp()
    else if (event.key === ' ' && target.dataset.action === 'open' && item && !item.isUnsupported)
      selection.toggle(item.path)
    else if (event.key === 'Delete' && canWrite && item) runAction('delete', getTargets(item))
    else if (event.key === 'F2' && canWrite && item && !item.isUnsupported) runAction('rename', [item])
    // From the head of the table.
    else if (event.key === 'ArrowDown') focusRow(activeRow)
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  /** An action on a selected item applies to the whole selection. */
  const getTargets = (item: FileItem) =>
    selection.has(item.path) ? selection.selected : item.isUnsupported ? [] : [item]

  const longPress = useLongPress((row, position) => {
    const item = items[row]
    if (item && !item.isUnsupported) onMenu(getTargets(item), { ...position, anchor: 'pointer' })
  })
  const handleClick = (event: MouseEvent<HTMLElement>) => {
    const target = findTarget(event, items)
    if (!target || longPress.wasLongPress()) return event.preventDefault()
    const { item, action, element } = target
    setActivePath(item.path)
    if (item.isUnsupported) return
    if (action === 'select') return selection.toggle(item.path, event.shiftKey)
    if (action === 'menu') {
      const { left, right: permission, bottom } = element.getBoundingClientRect()
      const end = isRtl() ? left : permission
      // The button is labeled with the name of its row, so its menu acts on that row alone, regardless of the selection.
      return onMenu([item], { x: end, y: bottom, anchor: 'button' })
    }
    const quickAction = actions.find((candidate) => candidate === action)
    if (quickAction) return runAction(quickAction, [item])
    const hasModifier = event.ctrlKey || event.metaKey || event.shiftKey
    // Ctrl and click on a folder opens it in another browser tab, as on any link.
    if (hasModifier && action === 'open' && item.isFolder && !event.shiftKey) return
    event.preventDefault()
    if (hasModifier || (isPhone && selection.selected.length > 0)) return selection.toggle(item.path, event.shiftKey)
    if (action === 'open' || (action === 'row' && !getSelection()?.toString())) open(item)
  }
  const handleContextMenu = (event: MouseEvent<HTMLElement>) => {
    const target = findTarget(event, items)
    if (!target || target.item.isUnsupported) return
    event.preventDefault()
    setActivePath(target.item.path)
    const isKeyboard = event.clientX === 0 && event.clientY === 0
    const { left, bottom } = target.element.getBoundingClientRect()
    const position = isKeyboard ? { x: left + 24, y: bottom } : { x: event.clientX, y: event.clientY }
    onMenu(getTargets(target.item), { ...position, anchor: 'pointer' })
  }
  /** Moves the tab stop to the row that got the focus. */
  const handleFocus = (event: { readonly target: EventTarget }) => {
    const target = findTarget(event, items)
    if (target) setActivePath(target.item.path)
  }

  return {
    onKeyDown: handleKeyDown,
    rows: { onClick: handleClick, onContextMenu: handleContextMenu, onFocus: handleFocus, ...longPress.events },
  }
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

/** The controls of each row; a row that is not rendered has none. */
function getControls(root: HTMLElement, count: number): readonly (readonly HTMLElement[])[] {
  const rows = Array.from({ length: count }, (): readonly HTMLElement[] => [])
  for (const row of root.querySelectorAll<HTMLElement>('tr[data-index]'))
    rows[Number(row.dataset.index)] = [...row.querySelectorAll<HTMLElement>('[data-action]:not(:disabled, td)')]
  return rows
}

const longPressMs = 500
/** A touch that moves further scrolls. */
const maxMovementPx = 10

/** Calls `onLongPress` when a finger rests on a row. The click that follows must be ignored: see `wasLongPress`. */
function useLongPress(onLongPress: (row: number, position: { readonly x: number; readonly y: number }) => void) {
  const timer = useRef<number>(undefined)
  const start = useRef({ x: 0, y: 0 })
  const isLongPress = useRef(false)
  const stop = () => window.clearTimeout(timer.current)

  return {
    wasLongPress: () => {
      const was = isLongPress.current
      isLongPress.current = false
      return was
    },
    events: {
      onPointerDown: (event: PointerEvent) => {
        isLongPress.current = false
        stop()
        const row = event.target instanceof Element ? event.target.closest<HTMLElement>('tr[data-index]') : undefined
        if (event.pointerType !== 'touch' || !row) return
        const position = { x: event.clientX, y: event.clientY }
        start.current = position
        timer.current = window.setTimeout(() => {
          isLongPress.current = true
          onLongPress(Number(row.dataset.index), position)
        }, longPressMs)
      },
      onPointerMove: ({ clientX, clientY }: PointerEvent) => {
        const { x, y } = start.current
        if (Math.hypot(clientX - x, clientY - y) > maxMovementPx) stop()
      },
      onPointerUp: stop,
      onPointerCancel: stop,
    },
  }
}
