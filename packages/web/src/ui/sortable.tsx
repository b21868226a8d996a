import {
  type Announcements,
  closestCenter,
  DndContext,
  type DragEndEvent,
  KeyboardSensor,
  PointerSensor,
  TouchSensor,
  type UniqueIdentifier,
  useSensor,
  useSensors,
} from '@dnd-kit/core'
import {
  SortableContext,
  sortableKeyboardCoordinates,
  useSortable,
  verticalListSortingStrategy,
} from '@dnd-kit/sortable'
import { CSS } from '@dnd-kit/utilities'
import { ActionIcon, VisuallyHidden } from '@mantine/core'
import { IconGripVertical } from '@tabler/icons-react'
import { createContext, type KeyboardEvent, type ReactNode, use, useLayoutEffect, useRef, useState } from 'react'
import { useT } from '../i18n/i18n.tsx'
import classes from './sortable.module.css'

interface SortableListProps {
  /** What stands in the list, from 1: an id keeps a row the same row while it moves. */
  readonly ids: readonly number[]
  /** What the list is called. */
  readonly label: string
  /** What a row is called when it is told where it went. */
  readonly nameOf: (at: number) => string
  readonly onMove: (from: number, to: number) => void
  readonly className?: string
  readonly children: ReactNode
}

interface Reorder {
  readonly ids: readonly number[]
  readonly nameOf: (at: number) => string
  readonly move: (id: number, by: -1 | 1) => void
}
const ReorderContext = createContext<Reorder>({ ids: [], nameOf: () => '', move: () => undefined })

/** A list whose rows are brought into another order: by their grip with pointer or keys, or one place at a time. */
export function SortableList({ ids, label, nameOf, onMove, className = '', children }: SortableListProps) {
  const t = useT()
  const [announcement, setSaid] = useState('')
  const held = useRef<Element>(null)
  const sensors = useSensors(
    useSensor(PointerSensor, { activationConstraint: { distance: 4 } }),
    useSensor(TouchSensor, { activationConstraint: { delay: 150, tolerance: 8 } }),
    useSensor(KeyboardSensor, { coordinateGetter: sortableKeyboardCoordinates }),
  )
  const indexOf = (id: UniqueIdentifier) => ids.indexOf(Number(id))
  const placed = (id: UniqueIdentifier, at: UniqueIdentifier) => ({
    name: nameOf(indexOf(id)),
    place: indexOf(at) + 1,
    total: ids.length,
  })
  const announcements: Announcements = {
    onDragStart: ({ active }) => t('sorting.PickedUp', placed(active.id, active.id)),
    onDragOver: ({ active, over }) => (over ? t('sorting.Over', placed(active.id, over.id)) : undefined),
    onDragEnd: ({ active, over }) => t('sorting.Dropped', placed(active.id, (over ?? active).id)),
    onDragCancel: ({ active }) => t('sorting.Cancelled', placed(active.id, active.id)),
  }
  const drop = ({ active, over }: DragEndEvent) => {
    if (over && over.id !== active.id) onMove(indexOf(active.id), indexOf(over.id))
  }
  const move = (id: number, by: -1 | 1) => {
    const to = indexOf(id) + by
    if (to < 0 || to >= ids.length) return
    held.current = document.activeElement
    onMove(indexOf(id), to)
    setSaid(t('sorting.Dropped', { name: nameOf(indexOf(id)), place: to + 1, total: ids.length }))
  }
  // An element that moves in the page loses the focus.
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is the new order that takes the focus away
  useLayoutEffect(() => {
    const [element] = [held.current]
    held.current = null
    if (element instanceof HTMLElement && element !== document.activeElement) element.focus()
  }, [ids])

  return (
    <ReorderContext value={{ ids, nameOf, move }}>
      <DndContext
        sensors={sensors}
        collisionDetection={closestCenter}
        onDragEnd={drop}
        accessibility={{ announcements, screenReaderInstructions: { draggable: t('sorting.How') } }}
      >
        <SortableContext items={[...ids]} strategy={verticalListSortingStrategy}>
          <ol className={`${classes.list} ${className}`} aria-label={label}>
            {children}
          </ol>
        </SortableContext>
      </DndContext>
      <VisuallyHidden role="status">{announcement}</VisuallyHidden>
    </ReorderContext>
  )
}

