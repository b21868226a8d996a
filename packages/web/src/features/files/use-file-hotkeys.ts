import { useHotkeys } from '../../hotkeys/hotkeys.tsx'
import { useT } from '../../i18n/i18n.tsx'

interface FileHotkeyOptions {
  readonly canWrite: boolean
  readonly isInside: boolean
  readonly onFile: () => void
  readonly onFolder: () => void
  readonly onRefresh: () => void
  readonly onUpload: (() => void) | undefined
  readonly onFilter: () => void
}

/**
 * The shortcuts of the Files tab. `r` refreshes immediately while the focus is in the list. Elsewhere it is also the
 * first key of the power sequences (`r r`, `r s`), so it refreshes only if no second key follows.
 */
export function useFileHotkeys({
  canWrite,
  isInside,
  onFile,
  onFolder,
  onRefresh,
  onUpload,
  onFilter,
}: FileHotkeyOptions): void {
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
