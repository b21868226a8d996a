import { Badge } from '@mantine/core'
import { type DragEvent, type ReactNode, useRef, useState } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import { getDroppedItems, type PickedItem } from './items.ts'
import classes from './uploads.module.css'

interface DropTargetProps {
  /** The current folder, relative to the server's folder. */
  readonly folder: string
  readonly canWrite: boolean
  /** `folder` is that of the row under the pointer, otherwise the current folder. */
  readonly onDrop: (folder: string, items: readonly PickedItem[]) => void
  readonly className?: string
  readonly children: ReactNode
}

/**
 * Accepts dropped files. A row inside with the attribute `data-drop-folder` accepts files for that folder, and has
 * `data-drop-active` while the pointer is over it.
 */
export function DropTarget({ folder, canWrite, onDrop, className = '', children }: DropTargetProps) {
  const t = useT()
  const [activeFolder, setActiveFolder] = useState<string>()
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
    setActiveFolder(undefined)
  }
  const handleDragOver = (event: DragEvent) => {
    if (!hasFiles(event)) return
    event.preventDefault()
    event.dataTransfer.dropEffect = canWrite ? 'copy' : 'none'
    if (!canWrite) return
    const row = findRow(event)
    highlightRow(row)
    setActiveFolder(row?.dataset.dropFolder ?? folder)
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: only a pointer can drop files; the Upload button does the same
    <div
      className={`${classes.target} ${className}`}
      onDragEnter={(event) => {
        if (hasFiles(event)) depth.current += 1
        handleDragOver(event)
      }}
      onDragOver={handleDragOver}
      onDragLeave={(event) => {
        if (!hasFiles(event)) return
        depth.current -= 1
        if (depth.current <= 0) reset()
      }}
      onDrop={(event) => {
        if (!hasFiles(event)) return
        // Otherwise the browser leaves the page and opens the file.
        event.preventDefault()
        const target = findRow(event)?.dataset.dropFolder ?? folder
        const items = canWrite ? getDroppedItems(event.dataTransfer) : []
        reset()
        if (items.length > 0) onDrop(target, items)
      }}
    >
      {children}
      {activeFolder !== undefined && (
        <div className={classes.overlay} aria-hidden>
          <Badge variant="filled" color="primary" size="xl" fz="sm" h="auto" px="md" py="xs">
            {activeFolder === '' ? t('uploads.UploadToRoot') : t('uploads.UploadTo', { folder: activeFolder })}
          </Badge>
        </div>
      )}
    </div>
  )
}

function findRow({ target }: DragEvent): HTMLElement | undefined {
  return target instanceof Element ? (target.closest<HTMLElement>('[data-drop-folder]') ?? undefined) : undefined
}

function hasFiles({ dataTransfer }: DragEvent): boolean {
  return dataTransfer.types.includes('Files')
}
