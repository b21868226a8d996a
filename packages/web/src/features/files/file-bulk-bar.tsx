import { Text } from '@mantine/core'
import { useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'
import { BulkBar } from '../../ui/lists/bulk-bar.tsx'
import { type Action, actionNames, getAvailableActions } from './actions.ts'
import { type FileItem, totalSize } from './entries.ts'
import { actionIcons } from './icons.tsx'
import { ItemCounts } from './item-counts.tsx'

interface FileBulkBarProps {
  readonly selected: readonly FileItem[]
  readonly canWrite: boolean
  readonly isPhone: boolean
  readonly onAction: (action: Action) => void
  readonly onClear: () => void
}

const bulkActions: readonly Action[] = ['download', 'archive', 'move', 'copy', 'delete']

/** How many items are selected and their size, and the actions for all of them. */
export function FileBulkBar({ selected, canWrite, isPhone, onAction, onClear }: FileBulkBarProps) {
  const t = useT()
  const { fileSize } = useFormatters()
  const available = getAvailableActions(selected, canWrite)
  const bytes = totalSize(selected)
  const hasFolders = selected.some(({ isFolder }) => isFolder)
  return (
    <BulkBar
      inCard={isPhone}
      overHead={!isPhone}
      iconsOnly={isPhone}
      aria-label={t('files.SelectionActions')}
      summary={
        <>
          {t('files.Selected', { count: selected.length })}{' '}
          <Text span display={isPhone ? 'block' : undefined} fw={400} variant="caption">
            {hasFolders && <ItemCounts items={selected} />}
            {hasFolders && bytes > 0 && ' · '}
            {bytes > 0 && <bdi>{fileSize(bytes, { decimals: 2 })}</bdi>}
          </Text>
        </>
      }
      actions={bulkActions
        .filter((action) => available.includes(action))
        .map((action) => ({
          name: t(actionNames[action]),
          icon: actionIcons[action],
          isDanger: action === 'delete',
          run: () => onAction(action),
        }))}
      onClear={onClear}
    />
  )
}
