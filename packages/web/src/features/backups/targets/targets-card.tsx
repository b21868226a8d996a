import {
  type BackupTarget,
  deleteBackupTarget,
  listBackupTargets,
  localTarget,
  type NodeBackupTargets,
  putDefaultBackupTargets,
} from '@innkeeper/contract/backups/backup-targets'
import { refusalFrom } from '@innkeeper/contract/errors/refusal-envelope'
import { limits } from '@innkeeper/contract/text/limits'
import { Badge, Checkbox, Group, Paper, Stack, Text } from '@mantine/core'
import { IconPencil, IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import { useApiMutation } from '../../../api/use-action.ts'
import { useApiQuery } from '../../../api/use-api.ts'
import { useT } from '../../../i18n/i18n.tsx'
import { AddButton } from '../../../ui/layout/add-button.tsx'
import { RowList } from '../../../ui/layout/row-list.tsx'
import { CardHeader } from '../../../ui/lists/card-header.tsx'
import { lazyOverlay } from '../../../ui/loading/lazy-overlay.tsx'
import { QueryState } from '../../../ui/loading/query-state.tsx'
import { IconButton } from '../../../ui/menus/icon-button.tsx'
import { useConfirm } from '../../../ui/overlays/confirm.ts'
import { errorMessage } from '../../../ui/text/error-message.ts'
import { formatAddress, targetTypeNames, toggleTarget } from './target-types.ts'

const TargetDialog = lazyOverlay(async () => (await import('./target-dialog.tsx')).TargetDialog)

interface TargetsCardProps {
  readonly node: number
  readonly canEdit: boolean
}

/** Where the backups of the servers of a node are stored. */
export function BackupTargetsCard({ node, canEdit }: TargetsCardProps) {
  const t = useT()
  const query = useApiQuery(listBackupTargets, { params: { id: node } })
  /** `null` for a new target. */
  const [edited, setEdited] = useState<BackupTarget | null>()
  // While the dialog is open, it follows what is saved.
  const current = edited && (query.data?.targets.find(({ id }) => id === edited.id) ?? edited)
  const isFull = (query.data?.targets.length ?? 0) >= limits.backupTargets
  return (
    <Paper component="section" aria-label={t('backup-targets.Title')}>
      <CardHeader title={t('backup-targets.Title')} description={t('backup-targets.About')}>
        {canEdit && (
          <AddButton disabled={isFull || !query.data} onClick={() => setEdited(null)}>
            {t('backup-targets.Add')}
          </AddButton>
        )}
      </CardHeader>
      <QueryState query={query} errorTitle={t('backups.LoadFailed')}>
        {(data) => <Targets node={node} canEdit={canEdit} data={data} onEdit={setEdited} />}
      </QueryState>
      {current !== undefined && <TargetDialog node={node} target={current} onClose={() => setEdited(undefined)} />}
    </Paper>
  )
}

interface TargetsProps extends TargetsCardProps {
  readonly data: NodeBackupTargets
  readonly onEdit: (target: BackupTarget) => void
}

function Targets({ node, canEdit, data: { targets, defaults, defaultsVersion }, onEdit }: TargetsProps) {
  const t = useT()
  const put = useApiMutation(putDefaultBackupTargets, { invalidates: [listBackupTargets] })
  // What someone else has changed is shown before it is replaced.
  const select = (ids: string[]) => put.mutate({ params: { id: node }, body: ids }, { version: defaultsVersion })
  const remove = useRemoveTarget(node)
  const getCheckbox = (id: string, name: string) => (
    <Checkbox
      aria-label={t('backup-targets.Use', { name })}
      checked={defaults.includes(id)}
      disabled={!canEdit || put.isPending}
      onChange={() => void select(toggleTarget(defaults, id))}
    />
  )
  return (
    <RowList label={t('backup-targets.Title')}>
      <Group component="li" px="md" py="xs" gap="sm" mih="3rem">
        {getCheckbox(localTarget, t('backup-targets.Local'))}
        <Text fw={500}>{t('backup-targets.Local')}</Text>
      </Group>
      {targets.map((target) => (
        <Group key={target.id} component="li" px="md" py="xs" gap="sm" wrap="nowrap">
          {getCheckbox(target.id, target.name)}
          <Stack gap={0} flex={1} miw={0} style={{ overflowWrap: 'anywhere' }}>
            <Group gap="xs">
              <Text component="bdi" fw={500}>
                {target.name}
              </Text>
              <Badge>{targetTypeNames[target.address.type]}</Badge>
            </Group>
            <Text component="bdi" variant="caption">
              {formatAddress(target.address)}
            </Text>
            {target.error && (
              <Text c="var(--ik-warning)" fz="xs">
                {errorMessage(t, refusalFrom({ error: target.error }))}
              </Text>
            )}
          </Stack>
          {canEdit && (
            <Group gap="2xs" wrap="nowrap">
              <IconButton label={t('common.EditNamed', { name: target.name })} onClick={() => onEdit(target)}>
                <IconPencil size={17} aria-hidden />
              </IconButton>
              <IconButton label={t('common.DeleteNamed', { name: target.name })} onClick={() => void remove(target)}>
                <IconTrash size={17} aria-hidden />
              </IconButton>
            </Group>
          )}
        </Group>
      ))}
    </RowList>
  )
}

/** Asks first. */
function useRemoveTarget(node: number) {
  const t = useT()
  const confirm = useConfirm()
  const { mutate } = useApiMutation(deleteBackupTarget, { invalidates: [listBackupTargets] })
  return ({ id, name }: BackupTarget) =>
    confirm({
      title: t('common.DeleteQuestion', { name }),
      body: t('backup-targets.DeleteBody'),
      onConfirm: () => mutate({ params: { id: node, target: id } }),
    })
}
