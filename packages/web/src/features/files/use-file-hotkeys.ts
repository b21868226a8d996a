import { useHotkeys } from '../../hotkeys/hotkeys.tsx'
import { useT } from '../../i18n/i18n.tsx'

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
  const t = useT()
  const common = { group: t('files.Files'), isContextual: true }
  useHotkeys([
    { ...common, keys: 'n f', label: t('files.NewFile'), enabled: canWrite, run: onFile },
    { ...common, keys: 'n d', label: t('files.NewFolder'), enabled: canWrite, run: onFolder },
    { ...common, keys: 'r', label: t('files.RefreshFiles'), waitsForNextKey: !isInside, run: onRefresh },
    {
      ...common,
      keys: 'u',
      label: t('files.UploadFiles'),
      enabled: canWrite && onUpload !== undefined,
      run: () => onUpload?.(),
    },
    { ...common, keys: '/', label: t('files.Filter'), hiddenInPalette: true, run: onFilter },
  ])
}
