import { useHotkeys } from '../../hotkeys/hotkeys.tsx'
import { useText } from '../../i18n/text.tsx'

interface FileKeys {
  readonly canWrite: boolean
  readonly isInside: boolean
  readonly onFile: () => void
  readonly onFolder: () => void
  readonly onRefresh: () => void
  readonly onUpload: (() => void) | undefined
  readonly onFilter: () => void
}

/**
 * The keys of the files tab. `r` refreshes at once while the focus is in the list. Elsewhere on the tab it also begins the
 * power sequences (`r r`, `r s`), so there it refreshes when no further key follows.
 */
export function useFileHotkeys({
  canWrite,
  isInside,
  onFile,
  onFolder,
  onRefresh,
  onUpload,
  onFilter,
}: FileKeys): void {
  const text = useText()
  const common = { group: text('files.Files'), isLocal: true }
  useHotkeys([
    { ...common, keys: 'n f', label: text('files.NewFile'), when: canWrite, run: onFile },
    { ...common, keys: 'n d', label: text('files.NewFolder'), when: canWrite, run: onFolder },
    { ...common, keys: 'r', label: text('files.RefreshFiles'), isPatient: !isInside, run: onRefresh },
    {
      ...common,
      keys: 'u',
      label: text('files.UploadFiles'),
      when: canWrite && onUpload !== undefined,
      run: () => onUpload?.(),
    },
    { ...common, keys: '/', label: text('files.Filter'), isKeysOnly: true, run: onFilter },
  ])
}
