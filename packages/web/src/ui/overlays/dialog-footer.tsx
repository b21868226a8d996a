import { Group } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './dialog-footer.module.css'

/** The buttons at the end of a long dialog. They stay in view while it scrolls. */
export function DialogFooter({ children }: { children: ReactNode }) {
  return (
    <Group className={classes.footer} gap="xs" justify="flex-end">
      {children}
    </Group>
  )
}
