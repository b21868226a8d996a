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
import { type Item, type Sort, type SortColumn, sortColumns } from './entries.ts'
import type { MenuPlace } from './file-menu.tsx'
import { FileRow } from './file-row.tsx'
import classes from './file-table.module.css'
import { useLongPress } from './use-long-press.ts'
import type { Chosen } from './use-selection.ts'

/** Longer lists draw only the rows in view. */
const windowedFrom = 200
/** How far Page Up and Page Down go. */
const page = 10

export interface FileTableHandle {
  /** Puts the focus on a row; when that is not there, on the one that had it. */
  readonly focus: (path?: string) => void
}

interface FileTableProps {
  readonly items: readonly Item[]
  readonly sort: Sort
  readonly onSort: (by: SortColumn) => void
  readonly selection: Chosen
  readonly canWrite: boolean
  readonly isPhone: boolean
  readonly isBusy: boolean
  /** Each row says in which folder it is. */
  readonly areFound: boolean
  /** How far it is scrolled at first. */
  readonly top: number
  readonly onScroll: (top: number) => void
  readonly hrefOf: (path: string) => string
  readonly onOpen: (item: Item) => void
  readonly onAct: (action: Action, items: readonly Item[]) => void
  readonly onMenu: (items: readonly Item[], place: MenuPlace) => void
  readonly onUp: () => void
  readonly handle: RefObject<FileTableHandle | null>
}

const columnNames: Readonly<Record<SortColumn, string>> = {
  name: 'files.Name',
  size: 'files.Size',
  modified: 'files.Modified',
}

