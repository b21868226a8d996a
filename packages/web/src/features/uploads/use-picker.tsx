import { type ReactNode, useRef } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import { itemsOfInput, type PickedItem } from './items.ts'

/** The system's dialogs for choosing files or a folder. `inputs` must stand somewhere on the page; nobody sees them. */
export function usePicker(onPick: (items: readonly PickedItem[]) => void): {
  readonly inputs: ReactNode
  readonly pickFiles: () => void
  readonly pickFolder: () => void
} {
  const t = useT()
  const files = useRef<HTMLInputElement>(null)
  const folder = useRef<HTMLInputElement>(null)
  const picked = (input: HTMLInputElement) => {
    const items = itemsOfInput(input.files ?? [])
    // The same file can be chosen again.
    input.value = ''
    if (items.length > 0) onPick(items)
  }
  const common = { type: 'file', hidden: true, multiple: true, tabIndex: -1 } as const

  return {
    inputs: (
      <>
        <input
          {...common}
          ref={files}
          aria-label={t('uploads.ChooseFiles')}
          onChange={(event) => picked(event.currentTarget)}
        />
        <input
          {...common}
          {...{ webkitdirectory: '' }}
          ref={folder}
          aria-label={t('uploads.ChooseFolder')}
          onChange={(event) => picked(event.currentTarget)}
        />
      </>
    ),
    pickFiles: () => files.current?.click(),
    pickFolder: () => folder.current?.click(),
  }
}