interface SortableRowProps {
  readonly id: number
  readonly className?: string
  /** Gets the grip, to be placed in the row. */
  readonly children: (grip: ReactNode) => ReactNode
}

/** One row of a `SortableList`. Alt and an arrow move it while the keyboard is on one of its buttons. */
export function SortableRow({ id, className = '', children }: SortableRowProps) {
  const t = useT()
  const { ids, nameOf, move } = use(ReorderContext)
  const { attributes, listeners, setNodeRef, setActivatorNodeRef, transform, transition, isDragging } = useSortable({
    id,
    attributes: { roleDescription: t('sorting.Sortable') },
  })
  const press = (event: KeyboardEvent) => {
    const by = event.key === 'ArrowUp' ? -1 : event.key === 'ArrowDown' ? 1 : undefined
    const isTyping = event.target instanceof Element && event.target.matches('input, textarea')
    if (!event.altKey || by === undefined || isTyping || isDragging) return
    event.preventDefault()
    move(id, by)
  }
  const grip = (
    <ActionIcon
      ref={setActivatorNodeRef}
      className={classes.grip}
      {...attributes}
      {...listeners}
      aria-label={t('sorting.Move', { name: nameOf(ids.indexOf(id)) })}
      data-tip={t('sorting.Tip')}
    >
      <IconGripVertical size={16} aria-hidden />
    </ActionIcon>
  )
  return (
    <li
      ref={setNodeRef}
      className={`${classes.row} ${className}`}
      data-dragging={isDragging || undefined}
      style={{ transform: CSS.Translate.toString(transform), transition }}
      onKeyDown={press}
    >
      {children(grip)}
    </li>
  )
}

/** Moves a row of the list one place up or down; for a menu of the row. */
export function useReorder(id: number) {
  const { ids, move } = use(ReorderContext)
  const at = ids.indexOf(id)
  return {
    isFirst: at <= 0,
    isLast: at === ids.length - 1,
    up: () => move(id, -1),
    down: () => move(id, 1),
  }
}

/** The list with one of its items at another place. */
export function arrayMove<T>(items: readonly T[], from: number, to: number): T[] {
  const rest = items.filter((_, index) => index !== from)
  const [item] = items.slice(from, from + 1)
  return item === undefined ? rest : [...rest.slice(0, to), item, ...rest.slice(to)]
}

/**
 * Ids for the items of a list that have none: an item keeps its id while it is edited in its place, and `carry` takes
 * ids along when items are moved, added or removed. A list from elsewhere gets new ones where it differs.
 */
export function useRowIds<T>(items: readonly T[]) {
  const [known, setKnown] = useState<NumberedList<T>>(() => renumbered({ items: [], ids: [], next: 1 }, items))
  // The list may be a new array at every render.
  const isKnown = isSame(known.items, items)
  const current = isKnown ? known : renumbered(known, items)
  if (!isKnown) setKnown(current)
  return {
    ids: current.ids,
    /** Tells that the list will be this one, and which id each item has; `undefined` for a new item. */
    carry: (items: readonly T[], ids: readonly (number | undefined)[]) =>
      setKnown((before) => withIds(items, ids, before.next)),
  }
}

interface NumberedList<T> {
  readonly items: readonly T[]
  readonly ids: readonly number[]
  /** The id of the next new item. */
  readonly next: number
}

/** The ids for another list: an item that is the same as before in its place keeps its id. */
function renumbered<T>(before: NumberedList<T>, items: readonly T[]): NumberedList<T> {
  const ids = items.map((item, index) => {
    const same = before.items[index]
    return same !== undefined && isSame(same, item) ? before.ids[index] : undefined
  })
  return withIds(items, ids, before.next)
}

function withIds<T>(items: readonly T[], ids: readonly (number | undefined)[], next: number): NumberedList<T> {
  let free = next
  return { items, ids: ids.map((id) => id ?? free++), next: free }
}

function isSame(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b)
}
