import type { BackupJob } from '@innkeeper/contract/backups/backups'
import { ActionIcon, Stack } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import { useT } from '../../i18n/i18n.tsx'
import type { TranslationKey } from '../../i18n/translation-key.ts'
import { Alert } from '../../ui/feedback/alert.tsx'
import { ByteProgress } from '../../ui/feedback/byte-progress.tsx'
import { JobProgress } from '../../ui/feedback/job-progress.tsx'
import { type Backups, getFailureText } from './use-backups.ts'

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
export function BackupJobList({ backups, canCancel }: BackupJobListProps) {
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
