import type { RequiredPermission } from '@innkeeper/contract/api/permissions'
import {
  type Backup,
  type BackupJob,
  createBackup,
  listBackupJobs,
  restoreBackup,
} from '@innkeeper/contract/backups/backups'
import { limits } from '@innkeeper/contract/text/limits'
import { ActionIcon, Button, Group, NativeSelect, Stack, Switch, Text, TextInput } from '@mantine/core'
import { IconArchive, IconCopy, IconDatabase, IconHistory, IconPlus, IconX } from '@tabler/icons-react'
import { useState } from 'react'
import { useApiMutation } from '../../api/use-action.ts'
import { SubmitDialog } from '../../forms/form-dialogs.tsx'
import { useSubmitForm } from '../../forms/use-submit-form.ts'
import { type TranslationKey, useT } from '../../i18n/i18n.tsx'
import { Alert } from '../../ui/feedback/alert.tsx'
import { ByteProgress } from '../../ui/feedback/byte-progress.tsx'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { JobProgress } from '../../ui/feedback/job-progress.tsx'
import { ReadOnlyBadge } from '../../ui/feedback/read-only-badge.tsx'
import { ListSection } from '../../ui/lists/list-section.tsx'
import { QueryState } from '../../ui/loading/query-state.tsx'
import { BackupBrowser } from './backup-browser.tsx'
import { BackupList } from './backup-list.tsx'
import { DailyBackup } from './daily-backup.tsx'
import { RetentionDialog } from './retention-dialog.tsx'
import { readableTargets, type ServerTargets, useTargetName } from './targets/copy-list.tsx'
import { ServerTargetsDialog } from './targets/server-targets-dialog.tsx'
import { type Backups, getFailureText, useBackupName, useBackups } from './use-backups.ts'

type Overlay =
  | { readonly type: 'create' | 'retention' | 'targets' }
  | { readonly type: 'restore'; readonly backup: Backup }
  | { readonly type: 'files'; readonly backup: Backup }

interface BackupsPanelProps {
  readonly server: string
  readonly can: (permission: RequiredPermission) => boolean
  /** Opens the dialog that clones a backup, or the current state. Absent without permission. */
  readonly onClone?: (backup?: Backup) => void
}

/** The backups of a server. */
export function BackupsPanel({ server, can, onClone }: BackupsPanelProps) {
  const t = useT()
  const backups = useBackups(server)
  const { query, targets } = backups
  const hasTargets = targets !== undefined && targets.targets.length > 0
  const [overlay, setOverlay] = useState<Overlay>()
  const close = () => setOverlay(undefined)
  const [canCreate, canRestore] = [can('createServerBackups'), can('restoreServerBackups')]

  const createButton = canCreate && (
    <Button leftSection={<IconPlus size={17} aria-hidden />} onClick={() => setOverlay({ type: 'create' })}>
      {t('backups.Create')}
    </Button>
  )
  return (
    <>
      <ListSection
        title={t('server.TabBackups')}
        actions={
          <Group gap="xs">
            {!canCreate && !canRestore && (
              <ReadOnlyBadge permission={t('shell.NoPermissionFor', { permission: t('server-users.CreateBackups') })} />
            )}
            {can('admin') && hasTargets && (
              <Button
                variant="default"
                leftSection={<IconDatabase size={17} aria-hidden />}
                onClick={() => setOverlay({ type: 'targets' })}
              >
                {t('backup-targets.Short')}
              </Button>
            )}
            {canCreate && (
              <Button
                variant="default"
                leftSection={<IconHistory size={17} aria-hidden />}
                onClick={() => setOverlay({ type: 'retention' })}
              >
                {t('backups.Retention')}
              </Button>
            )}
            {onClone && (
              <Button variant="default" leftSection={<IconCopy size={17} aria-hidden />} onClick={() => onClone()}>
                {t('server.Clone')}
              </Button>
            )}
            {query.data !== undefined && query.data.length > 0 && createButton}
          </Group>
        }
        notices={
          <>
            <BackupJobList
              backups={backups}
              canCancel={{ create: canCreate, restore: canRestore, verify: canCreate, copy: canCreate }}
            />
            {canCreate && can('editServerData') && <DailyBackup server={server} />}
          </>
        }
      >
        <QueryState
          query={query}
          errorTitle={t('backups.LoadFailed')}
          skeletonHeight="11rem"
          isEmpty={(all) => all.length === 0}
          empty={
            <EmptyState icon={IconArchive} title={t('backups.Empty')} actions={createButton}>
              {t('backups.EmptyAbout')}
            </EmptyState>
          }
        >
          {(all) => (
            <BackupList
              backups={all}
              targets={hasTargets ? targets : undefined}
              onFiles={(backup) => setOverlay({ type: 'files', backup })}
              onDownload={(backup, format) => void backups.download(backup, '', format)}
              {...(onClone && { onClone })}
              {...(canRestore && { onRestore: (backup) => setOverlay({ type: 'restore', backup }) })}
              {...(canCreate && {
                onVerify: (backup, target) => void backups.verify(backup, target),
                onCopy: (target) => void backups.copy(target),
                onLock: (backup, isLocked) => void backups.setLocked(backup, isLocked),
                onDelete: (backup) => void backups.remove(backup),
              })}
            />
          )}
        </QueryState>
      </ListSection>
      {overlay?.type === 'create' && <CreateBackupDialog server={server} onClose={close} />}
      {overlay?.type === 'retention' && <RetentionDialog server={server} backups={query.data ?? []} onClose={close} />}
      {overlay?.type === 'restore' && (
        <RestoreDialog
          server={server}
          backup={overlay.backup}
          targets={targets}
          isAdmin={can('admin')}
          onClose={close}
        />
      )}
      {overlay?.type === 'targets' && <ServerTargetsDialog server={server} onClose={close} />}
      {overlay?.type === 'files' && (
        <BackupBrowser
          server={server}
          backup={overlay.backup}
          canRestore={canRestore}
          onDownload={(path, format) => void backups.download(overlay.backup, path, format)}
          onClose={close}
        />
      )}
    </>
  )
}

