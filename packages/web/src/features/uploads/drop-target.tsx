import { Badge, Stack, useDirection } from '@mantine/core'
import type { ReactNode } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import { useFileDrop } from '../../ui/fields/use-file-drop.ts'
import { getDroppedItems, type PickedItem } from './items.ts'
import classes from './uploads.module.css'

interface DropTargetProps {
  /** The current folder, relative to the server's folder. */
  readonly folder: string
  readonly canWrite: boolean
  /** `folder` is that of the row on which the pointer rests, otherwise the current folder. */
  readonly onDrop: (folder: string, items: readonly PickedItem[]) => void
  readonly children: ReactNode
}

/** Accepts dropped files and folders for the current folder, or for that of the row on which the pointer rests. */
export function DropTarget({ folder, canWrite, onDrop, children }: DropTargetProps) {
  const t = useT()
  const { dir } = useDirection()
  const { handlers, over } = useFileDrop({
    isDisabled: !canWrite,
    onDrop: (data, rowFolder = folder) => {
      const items = getDroppedItems(data)
      if (items.length > 0) onDrop(rowFolder, items)
    },
  })
  const target = over && (over.folder ?? folder)
  return (
    <Stack pos="relative" flex={1} gap={0} mih={0} {...handlers}>
      {children}
      {over && target !== undefined && (
        <div className={classes.overlay} aria-hidden>
          <Badge
            className={classes.dropLabel}
            style={{ insetBlockStart: over.y, insetInlineStart: dir === 'rtl' ? innerWidth - over.x : over.x }}
            variant="filled"
            color="primary"
            size="xl"
            fz="sm"
            h="auto"
            px="md"
            py="xs"
          >
            {target === '' ? t('uploads.UploadToRoot') : t('uploads.UploadTo', { folder: target })}
          </Badge>
        </div>
      )}
    </Stack>
  )
}
