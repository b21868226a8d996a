import type { TrashEntry } from '@innkeeper/contract/trash'
import { Button, Group, Modal, Skeleton, Stack, Text } from '@mantine/core'
import { IconFile, IconFolderFilled, IconRestore, IconTrash, IconTrashX } from '@tabler/icons-react'
import { basename, dirname } from '../../api/file-paths.ts'
import { useFormatters, useT } from '../../i18n/i18n.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { useIsPhone } from '../../ui/page.tsx'
import { QueryState } from '../../ui/query-state.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { RowList } from '../../ui/row-list.tsx'
import { useReturnFocus } from '../../ui/use-return-focus.ts'
import classes from './files.module.css'
import { useTrash, useTrashActions } from './use-trash.ts'

interface TrashDialogProps {
  readonly server: string
  readonly canWrite: boolean
  readonly onClose: () => void
}

/** What was deleted and replaced, with restore and delete. */
export function TrashDialog({ server, canWrite, onClose }: TrashDialogProps) {
  const t = useT()
  const { fileSize } = useFormatters()
  const isPhone = useIsPhone()
  const query = useTrash(server)
  const actions = useTrashActions(server)
  useReturnFocus()
  return (
    <Modal opened onClose={onClose} title={t('files.Trash')} size="lg" fullScreen={isPhone}>
      <Stack gap="md">
        <QueryState
          query={query}
          errorTitle={t('files.LoadingFailed')}
          skeleton={<Skeleton h="11rem" role="status" aria-label={t('common.Loading')} />}
          isEmpty={({ entries }) => entries.length === 0}
          empty={
            <EmptyState icon={IconTrash} title={t('files.TrashEmpty')}>
              {query.data && t('files.TrashAbout', { size: fileSize(query.data.maxBytes) })}
            </EmptyState>
          }
        >
          {({ entries, bytes, maxBytes }) => (
            <>
              <Text fz="compact" c="dimmed">
                {t('files.TrashAbout', { size: fileSize(maxBytes) })}
              </Text>
              <RowList label={t('files.Trash')}>
                {entries.map((entry) => (
                  <TrashRow
                    key={entry.id}
                    entry={entry}
                    {...(canWrite && {
                      onRestore: () => actions.restore(entry),
                      onDelete: () => void actions.remove(entry),
                    })}
                  />
                ))}
              </RowList>
              <Group justify="space-between">
                <Text fz="compact" c="dimmed">
                  {t('files.Of', { done: fileSize(bytes, { decimals: 2 }), total: fileSize(maxBytes) })}
                </Text>
                {canWrite && (
                  <Button variant="default" c="var(--ik-offline)" onClick={() => void actions.empty()}>
                    {t('files.EmptyTrash')}
                  </Button>
                )}
              </Group>
            </>
          )}
        </QueryState>
      </Stack>
    </Modal>
  )
}

interface TrashRowProps {
  readonly entry: TrashEntry
  /** Absent without permission. */
  readonly onRestore?: () => void
  readonly onDelete?: () => void
}

function TrashRow({ entry, onRestore, onDelete }: TrashRowProps) {
  const t = useT()
  const { fileSize, dateTime } = useFormatters()
  const { path, paths, isFolder, bytes, reason, author, discardedAt, expiresAt } = entry
  const name = basename(path)
  const folder = dirname(path)
  const Icon = isFolder ? IconFolderFilled : IconFile
  return (
    <Group component="li" gap="sm" wrap="nowrap" py="xs">
      <Icon size={18} aria-hidden style={{ flex: 'none' }} />
      <Stack gap={2} flex={1} miw={0} className={classes.wrapAnywhere}>
        <span>
          <bdi>{name}</bdi> {paths > 1 && t('files.AndMore', { count: paths - 1 })}
        </span>
        <Text component="span" fz="xs" c="dimmed">
          {t(`files.Discarded_${reason}`)}
          {' · '}
          <RelativeTime time={discardedAt} />
          {author !== undefined && (
            <>
              {' · '}
              <bdi>{author}</bdi>
            </>
          )}
          {bytes !== undefined && ` · ${fileSize(bytes)}`}
          {folder !== '' && folder !== '/' && (
            <>
              {' · '}
              <bdi>{folder}</bdi>
            </>
          )}
          {' · '}
          {t('users.InviteExpires', { time: dateTime(Date.parse(expiresAt)) })}
        </Text>
      </Stack>
      {onRestore && (
        <IconButton label={t('files.RestoreNamed', { name })} tooltip={t('forms.Restore')} onClick={onRestore}>
          <IconRestore size={18} aria-hidden />
        </IconButton>
      )}
      {onDelete && (
        <IconButton label={t('common.DeleteNamed', { name })} tooltip={t('files.DeletePermanently')} onClick={onDelete}>
          <IconTrashX size={18} aria-hidden />
        </IconButton>
      )}
    </Group>
  )
}