interface RestoreDialogProps {
  readonly server: string
  readonly backup: Backup
  readonly targets: ServerTargets | undefined
  /** Only administrators may replace the definition. */
  readonly isAdmin: boolean
  readonly onClose: () => void
}

/** Restores everything of a backup. */
function RestoreDialog({ server, backup, targets, isAdmin, onClose }: RestoreDialogProps) {
  const t = useT()
  const getName = useBackupName()
  const getTargetName = useTargetName(targets)
  const sources = readableTargets(backup)
  const { mutateAsync } = useApiMutation(restoreBackup, { invalidates: [listBackupJobs] })
  const form = useSubmitForm({
    initialValues: { definition: false, target: '' },
    isGuarded: false,
    send: ({ definition, target }) =>
      mutateAsync({
        params: { id: server, backup: backup.id },
        body: { definition, ...(target !== '' && { target }) },
      }),
    onSaved: onClose,
  })
  return (
    <SubmitDialog
      form={form}
      title={t('backups.RestoreQuestion', { name: getName(backup) })}
      action={t('backups.RestoreAll')}
      isDestructive
      onClose={onClose}
    >
      <Text c="dimmed">{t('backups.RestoreBody')}</Text>
      {isAdmin && <Switch label={t('backups.WithDefinition')} {...form.switchField('definition')} />}
      {sources.length > 1 && (
        <NativeSelect
          label={t('backup-targets.ReadFrom')}
          data={sources.map((id) => ({ value: id, label: getTargetName(id) }))}
          {...form.field('target')}
        />
      )}
    </SubmitDialog>
  )
}

/** Asks for a note and whether to verify the backup, and starts it. */
function CreateBackupDialog({ server, onClose }: { server: string; onClose: () => void }) {
  const t = useT()
  const { mutateAsync } = useApiMutation(createBackup, { invalidates: [listBackupJobs] })
  const form = useSubmitForm({
    id: `backup-${server}`,
    initialValues: { name: '', verify: false },
    send: (body) => mutateAsync({ params: { id: server }, body }),
    onSaved: onClose,
  })
  return (
    <SubmitDialog form={form} title={t('backups.Create')} action={t('backups.Create')} onClose={onClose}>
      <TextInput
        data-autofocus
        label={t('nodes.Range_note')}
        autoComplete="off"
        maxLength={limits.backupNameMax}
        {...form.field('name')}
      />
      <Switch label={t('steps.Field_verify')} {...form.switchField('verify')} />
    </SubmitDialog>
  )
}

interface BackupJobListProps {
  readonly backups: Backups
  readonly canCancel: Readonly<Record<BackupJob['type'], boolean>>
}

const titles = {
  create: 'backups.DoingCreate',
  restore: 'backups.DoingRestore',
  verify: 'backups.DoingVerify',
  copy: 'backup-targets.Copying',
} as const satisfies Record<BackupJob['type'], TranslationKey>

/** The running and waiting jobs, and those that failed. */
function BackupJobList({ backups, canCancel }: BackupJobListProps) {
  const { active, failed, cancel, dismiss } = backups
  if (active.length === 0 && failed.length === 0) return null
  return (
    <Stack gap="xs">
      {active.map((job) => (
        <ActiveJob key={job.id} job={job} onCancel={canCancel[job.type] ? () => cancel(job) : undefined} />
      ))}
      {failed.map((job) => (
        <FailedJob key={job.id} job={job} onDismiss={() => dismiss(job.id)} />
      ))}
    </Stack>
  )
}

function ActiveJob({ job, onCancel }: { job: BackupJob; onCancel: (() => void) | undefined }) {
  const t = useT()
  const { type, state, bytes = 0, totalBytes = 0 } = job
  return (
    <JobProgress
      title={t(titles[type])}
      progress={bytes > 0 && totalBytes > 0 ? Math.min(1, bytes / totalBytes) : undefined}
      onCancel={onCancel}
    >
      {state === 'waiting' && t('uploads.Waiting')}
      {totalBytes > 0 && <ByteProgress bytes={bytes} totalBytes={totalBytes} />}
    </JobProgress>
  )
}

function FailedJob({ job, onDismiss }: { job: BackupJob; onDismiss: () => void }) {
  const t = useT()
  return (
    <Alert
      type="error"
      action={
        <ActionIcon size={28} aria-label={t('common.Close')} onClick={onDismiss}>
          <IconX size={16} aria-hidden />
        </ActionIcon>
      }
    >
      {getFailureText(t, job)}
    </Alert>
  )
}
