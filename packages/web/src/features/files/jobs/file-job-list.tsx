import type { FileJob } from '@innkeeper/contract/servers/files'
import { ActionIcon, Box, Button, List, Stack, Text } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import { basename } from '../../../api/file-paths.ts'
import { type TFunction, type TranslationKey, useT } from '../../../i18n/i18n.tsx'
import { useFormatters } from '../../../i18n/use-formatters.ts'
import { Alert } from '../../../ui/feedback/alert.tsx'
import { JobProgress } from '../../../ui/feedback/job-progress.tsx'
import { errorMessage } from '../../../ui/text/error-message.ts'
import classes from '../files.module.css'
import { getJobError, getProgress, getTextKey } from './jobs.ts'
import type { Jobs } from './use-jobs.ts'

/** How many running jobs are shown one by one. */
const maxShownJobs = 3

/** The running file jobs, and those that failed or skipped files. */
export function FileJobList({ jobs, canWrite }: { jobs: Jobs; canWrite: boolean }) {
  const t = useT()
  if (jobs.running.length === 0 && jobs.ended.length === 0) return null
  return (
    <Stack component="section" className={classes.section} gap="2xs" px="sm" py="xs" aria-label={t('files.Jobs')}>
      {jobs.running.slice(0, maxShownJobs).map((job) => (
        <RunningJob key={job.id} job={job} {...(canWrite ? { onCancel: () => void jobs.cancel(job) } : {})} />
      ))}
      {jobs.running.length > maxShownJobs && (
        <Text variant="note">{t('files.MoreJobs', { count: jobs.running.length - maxShownJobs })}</Text>
      )}
      {jobs.ended.map((job) => (
        <EndedJob key={job.id} job={job} retry={jobs.getRetry(job)} onDismiss={() => jobs.dismiss(job.id)} />
      ))}
    </Stack>
  )
}

function RunningJob({ job, onCancel }: { job: FileJob; onCancel?: () => void }) {
  const t = useT()
  const { number, percent, fileSize } = useFormatters()
  const progress = getProgress(job)
  const title = getProgressText(t, job)
  const progressText =
    progress === undefined
      ? t('files.Entries', { count: job.entries, entries: number(job.entries) })
      : percent(Math.floor(progress * 100))
  return (
    <JobProgress title={title} progress={progress} onCancel={onCancel}>
      {job.totalBytes && (
        <Box component="span" visibleFrom="sm">
          {t('files.Of', {
            done: fileSize(job.bytes, { decimals: 2 }),
            total: fileSize(job.totalBytes, { decimals: 2 }),
          })}{' '}
          ·{' '}
        </Box>
      )}
      {progressText}
    </JobProgress>
  )
}

function EndedJob({ job, retry, onDismiss }: { job: FileJob; retry: (() => void) | undefined; onDismiss: () => void }) {
  const t = useT()
  const { skipped = [], skippedCount = 0 } = job
  const more = skippedCount - skipped.length
  return (
    <Alert
      type={job.state === 'failed' ? 'error' : 'warning'}
      // The file browser has announced the result.
      role="status"
      action={
        <>
          {retry && (
            <Button size="xs" variant="default" onClick={retry}>
              {t('common.TryAgain')}
            </Button>
          )}
          <ActionIcon size={28} aria-label={t('common.Close')} onClick={onDismiss}>
            <IconX size={16} aria-hidden />
          </ActionIcon>
        </>
      }
    >
      {getResultText(t, job)}
      {skipped.length > 0 && (
        <Box component="details" mt="2xs">
          <summary>{t('files.ShowSkipped')}</summary>
          <List dir="ltr" className={classes.skipped} mah={160} ff="monospace" fz="xs" my="2xs">
            {skipped.map((name) => (
              <List.Item key={name}>{name}</List.Item>
            ))}
          </List>
          {more > 0 && t('common.AndMore', { count: more })}
        </Box>
      )}
    </Alert>
  )
}

function getProgressText(t: TFunction, { kind, path, paths }: FileJob): string {
  const key = getTextKey(kind)
  return paths === 1 ? t(`files.Doing${key}`, { name: basename(path) }) : t(`files.Doing${key}Count`, { count: paths })
}

/** The result of a job that has ended. */
export function getResultText(t: TFunction, job: FileJob): string {
  const { kind, state, paths, path, entries, skippedCount = 0, destination = '' } = job
  const name = basename(path)
  const key = getTextKey(kind)
  if (state === 'cancelled') return t(`files.Cancelled${key}`)
  if (state === 'failed') return t(`files.Failed${key}`, { name, reason: errorMessage(t, getJobError(job)) })
  if (kind === 'extract') {
    return skippedCount > 0
      ? t('files.ExtractedSkipping', { count: entries, skipped: skippedCount })
      : t('files.Extracted', { count: entries })
  }
  if (kind === 'archive') {
    return skippedCount > 0
      ? t('files.ArchivedSkipping', { name: basename(destination), count: skippedCount })
      : t('common.Created', { name: basename(destination) })
  }
  const texts = doneTexts[kind]
  return paths === 1 ? t(texts.one, { name }) : t(texts.count, { count: paths })
}

const doneTexts = {
  delete: { one: 'common.Deleted', count: 'files.DoneDeleteCount' },
  move: { one: 'files.DoneMove', count: 'files.DoneMoveCount' },
  copy: { one: 'files.DoneCopy', count: 'files.DoneCopyCount' },
} as const satisfies Partial<Record<FileJob['kind'], { one: TranslationKey; count: TranslationKey }>>
