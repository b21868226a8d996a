import { type FocusEvent, type RefObject, useEffect, useRef, useState } from 'react'
import type { FileItem } from './entries.ts'
import type { FileTableHandle } from './use-grid-rows.ts'

/** Whether the focus is in the panel. It still counts as inside while a dialog or menu has it. */
export function useFocusInside(panel: RefObject<HTMLElement | null>) {
  const [isInside, setIsInside] = useState(false)
  return {
    isInside,
    enter: () => setIsInside(true),
    leave: ({ relatedTarget }: FocusEvent) => {
      const isInOverlay = relatedTarget instanceof Element && relatedTarget.closest('[role="dialog"], [role="menu"]')
      if (!isInOverlay && !panel.current?.contains(relatedTarget)) setIsInside(false)
    },
  }
}

/**
 * Keeps the focus in the list when the folder changes: on the folder that the user came from, or on the first row.
 * When the focused row is removed the browser moves the focus to the body, where `r` starts a power shortcut.
 */
export function useRestoreFocus(
  path: string,
  items: readonly FileItem[],
  isLoaded: boolean,
  isInside: boolean,
  table: RefObject<FileTableHandle | null>,
  panel: RefObject<HTMLElement | null>,
): void {
  const lastPath = useRef(path)
  /** The folder that was left, until the new list has rows to focus. */
  const leftFolder = useRef<string>(undefined)
  useEffect(() => {
    if (lastPath.current !== path) {
      if (isInside) leftFolder.current = lastPath.current
      lastPath.current = path
    }
    const isLost = document.activeElement === document.body || document.activeElement === null
    if (!isLoaded) return
    const from = leftFolder.current
    leftFolder.current = undefined
    if (!table.current) {
      if (isInside && isLost) panel.current?.querySelector<HTMLElement>('[data-list]')?.focus()
    } else if (from !== undefined) {
      if (isLost || panel.current?.contains(document.activeElement)) {
        table.current.focus(items.find((item) => from === item.path || from.startsWith(`${item.path}/`))?.path)
      }
    } else if (isInside && isLost) table.current.focus()
  })
}
