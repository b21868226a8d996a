import { type DragEvent, useRef, useState } from 'react'

export interface FileDropOptions {
  readonly isDisabled?: boolean
  /** `folder` is the `data-drop-folder` of the row that the pointer rests on. Must read `data` synchronously. */
  readonly onDrop: (data: DataTransfer, folder: string | undefined) => void
}

/** How long the pointer must rest on a folder until files are dropped into it: others are only passed. */
export const folderHoverMs = 600

/** Where files would be dropped now. */
export interface DropPosition {
  readonly folder: string | undefined
  /** The pointer, in pixels of the window. */
  readonly x: number
  readonly y: number
}

/**
 * Makes an element accept dropped files: give it `handlers`. A row inside with the attribute `data-drop-folder` takes them
 * once the pointer rests on it, and then has `data-drop-active`. Dropping needs a pointer: offer a button that does the same.
 */
export function useFileDrop({ isDisabled = false, onDrop }: FileDropOptions) {
  const [over, setOver] = useState<DropPosition>()
  // `dragenter` of a child comes before `dragleave` of its parent, so they are counted.
  const depth = useRef(0)
  const row = useRef<{ readonly element: HTMLElement; readonly since: number }>(undefined)

  const enterRow = (element: HTMLElement | undefined) => {
    if (row.current?.element === element) return
    row.current?.element.removeAttribute('data-drop-active')
    row.current = element && { element, since: performance.now() }
  }
  const getFolder = (): string | undefined => {
    const { element, since } = row.current ?? {}
    if (!element || since === undefined || performance.now() - since < folderHoverMs) return undefined
    element.setAttribute('data-drop-active', '')
    return element.dataset.dropFolder
  }
  const reset = () => {
    depth.current = 0
    enterRow(undefined)
    setOver(undefined)
  }
  // Browsers repeat `dragover` while the pointer rests.
  const handleDragOver = (event: DragEvent) => {
    if (!hasFiles(event)) return
    event.preventDefault()
    event.dataTransfer.dropEffect = isDisabled ? 'none' : 'copy'
    if (isDisabled) return
    enterRow(findRow(event))
    const now = { folder: getFolder(), x: event.clientX, y: event.clientY }
    setOver((before) =>
      before && before.folder === now.folder && before.x === now.x && before.y === now.y ? before : now,
    )
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
      enterRow(findRow(event))
      const folder = getFolder()
      reset()
      if (!isDisabled) onDrop(event.dataTransfer, folder)
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
