import type { FileJob } from '@innkeeper/contract/files'
import { ActionIcon, Button } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import { basename } from '../../api/file-paths.ts'
import { type TFunction, useFormatters, useT } from '../../i18n/i18n.tsx'
import { Alert } from '../../ui/alert.tsx'
import { errorMessage } from '../../ui/error-message.ts'
import classes from './job-strip.module.css'
import { refusalOf, shareOf, titleOf } from './jobs.ts'
import type { Jobs } from './use-jobs.ts'

/** How many running pieces of work are shown one by one. */
const shown = 3

/** Work on files that is going on, and how earlier work ended where that needs reading. */
export function JobStrip({ jobs, canWrite }: { jobs: Jobs; canWrite: boolean }) {
  const t = useT()
  if (jobs.running.length === 0 && jobs.kept.length === 0) return null
  return (
    <section className={classes.jobs} aria-label={t('files.Work')}>
      {jobs.running.slice(0, shown).map((job) => (
        <RunningJob key={job.id} job={job} {...(canWrite ? { onCancel: () => void jobs.cancel(job) } : {})} />
      ))}
      {jobs.running.length > shown && (
        <p className={classes.quiet}>{t('files.MoreWork', { count: jobs.running.length - shown })}</p>
      )}
      {jobs.kept.map((job) => (
        <EndedJob key={job.id} job={job} retry={jobs.retryOf(job)} onDismiss={() => jobs.dismiss(job.id)} />
      ))}
    </section>
  )
}

function RunningJob({ job, onCancel }: { job: FileJob; onCancel?: () => void }) {
  const t = useT()
  const { number, percent, size } = useFormatters()
  const share = shareOf(job)
  const title = doing(t, job)
  const progress =
    share === undefined
      ? t('files.Entries', { count: job.entries, entries: number(job.entries) })
      : percent(Math.floor(share * 100))
  return (
    <div className={classes.job}>
      <span className={classes.jobTitle}>{title}</span>
      <span className={classes.jobProgress}>
        {job.totalBytes && <small>{t('files.Of', { done: size(job.bytes), total: size(job.totalBytes) })}</small>}
        {progress}
      </span>
      {onCancel && (
        <Button size="compact-sm" variant="subtle" color="gray" onClick={onCancel}>
          {t('common.Cancel')}
        </Button>
      )}
      <span
        className={classes.track}
        role="progressbar"
        aria-label={title}
        aria-valuemin={0}
        aria-valuemax={100}
        {...(share === undefined ? {} : { 'aria-valuenow': Math.floor(share * 4) * 25 })}
        data-unknown={share === undefined || undefined}
      >
        <span style={share === undefined ? {} : { inlineSize: `${share * 100}%` }} />
      </span>
    </div>
  )
}

function EndedJob({ job, retry, onDismiss }: { job: FileJob; retry: (() => void) | undefined; onDismiss: () => void }) {
  const t = useT()
  const { skipped = [], skippedCount = 0 } = job
  const more = skippedCount - skipped.length
  return (
    <Alert
      type={job.state === 'failed' ? 'error' : 'warning'}
      // The end was told when it came.
      urgent={false}
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
      {resultOf(t, job)}
      {skipped.length > 0 && (
        <details className={classes.skipped}>
          <summary>{t('files.ShowSkipped')}</summary>
          <ul dir="ltr">
            {skipped.map((name) => (
              <li key={name}>{name}</li>
            ))}
          </ul>
          {more > 0 && <p>{t('files.AndMore', { count: more })}</p>}
        </details>
      )}
    </Alert>
  )
}

function doing(t: TFunction, { kind, path, paths }: FileJob): string {
  const title = titleOf(kind)
  return paths === 1
    ? t(`files.Doing${title}`, { name: basename(path) })
    : t(`files.Doing${title}Count`, { count: paths })
}

/** How work ended, in one sentence. */
export function resultOf(t: TFunction, job: FileJob): string {
  const { kind, state, paths, path, entries, skippedCount = 0, destination = '' } = job
  const name = basename(path)
  const title = titleOf(kind)
  if (state === 'cancelled') return t(`files.Cancelled${title}`)
  if (state === 'failed') return t(`files.Failed${title}`, { name, reason: errorMessage(t, refusalOf(job)) })
  if (kind === 'extract') {
    return skippedCount > 0
      ? t('files.ExtractedSkipping', { count: entries, skipped: skippedCount })
      : t('files.Extracted', { count: entries })
  }
  if (kind === 'archive') {
    return skippedCount > 0
      ? t('files.ArchivedSkipping', { name: basename(destination), count: skippedCount })
      : t('files.Archived', { name: basename(destination) })
  }
  return paths === 1 ? t(`files.Done${title}`, { name }) : t(`files.Done${title}Count`, { count: paths })
}
