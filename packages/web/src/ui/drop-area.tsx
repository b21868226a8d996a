import { Stack } from '@mantine/core'
import { type DragEvent, type ReactNode, useRef, useState } from 'react'
import classes from './drop-area.module.css'

interface DropAreaProps {
  readonly onFiles: (files: readonly File[]) => void
  readonly children: ReactNode
}

/** Takes files that are dropped anywhere on it. Dropping needs a pointer: offer a button that does the same. */
export function DropArea({ onFiles, children }: DropAreaProps) {
  const [isOver, setIsOver] = useState(false)
  // Moving onto a child fires its dragenter before the dragleave of the parent: only the last one leaves the area.
  const depth = useRef(0)
  const changeDepth = (next: number) => {
    depth.current = next
    setIsOver(next > 0)
  }
  return (
    <Stack
      gap="md"
      className={isOver ? classes.over : undefined}
      onDragEnter={(event) => hasFiles(event) && changeDepth(depth.current + 1)}
      onDragOver={(event) => hasFiles(event) && event.preventDefault()}
      onDragLeave={(event) => hasFiles(event) && changeDepth(Math.max(0, depth.current - 1))}
      onDrop={(event) => {
        // By default the browser would open the file instead of the panel.
        event.preventDefault()
        changeDepth(0)
        onFiles([...event.dataTransfer.files])
      }}
    >
      {children}
    </Stack>
  )
}

function hasFiles({ dataTransfer }: DragEvent): boolean {
  return dataTransfer.types.includes('Files')
}
