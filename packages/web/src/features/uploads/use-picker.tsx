import { type ReactNode, useRef } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import { getSelectedItems, type PickedItem } from './items.ts'

/** The browser's dialogs for selecting files or a folder. The caller must render `inputs`, which are hidden. */
export function usePicker(onPick: (items: readonly PickedItem[]) => void): {
  readonly inputs: ReactNode
  readonly pickFiles: () => void
  readonly pickFolder: () => void
} {
  const t = useT()
  const fileInput = useRef<HTMLInputElement>(null)
  const folderInput = useRef<HTMLInputElement>(null)
  const handleChange = (input: HTMLInputElement) => {
    const items = getSelectedItems(input.files ?? [])
    // Selecting the same file again must trigger a change.
    input.value = ''
    if (items.length > 0) onPick(items)
  }
  const common = { type: 'file', hidden: true, multiple: true, tabIndex: -1 } as const

  return {
    inputs: (
      <>
        <input
          {...common}
          ref={fileInput}
          aria-label={t('uploads.SelectFiles')}
          onChange={(event) => handleChange(event.currentTarget)}
        />
        <input
          {...common}
          {...{ webkitdirectory: '' }}
          ref={folderInput}
          aria-label={t('uploads.SelectFolder')}
          onChange={(event) => handleChange(event.currentTarget)}
        />
      </>
    ),
    pickFiles: () => fileInput.current?.click(),
    pickFolder: () => folderInput.current?.click(),
  }
}
