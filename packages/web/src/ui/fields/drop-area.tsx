import { Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './drop-area.module.css'
import { type FileDropOptions, useFileDrop } from './use-file-drop.ts'

/** Takes files that are dropped anywhere on it. */
export function DropArea({ children, ...options }: FileDropOptions & { readonly children: ReactNode }) {
  const { handlers, over } = useFileDrop(options)
  return (
    <Stack gap="md" className={over && classes.over} {...handlers}>
      {children}
    </Stack>
  )
}
