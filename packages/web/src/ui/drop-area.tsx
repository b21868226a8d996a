import { Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './drop-area.module.css'
import { useFileDrop } from './use-file-drop.ts'

/** Takes files that are dropped anywhere on it. */
export function DropArea({ onFiles, children }: { onFiles: (files: readonly File[]) => void; children: ReactNode }) {
  const { handlers, over } = useFileDrop({ onDrop: ({ files }) => onFiles([...files]) })
  return (
    <Stack gap="md" className={over && classes.over} {...handlers}>
      {children}
    </Stack>
  )
}
