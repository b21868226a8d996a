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
import { Menu, VisuallyHidden } from '@mantine/core'
import { IconArrowDown, IconArrowUp, IconGripVertical, IconTrash } from '@tabler/icons-react'
import { createContext, type KeyboardEvent, type ReactNode, use, useLayoutEffect, useRef, useState } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import { IconButton } from '../menus/icon-button.tsx'
import { IconMenu } from '../menus/icon-menu.tsx'
import classes from './sortable.module.css'

interface SortableListProps {
  /** The ids of the rows in their order, from 1. A row keeps its id when it moves. */
  readonly ids: readonly number[]
  readonly label: string
  /** The name of a row for screen reader announcements. */
  readonly getName: (index: number) => string
  readonly onMove: (from: number, to: number) => void
  readonly children: ReactNode
}

interface Reorder {
  readonly ids: readonly number[]
  readonly getName: (index: number) => string
  readonly move: (id: number, by: -1 | 1) => void
}
const ReorderContext = createContext<Reorder>({ ids: [], getName: () => '', move: () => undefined })

/** A list whose rows the user reorders: by dragging their handle, with Alt and arrow keys, or from the row's menu. */
export function SortableList({ ids, label, getName, onMove, children }: SortableListProps) {
  const t = useT()
  const [announcement, setAnnouncement] = useState('')
  const focused = useRef<Element>(null)
  const sensors = useSensors(
    useSensor(PointerSensor, { activationConstraint: { distance: 4 } }),
    useSensor(TouchSensor, { activationConstraint: { delay: 150, tolerance: 8 } }),
    useSensor(KeyboardSensor, { coordinateGetter: sortableKeyboardCoordinates }),
  )
  const getIndex = (id: UniqueIdentifier) => ids.indexOf(Number(id))
  const announce = (event: 'PickedUp' | 'Over' | 'Dropped' | 'Cancelled', id: UniqueIdentifier, index: number) =>
    t(`sorting.${event}`, { name: getName(getIndex(id)), position: index + 1, total: ids.length })
  const announcements: Announcements = {
    onDragStart: ({ active }) => announce('PickedUp', active.id, getIndex(active.id)),
    onDragOver: ({ active, over }) => (over ? announce('Over', active.id, getIndex(over.id)) : undefined),
    onDragEnd: ({ active, over }) => announce('Dropped', active.id, getIndex((over ?? active).id)),
    onDragCancel: ({ active }) => announce('Cancelled', active.id, getIndex(active.id)),
  }
  const drop = ({ active, over }: DragEndEvent) => {
    if (over && over.id !== active.id) onMove(getIndex(active.id), getIndex(over.id))
  }
  const move = (id: number, by: -1 | 1) => {
    const to = getIndex(id) + by
    if (to < 0 || to >= ids.length) return
    focused.current = document.activeElement
    onMove(getIndex(id), to)
    setAnnouncement(announce('Dropped', id, to))
  }
  // An element loses the focus when React moves it in the document.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the order has changed
  useLayoutEffect(() => {
    const element = focused.current
    focused.current = null
    if (element instanceof HTMLElement && element !== document.activeElement) element.focus()
  }, [ids])

  return (
    <ReorderContext value={{ ids, getName, move }}>
      <DndContext
        sensors={sensors}
        collisionDetection={closestCenter}
        onDragEnd={drop}
        accessibility={{ announcements, screenReaderInstructions: { draggable: t('sorting.Instructions') } }}
      >
        <SortableContext items={[...ids]} strategy={verticalListSortingStrategy}>
          <ol aria-label={label}>{children}</ol>
        </SortableContext>
      </DndContext>
      <VisuallyHidden role="status">{announcement}</VisuallyHidden>
    </ReorderContext>
  )
}

interface SortableRowProps {
  readonly id: number
  /** As an expanded row, for example. */
  readonly isHighlighted?: boolean
  /** Renders the row with its drag handle. */
  readonly children: (handle: ReactNode) => ReactNode
}

/** One row of a `SortableList`. */
export function SortableRow({ id, isHighlighted = false, children }: SortableRowProps) {
  const t = useT()
  const { ids, getName, move } = use(ReorderContext)
  const { attributes, listeners, setNodeRef, setActivatorNodeRef, transform, transition, isDragging } = useSortable({
    id,
    attributes: { roleDescription: t('sorting.Sortable') },
  })
  const moveByKey = (event: KeyboardEvent) => {
    const by = event.key === 'ArrowUp' ? -1 : event.key === 'ArrowDown' ? 1 : undefined
    const isTyping = event.target instanceof Element && event.target.matches('input, textarea')
    if (!event.altKey || by === undefined || isTyping || isDragging) return
    event.preventDefault()
    move(id, by)
  }
  const handle = (
    <IconButton
      label={t('sorting.Move', { name: getName(ids.indexOf(id)) })}
      tooltip={t('sorting.Tip')}
      ref={setActivatorNodeRef}
      className={classes.handle}
      {...attributes}
      {...listeners}
    >
      <IconGripVertical size={16} aria-hidden />
    </IconButton>
  )
  return (
    <li
      ref={setNodeRef}
      className={classes.row}
      data-highlighted={isHighlighted || undefined}
      data-dragging={isDragging || undefined}
      style={{ transform: CSS.Translate.toString(transform), transition }}
      onKeyDown={moveByKey}
    >
      {children(handle)}
    </li>
  )
}

interface SortableMenuProps {
  readonly id: number
  readonly name: string
  /** Items above "Move up" and "Move down". */
  readonly children?: ReactNode
  readonly onRemove: () => void
}

/** The menu of a row, which moves it up and down and removes it. */
export function SortableMenu({ id, name, children, onRemove }: SortableMenuProps) {
  const t = useT()
  const { ids, move } = use(ReorderContext)
  const index = ids.indexOf(id)
  return (
    <IconMenu label={t('sorting.More', { name })} width={190}>
      {children}
      <Menu.Item disabled={index <= 0} leftSection={<IconArrowUp size={16} aria-hidden />} onClick={() => move(id, -1)}>
        {t('sorting.Up')}
      </Menu.Item>
      <Menu.Item
        disabled={index === ids.length - 1}
        leftSection={<IconArrowDown size={16} aria-hidden />}
        onClick={() => move(id, 1)}
      >
        {t('sorting.Down')}
      </Menu.Item>
      <Menu.Item c="var(--ik-offline)" leftSection={<IconTrash size={16} aria-hidden />} onClick={onRemove}>
        {t('common.Remove')}
      </Menu.Item>
    </IconMenu>
  )
}

/** Returns a copy with one item moved to another index. */
export function arrayMove<T>(items: readonly T[], from: number, to: number): T[] {
  const moved = items.slice(from, from + 1)
  return items.toSpliced(from, 1).toSpliced(to, 0, ...moved)
}
