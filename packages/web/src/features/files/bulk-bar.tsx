import { ActionIcon, Button, Group, Text } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import { useFormatters, useT } from '../../i18n/i18n.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { type Action, actionNames, getAvailableActions } from './actions.ts'
import { type FileItem, totalSize } from './entries.ts'
import classes from './files.module.css'
import { actionIcons } from './icons.tsx'
import { ItemCounts } from './item-counts.tsx'

interface BulkBarProps {
  readonly selected: readonly FileItem[]
  readonly canWrite: boolean
  readonly isPhone: boolean
  readonly onAction: (action: Action) => void
  readonly onClear: () => void
}

const bulkActions: readonly Action[] = ['download', 'archive', 'move', 'copy', 'delete']

/** How many items are selected, and the actions for all of them. */
export function BulkBar({ selected, canWrite, isPhone, onAction, onClear }: BulkBarProps) {
  const t = useT()
  const { fileSize } = useFormatters()
  const available = getAvailableActions(selected, canWrite)
  const bytes = totalSize(selected)

  return (
    <Group
      className={classes.bulk}
      role="toolbar"
      aria-label={t('files.SelectionActions')}
      gap={isPhone ? 0 : '2xs'}
      mih={44}
      py="2xs"
      ps="md"
      pe={isPhone ? '2xs' : 'sm'}
    >
      <Text fz="compact" fw={500} flex={1}>
        {t('files.Selected', { count: selected.length })}{' '}
        <Text span display={isPhone ? 'block' : undefined} fz="xs" fw={400} c="dimmed">
          {selected.some(({ isFolder }) => isFolder) && <ItemCounts items={selected} />}{' '}
          {bytes > 0 && <bdi>{fileSize(bytes, { decimals: 2 })}</bdi>}
        </Text>
      </Text>
      {bulkActions
        .filter((action) => available.includes(action))
        .map((action) => {
          const Icon = actionIcons[action]
          const name = t(actionNames[action])
          const color = action === 'delete' ? 'var(--ik-offline)' : 'var(--ik-text)'
          return isPhone ? (
            <ActionIcon key={action} size={44} c={color} aria-label={name} onClick={() => onAction(action)}>
              <Icon size={20} aria-hidden />
            </ActionIcon>
          ) : (
            <Button
              key={action}
              size="compact-sm"
              variant="subtle"
              color="gray"
              c={color}
              leftSection={<Icon size={16} aria-hidden />}
              onClick={() => onAction(action)}
            >
              {name}
            </Button>
          )
        })}
      <IconButton size={isPhone ? 44 : 30} c="var(--ik-text)" label={t('common.ClearSelection')} onClick={onClear}>
        <IconX size={17} aria-hidden />
      </IconButton>
    </Group>
  )
}
