import type { ConflictPolicy } from '@innkeeper/contract/servers/files'
import type { TrashEntry } from '@innkeeper/contract/servers/trash'
import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { IconFile, IconFolderFilled, IconRestore, IconTrash, IconTrashX } from '@tabler/icons-react'
import { useState } from 'react'
import { basename, dirname } from '../../../api/file-paths.ts'
import { useT } from '../../../i18n/i18n.tsx'
import { useFormatters } from '../../../i18n/use-formatters.ts'
import { EmptyState } from '../../../ui/feedback/empty-state.tsx'
import { RowList } from '../../../ui/layout/row-list.tsx'
import { QueryState } from '../../../ui/loading/query-state.tsx'
import { IconButton } from '../../../ui/menus/icon-button.tsx'
import { useReturnFocus } from '../../../ui/overlays/use-return-focus.ts'
import { RelativeTime } from '../../../ui/text/relative-time.tsx'
import classes from '../files.module.css'
import { type RestoreConflict, useTrash, useTrashActions } from './use-trash.ts'

/** What was deleted and replaced, with restore and delete. */
export function TrashDialog({ server, canWrite, onClose }: { server: string; canWrite: boolean; onClose: () => void }) {
  const t = useT()
  const { fileSize } = useFormatters()
  const query = useTrash(server)
  const [conflict, setConflict] = useState<RestoreConflict>()
  const actions = useTrashActions(server, setConflict)
  useReturnFocus()
  const restore = async (entry: TrashEntry, onConflict: ConflictPolicy) => {
    await actions.restore({ entry, onConflict })
    if (onConflict !== 'refuse') setConflict(undefined)
  }
  return (
    <Modal
      opened
      onClose={onClose}
      // Esc closes the question above it first.
      closeOnEscape={conflict === undefined}
      title={t('files.Trash')}
      size="lg"
      variant="phone-full-screen"
    >
      <Stack gap="md">
        <QueryState
          query={query}
          errorTitle={t('files.LoadingFailed')}
          skeletonHeight="11rem"
          isEmpty={({ entries }) => entries.length === 0}
          empty={
            <EmptyState icon={IconTrash} title={t('files.TrashEmpty')}>
              {query.data && t('files.TrashAbout', { size: fileSize(query.data.maxBytes) })}
            </EmptyState>
          }
        >
          {({ entries, bytes, maxBytes }) => (
            <>
              <Text variant="note">{t('files.TrashAbout', { size: fileSize(maxBytes) })}</Text>
              <RowList label={t('files.Trash')}>
                {entries.map((entry) => (
                  <TrashRow
                    key={entry.id}
                    entry={entry}
                    {...(canWrite && {
                      onRestore: () => void restore(entry, 'refuse'),
                      onDelete: () => void actions.remove(entry),
                    })}
                  />
                ))}
              </RowList>
              <Group justify="space-between">
                <Text variant="note">
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
      {conflict && <ConflictQuestion {...conflict} onResolve={restore} onClose={() => setConflict(undefined)} />}
    </Modal>
  )
}

interface ConflictQuestionProps extends RestoreConflict {
  readonly onResolve: (entry: TrashEntry, onConflict: ConflictPolicy) => Promise<void>
  readonly onClose: () => void
}

function ConflictQuestion({ entry, name, onResolve, onClose }: ConflictQuestionProps) {
  const t = useT()
  const [running, setRunning] = useState<ConflictPolicy>()
  useReturnFocus()
  const getProps = (onConflict: ConflictPolicy) => ({
    loading: running === onConflict,
    disabled: running !== undefined,
    onClick: () => {
      setRunning(onConflict)
      void onResolve(entry, onConflict).finally(() => setRunning(undefined))
    },
  })
  return (
    <Modal opened onClose={onClose} title={t('files.RestoreNamed', { name: basename(entry.path) })}>
      <Stack gap="md" className={classes.wrapAnywhere}>
        <Text>
          {t('files.FileConflict', { name })} {t('files.ReplacedToTrash')}
        </Text>
        <Group gap="xs" justify="flex-end">
          <Button variant="subtle" onClick={onClose}>
            {t('common.Cancel')}
          </Button>
          <Button variant="default" data-autofocus {...getProps('keepBoth')}>
            {t('common.KeepBoth')}
          </Button>
          <Button {...getProps('replace')}>{t('common.Replace')}</Button>
        </Group>
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
      <Icon size={18} aria-hidden color={isFolder ? 'var(--ik-highlight)' : 'var(--ik-dim)'} style={{ flex: 'none' }} />
      <Stack gap="3xs" flex={1} miw={0} className={classes.wrapAnywhere}>
        <span>
          <bdi>{name}</bdi> {paths > 1 && t('common.AndMore', { count: paths - 1 })}
        </span>
        <Text component="span" variant="caption">
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
