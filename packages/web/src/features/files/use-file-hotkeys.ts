import { IconFilePlus, IconFolderPlus, IconRefresh, IconUpload, type TablerIcon } from '@tabler/icons-react'
import { createElement } from 'react'
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
export function useFileHotkeys(options: FileHotkeyOptions): void {
  const { canWrite, isInside, onFile, onFolder, onRefresh, onUpload, onFilter } = options
  const t = useT()
  const common = { group: t('server.TabFiles'), isContextual: true }
  useHotkeys([
    { ...common, icon: icon(IconFilePlus), keys: 'n f', label: t('files.NewFile'), enabled: canWrite, run: onFile },
    {
      ...common,
      icon: icon(IconFolderPlus),
      keys: 'n d',
      label: t('files.NewFolder'),
      enabled: canWrite,
      run: onFolder,
    },
    {
      ...common,
      icon: icon(IconRefresh),
      keys: 'r',
      label: t('files.RefreshFiles'),
      waitsForNextKey: !isInside,
      run: onRefresh,
    },
    {
      ...common,
      icon: icon(IconUpload),
      keys: 'u',
      label: t('files.UploadFiles'),
      enabled: canWrite && onUpload !== undefined,
      run: () => onUpload?.(),
    },
    { ...common, keys: '/', label: t('files.Filter'), hiddenInPalette: true, run: onFilter },
  ])
}

function icon(Icon: TablerIcon) {
  return createElement(Icon, { size: 18, 'aria-hidden': true })
}
