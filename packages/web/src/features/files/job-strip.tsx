import type { FileJob } from '@innkeeper/contract/files'
import { ActionIcon, Button } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import { nameOf } from '../../api/file-paths.ts'
import { type Text, useFormats, useText } from '../../i18n/text.tsx'
import { Notice } from '../../ui/notice.tsx'
import { messageOf } from '../../ui/refusal.tsx'
import classes from './job-strip.module.css'
import { refusalOf, shareOf, titleOf } from './jobs.ts'
import type { Jobs } from './use-jobs.ts'

/** How many running pieces of work are shown one by one. */
const shown = 3

/** Work on files that is going on, and how earlier work ended where that needs reading. */
export function JobStrip({ jobs, canWrite }: { jobs: Jobs; canWrite: boolean }) {
  const text = useText()
  if (jobs.running.length === 0 && jobs.kept.length === 0) return null
  return (
    <section className={classes.jobs} aria-label={text('files.Work')}>
      {jobs.running.slice(0, shown).map((job) => (
        <RunningJob key={job.id} job={job} {...(canWrite ? { onCancel: () => void jobs.cancel(job) } : {})} />
      ))}
      {jobs.running.length > shown && (
        <p className={classes.quiet}>{text('files.MoreWork', { count: jobs.running.length - shown })}</p>
      )}
      {jobs.kept.map((job) => (
        <EndedJob key={job.id} job={job} retry={jobs.retryOf(job)} onDismiss={() => jobs.dismiss(job.id)} />
      ))}
    </section>
  )
}

function RunningJob({ job, onCancel }: { job: FileJob; onCancel?: () => void }) {
  const text = useText()
  const { number, percent, size } = useFormats()
  const share = shareOf(job)
  const title = doing(text, job)
  const progress =
    share === undefined
      ? text('files.Entries', { count: job.entries, entries: number(job.entries) })
      : percent(Math.floor(share * 100))
  return (
    <div className={classes.job}>
      <span className={classes.jobTitle}>{title}</span>
      <span className={classes.jobProgress}>
        {job.totalBytes && <small>{text('files.Of', { done: size(job.bytes), total: size(job.totalBytes) })}</small>}
        {progress}
      </span>
      {onCancel && (
        <Button size="compact-sm" variant="subtle" color="gray" onClick={onCancel}>
          {text('common.Cancel')}
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
  const text = useText()
  const { skipped = [], skippedCount = 0 } = job
  const more = skippedCount - skipped.length
  return (
    <Notice
      kind={job.state === 'failed' ? 'error' : 'warning'}
      // The end was told when it came.
      urgent={false}
      action={
        <>
          {retry && (
            <Button size="xs" variant="default" onClick={retry}>
              {text('common.TryAgain')}
            </Button>
          )}
          <ActionIcon size={28} aria-label={text('common.Close')} onClick={onDismiss}>
            <IconX size={16} aria-hidden />
          </ActionIcon>
        </>
      }
    >
      {resultOf(text, job)}
      {skipped.length > 0 && (
        <details className={classes.skipped}>
          <summary>{text('files.ShowSkipped')}</summary>
          <ul dir="ltr">
            {skipped.map((name) => (
              <li key={name}>{name}</li>
            ))}
          </ul>
          {more > 0 && <p>{text('files.AndMore', { count: more })}</p>}
        </details>
      )}
    </Notice>
  )
}

function doing(text: Text, { kind, path, paths }: FileJob): string {
  const title = titleOf(kind)
  return paths === 1
    ? text(`files.Doing${title}`, { name: nameOf(path) })
    : text(`files.Doing${title}Count`, { count: paths })
}

/** How work ended, in one sentence. */
export function resultOf(text: Text, job: FileJob): string {
  const { kind, state, paths, path, entries, skippedCount = 0, destination = '' } = job
  const name = nameOf(path)
  const title = titleOf(kind)
  if (state === 'cancelled') return text(`files.Cancelled${title}`)
  if (state === 'failed') return text(`files.Failed${title}`, { name, reason: messageOf(text, refusalOf(job)) })
  if (kind === 'extract') {
    return skippedCount > 0
      ? text('files.ExtractedSkipping', { count: entries, skipped: skippedCount })
      : text('files.Extracted', { count: entries })
  }
  if (kind === 'archive') {
    return skippedCount > 0
      ? text('files.ArchivedSkipping', { name: nameOf(destination), count: skippedCount })
      : text('files.Archived', { name: nameOf(destination) })
  }
  return paths === 1 ? text(`files.Done${title}`, { name }) : text(`files.Done${title}Count`, { count: paths })
}
