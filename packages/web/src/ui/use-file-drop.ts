import { type DragEvent, useRef, useState } from 'react'

export interface FileDropOptions {
  readonly isDisabled?: boolean
  /** `folder` is the `data-drop-folder` of the row under the pointer. Must read `data` synchronously. */
  readonly onDrop: (data: DataTransfer, folder: string | undefined) => void
}

/**
 * Makes an element accept dropped files: give it `handlers`. A row inside with the attribute `data-drop-folder` has
 * `data-drop-active` while the pointer is over it. Dropping needs a pointer: offer a button that does the same.
 */
export function useFileDrop({ isDisabled = false, onDrop }: FileDropOptions) {
  const [over, setOver] = useState<{ readonly folder: string | undefined }>()
  // `dragenter` of a child comes before `dragleave` of its parent, so they are counted.
  const depth = useRef(0)
  const activeRow = useRef<HTMLElement>(undefined)

  const highlightRow = (row: HTMLElement | undefined) => {
    if (activeRow.current === row) return
    activeRow.current?.removeAttribute('data-drop-active')
    row?.setAttribute('data-drop-active', '')
    activeRow.current = row
  }
  const reset = () => {
    depth.current = 0
    highlightRow(undefined)
    setOver(undefined)
  }
  const handleDragOver = (event: DragEvent) => {
    if (!hasFiles(event)) return
    event.preventDefault()
    event.dataTransfer.dropEffect = isDisabled ? 'none' : 'copy'
    if (isDisabled) return
    const row = findRow(event)
    highlightRow(row)
    const folder = row?.dataset.dropFolder
    setOver((before) => (before && before.folder === folder ? before : { folder }))
  }
  const handlers = {
    onDragEnter: (event: DragEvent) => {
      if (hasFiles(event)) depth.current += 1
      handleDragOver(event)
    },
    onDragOver: handleDragOver,
    onDragLeave: (event: DragEvent) => {
      if (!hasFiles(event)) return
      depth.current -= 1
      if (depth.current <= 0) reset()
    },
    onDrop: (event: DragEvent) => {
      if (!hasFiles(event)) return
      // Otherwise the browser leaves the page and opens the file.
      event.preventDefault()
      reset()
      if (!isDisabled) onDrop(event.dataTransfer, findRow(event)?.dataset.dropFolder)
    },
  }
  return {
    handlers,
    /** Where the files would be dropped now; `undefined` while none are over the element. */
    over,
  }
}

function findRow({ target }: DragEvent): HTMLElement | undefined {
  return target instanceof Element ? (target.closest<HTMLElement>('[data-drop-folder]') ?? undefined) : undefined
}

function hasFiles({ dataTransfer }: DragEvent): boolean {
  return dataTransfer.types.includes('Files')
}