/** Files and folders as a grid: one stop of the Tab key, arrow keys inside. */
export function FileTable(props: FileTableProps) {
  const { items, sort, onSort, selection, canWrite, isPhone, isBusy, areFound, hrefOf, handle } = props
  const t = useT()
  const formats = useFormatters()
  const scroller = useRef<HTMLDivElement>(null)
  const [activePath, setActivePath] = useState<string>()
  const wanted = useRef<number>(undefined)
  const height = useRowHeight(isPhone)
  // "Today" is judged when the list comes, not at every drawing of a row.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  const now = useMemo(() => Date.now(), [items])
  const found = items.findIndex(({ path, isOdd }) => path === activePath && !isOdd)
  const active = found < 0 ? 0 : found
  const isWindowed = items.length > windowedFrom

  const rows = useVirtualizer({
    count: isWindowed ? items.length : 0,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    overscan: 12,
    // Until it is measured the list is taken to be as high as the window, so that its first drawing shows something.
    initialRect: { width: 0, height: innerHeight },
    // A short list, of which all is drawn, is scrolled there as well.
    initialOffset: props.top,
    // Scrolling a list is no emergency: React may draw it together with what else has changed.
    useFlushSync: false,
    // The row that has the focus stays, or the focus would be lost by scrolling.
    rangeExtractor: (range) => [...new Set([...defaultRangeExtractor(range), active])].sort((a, b) => a - b),
  })

  const focusRow = (at: number) => {
    const item = items[at]
    if (!item) return scroller.current?.focus()
    setActivePath(item.path)
    wanted.current = at
    if (isWindowed) rows.scrollToIndex(at)
    settleFocus()
  }
  const settleFocus = () => {
    if (wanted.current === undefined) return
    const row = scroller.current?.querySelector<HTMLElement>(`tr[data-at="${wanted.current}"] [data-main]`)
    if (!row) return
    wanted.current = undefined
    row.focus()
    row.closest('tr')?.scrollIntoView({ block: 'nearest' })
  }
  useLayoutEffect(settleFocus)
  useLayoutEffect(() => scroller.current?.style.setProperty('--ik-row', `${height}px`), [height])
  useImperativeHandle(handle, () => ({
    focus(path) {
      const at = items.findIndex((item) => item.path === path)
      if (path !== undefined && at >= 0) focusRow(at)
      else if (items.length > 0) focusRow(active)
      else scroller.current?.focus()
    },
  }))

  const group = t('files.Files')
  useHotkeys([
    {
      keys: 'j',
      label: t('files.NextRow'),
      group,
      hiddenInPalette: true,
      run: () => focusRow(isInside() ? Math.min(active + 1, items.length - 1) : active),
    },
    {
      keys: 'k',
      label: t('files.PreviousRow'),
      group,
      hiddenInPalette: true,
      run: () => focusRow(isInside() ? Math.max(active - 1, 0) : active),
    },
    {
      keys: 'x',
      label: t('files.ChooseRow'),
      group,
      hiddenInPalette: true,
      run: () => {
        const item = items[active]
        if (item && !item.isOdd && isInside()) selection.toggle(item.path)
      },
    },
  ])
  const isInside = () => scroller.current?.contains(document.activeElement) === true

  const press = (event: KeyboardEvent<HTMLElement>) => {
    const target = event.target instanceof HTMLElement ? event.target : undefined
    const item = items[active]
    if (!target || event.altKey) return
    const isMod = event.ctrlKey || event.metaKey
    if (isMod && event.key.toLowerCase() === 'a') selection.all()
    else if (isMod) return
    else if (event.key === 'Escape' && selection.chosen.length > 0) selection.clear()
    else if (event.key === 'Backspace') props.onUp()
    else if (event.key === ' ' && target.dataset.do === 'open' && item && !item.isOdd) selection.toggle(item.path)
    else if (event.key === 'Delete' && canWrite && item) props.onAct('delete', targetsOf(item))
    else if (event.key === 'F2' && canWrite && item && !item.isOdd) props.onAct('rename', [item])
    else if (event.key === 'ArrowRight' || event.key === 'ArrowLeft') moveInRow(target, event.key)
    else {
      const to = stepOf(event.key, active, items.length)
      const next = to === undefined ? undefined : items[to]
      if (to === undefined || !next) return
      if (event.shiftKey && item) selection.reach(item.path, next.path)
      focusRow(to)
    }
    event.preventDefault()
    event.stopPropagation()
  }
  /** What an action on one of several chosen things is about: all of them. */
  const targetsOf = (item: Item) => (selection.has(item.path) ? selection.chosen : item.isOdd ? [] : [item])

  const longPress = useLongPress((row, place) => {
    const item = items[row]
    if (item && !item.isOdd) props.onMenu(targetsOf(item), { ...place, from: 'pointer' })
  })
  const click = (event: MouseEvent<HTMLElement>) => {
    const hit = hitOf(event, items)
    if (!hit || longPress.wasLong()) return event.preventDefault()
    const { item, verb, element } = hit
    setActivePath(item.path)
    if (item.isOdd) return
    if (verb === 'choose') return selection.toggle(item.path, event.shiftKey)
    if (verb === 'menu') {
      const { left, right, bottom } = element.getBoundingClientRect()
      const end = document.documentElement.dir === 'rtl' ? left : right
      // The button is labelled with the name of its row, so its menu acts on that row alone, whatever is selected.
      return props.onMenu([item], { x: end, y: bottom, from: 'button' })
    }
    const action = actions.find((one) => one === verb)
    if (action) return props.onAct(action, [item])
    const isPlain = !event.ctrlKey && !event.metaKey && !event.shiftKey
    // On a folder the browser opens another tab, as with every link.
    if (!isPlain && verb === 'open' && item.isFolder && !event.shiftKey) return
    event.preventDefault()
    if (!isPlain || (isPhone && selection.chosen.length > 0)) return selection.toggle(item.path, event.shiftKey)
    if (verb === 'open' || (verb === 'row' && !getSelection()?.toString())) props.onOpen(item)
  }
  const askForMenu = (event: MouseEvent<HTMLElement>) => {
    const hit = hitOf(event, items)
    if (!hit || hit.item.isOdd) return
    event.preventDefault()
    setActivePath(hit.item.path)
    const isByKey = event.clientX === 0 && event.clientY === 0
    const { left, bottom } = hit.element.getBoundingClientRect()
    const place = isByKey ? { x: left + 24, y: bottom } : { x: event.clientX, y: event.clientY }
    props.onMenu(targetsOf(hit.item), { ...place, from: 'pointer' })
  }

  const drawn = isWindowed ? rows.getVirtualItems() : items.map((_, index) => ({ index, start: 0, end: 0 }))
  let drawnUntil = 0
  const columns = isPhone ? 3 : 5
  const body = drawn.flatMap(({ index, start, end }) => {
    const item = items[index]
    if (!item) return []
    const gap = isWindowed ? start - drawnUntil : 0
    drawnUntil = end
    return [
      ...(gap > 0 ? [<Gap key={`before ${index}`} height={gap} columns={columns} />] : []),
      <FileRow
        key={item.isOdd ? `${index} ${item.path}` : item.path}
        item={item}
        at={index}
        isChosen={selection.has(item.path) && !item.isOdd}
        isActive={index === active}
        canWrite={canWrite}
        isPhone={isPhone}
        href={item.isFolder && !item.isOdd ? hrefOf(item.path) : undefined}
        where={areFound ? dirname(item.path) : undefined}
        t={t}
        formats={formats}
        now={now}
      />,
    ]
  })
  const below = isWindowed ? rows.getTotalSize() - drawnUntil : 0

  return (
    <div
      ref={scroller}
      className={classes.scroller}
      tabIndex={-1}
      onScroll={({ currentTarget }) => props.onScroll(currentTarget.scrollTop)}
      data-quiet-focus
      data-choosing={selection.chosen.length > 0 || undefined}
    >
      <table
        className={classes.table}
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a table of controls with arrow keys is a grid
        role="grid"
        aria-label={t('files.Files')}
        aria-rowcount={items.length + 1}
        aria-multiselectable
        aria-busy={isBusy}
        onKeyDown={press}
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
            <th className={classes.check}>
              <input
                type="checkbox"
                aria-label={t('files.ChooseAll')}
                checked={selection.isAll}
                ref={(box) => {
                  if (box) box.indeterminate = selection.chosen.length > 0 && !selection.isAll
                }}
                onChange={() => (selection.isAll ? selection.clear() : selection.all())}
              />
            </th>
            {sortColumns
              .filter((column) => !isPhone || column === 'name')
              .map((column) => (
                <th
                  key={column}
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
            <th className={classes.actions}>
              <span className={classes.unseen}>{t('files.Actions')}</span>
            </th>
          </tr>
        </thead>
        {/* biome-ignore lint/a11y/useKeyWithClickEvents: the controls in the rows are buttons and links; this only notices them */}
        <tbody onClick={click} onContextMenu={askForMenu} onFocus={follow} {...longPress.events}>
          {body}
          {below > 0 && <Gap height={below} columns={columns} />}
        </tbody>
      </table>
    </div>
  )

  /** Wherever the focus goes in the list, the Tab key comes back to it. */
  function follow(event: { readonly target: EventTarget }): void {
    const hit = hitOf(event, items)
    if (hit) setActivePath(hit.item.path)
  }
}

/** The place of rows that are not drawn. */
function Gap({ height, columns }: { height: number; columns: number }) {
  return (
    <tr aria-hidden className={classes.gap}>
      <td colSpan={columns} style={{ blockSize: height }} />
    </tr>
  )
}

/** The row that an event is about, and what was meant: `row` for a place without a control. */
function hitOf({ target }: { readonly target: EventTarget }, items: readonly Item[]) {
  if (!(target instanceof Element)) return undefined
  const row = target.closest<HTMLElement>('tr[data-at]')
  const item = items[Number(row?.dataset.at)]
  if (!row || !item) return undefined
  const control = target.closest<HTMLElement>('[data-do]')
  return { item, verb: control?.dataset.do ?? 'row', element: control ?? row }
}

function stepOf(key: string, at: number, count: number): number | undefined {
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + page, PageUp: at - page, Home: 0, End: count - 1 }[
    key
  ]
  return to === undefined ? undefined : Math.min(Math.max(to, 0), count - 1)
}

/** Left and right go through the controls of a row. */
function moveInRow(target: HTMLElement, key: string): void {
  const controls = [...(target.closest('tr')?.querySelectorAll<HTMLElement>('[data-do]:not(:disabled, td)') ?? [])]
  const step = (key === 'ArrowRight') === (document.documentElement.dir !== 'rtl') ? 1 : -1
  controls[controls.indexOf(target) + step]?.focus()
}

/** Rows are as high as the type that people chose; windowing needs that in pixels. */
function useRowHeight(isPhone: boolean): number {
  return useMemo(() => {
    const em = Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 16
    const isCoarse = matchMedia('(pointer: coarse)').matches
    return Math.round(em * (isPhone ? 3.75 : isCoarse ? 2.875 : 2.625))
  }, [isPhone])
}
