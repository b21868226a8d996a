import { type DragEvent, type ReactNode, useRef, useState } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import { itemsOfDrop, type PickedItem } from './items.ts'
import classes from './uploads.module.css'

interface DropTargetProps {
  /** Where dropped files go: the folder shown, by its path from the server's folder; empty is that folder itself. */
  readonly folder: string
  readonly canWrite: boolean
  /** `folder` is the one that was aimed at: that of the row under the pointer, or the folder shown. */
  readonly onDrop: (folder: string, items: readonly PickedItem[]) => void
  readonly className?: string
  readonly children: ReactNode
}

/**
 * Takes files that are dropped anywhere on it. A row inside that carries the props of `dropRow` takes what is dropped
 * on it into its folder. Dropping is never the only way: the Upload button does the same.
 */
export function DropTarget({ folder, canWrite, onDrop, className = '', children }: DropTargetProps) {
  const t = useT()
  const [aim, setAim] = useState<string>()
  // The pointer enters a child before it leaves the parent.
  const depth = useRef(0)
  const marked = useRef<HTMLElement>(undefined)

  const mark = (row: HTMLElement | undefined) => {
    if (marked.current === row) return
    marked.current?.removeAttribute('data-drop-aim')
    row?.setAttribute('data-drop-aim', '')
    marked.current = row
  }
  const end = () => {
    depth.current = 0
    mark(undefined)
    setAim(undefined)
  }
  const over = (event: DragEvent) => {
    if (!bringsFiles(event)) return
    event.preventDefault()
    event.dataTransfer.dropEffect = canWrite ? 'copy' : 'none'
    if (!canWrite) return
    const row = rowUnder(event)
    mark(row)
    setAim(row?.dataset.dropFolder ?? folder)
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: files can only be dropped by a pointer; the Upload button is for everyone
    <div
      className={`${classes.target} ${className}`}
      onDragEnter={(event) => {
        if (bringsFiles(event)) depth.current += 1
        over(event)
      }}
      onDragOver={over}
      onDragLeave={(event) => {
        if (!bringsFiles(event)) return
        depth.current -= 1
        if (depth.current <= 0) end()
      }}
      onDrop={(event) => {
        if (!bringsFiles(event)) return
        // Anything else would make the browser leave the panel and show the file.
        event.preventDefault()
        const into = rowUnder(event)?.dataset.dropFolder ?? folder
        const items = canWrite ? itemsOfDrop(event.dataTransfer) : []
        end()
        if (items.length > 0) onDrop(into, items)
      }}
    >
      {children}
      {aim !== undefined && (
        <div className={classes.aim} aria-hidden>
          <span>{aim === '' ? t('uploads.UploadToRoot') : t('uploads.UploadTo', { folder: aim })}</span>
        </div>
      )}
    </div>
  )
}

/** What a row of a folder carries to take what is dropped on it; the row under the pointer gets `data-drop-aim`. */
export function dropRow(folder: string): { readonly 'data-drop-folder': string } {
  return { 'data-drop-folder': folder }
}

function rowUnder({ target }: DragEvent): HTMLElement | undefined {
  return target instanceof Element ? (target.closest<HTMLElement>('[data-drop-folder]') ?? undefined) : undefined
}

function bringsFiles({ dataTransfer }: DragEvent): boolean {
  return dataTransfer.types.includes('Files')
}
