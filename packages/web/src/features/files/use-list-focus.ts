import { type FocusEvent, useEffect, useRef, useState } from 'react'
import type { Item } from './entries.ts'
import type { FileTableHandle } from './file-table.tsx'

/** Whether the focus is in the file list; while a dialog has it, it still counts as being where it was. */
export function useFocus(panel: { readonly current: HTMLElement | null }) {
  const [isInside, setIsInside] = useState(false)
  return {
    isInside,
    enter: () => setIsInside(true),
    leave: ({ relatedTarget }: FocusEvent) => {
      const isElsewhere =
        !(relatedTarget instanceof Element) || !relatedTarget.closest('[role="dialog"], [role="menu"]')
      if (isElsewhere && !panel.current?.contains(relatedTarget)) setIsInside(false)
    },
  }
}

/**
 * Keeps the focus in the list while people walk through folders: on the folder they came from, or on the first row.
 * A row that is gone would leave the focus nowhere, and `r` would mean something else.
 */
export function useFollowedFocus(
  path: string,
  items: readonly Item[],
  isLoaded: boolean,
  isInside: boolean,
  table: { readonly current: FileTableHandle | null },
  panel: { readonly current: HTMLElement | null },
): void {
  const last = useRef(path)
  const wanted = useRef<{ readonly from: string }>(undefined)
  useEffect(() => {
    if (last.current !== path) {
      if (isInside) wanted.current = { from: last.current }
      last.current = path
    }
    const isLost = document.activeElement === document.body || document.activeElement === null
    if (!isLoaded) return
    if (!table.current) {
      wanted.current = undefined
      if (isInside && isLost) panel.current?.querySelector<HTMLElement>('[data-list]')?.focus()
      return
    }
    if (wanted.current) {
      const { from } = wanted.current
      wanted.current = undefined
      if (isLost || panel.current?.contains(document.activeElement)) {
        table.current.focus(items.find((item) => from === item.path || from.startsWith(`${item.path}/`))?.path)
      }
    } else if (isInside && isLost) table.current.focus()
  })
}
