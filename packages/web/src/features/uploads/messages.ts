import type { TFunction } from '../../i18n/i18n.tsx'
import { errorMessage } from '../../ui/text/error-message.ts'
import { getTotals, isBusy, type Queue, type Upload } from './queue.ts'
import { UnreadableFileError } from './upload-options.ts'

/** The path of an upload, with a slash at the end for a folder. */
export function getDisplayPath({ path, file }: Upload): string {
  return file ? path : `${path}/`
}

export function getErrorText(t: TFunction, error: unknown): string {
  if (error instanceof UnreadableFileError) return t('uploads.Unreadable')
  return errorMessage(t, error)
}

/** What a screen reader announces about a change of the queue; `undefined` for changes that are not announced. */
export function getAnnouncement(t: TFunction, previous: Queue, queue: Queue): string | undefined {
  const previousStatus = new Map(previous.uploads.map(({ id, state }) => [id, state.status]))
  const findNew = (status: string) =>
    queue.uploads.find(({ id, state }) => state.status === status && previousStatus.get(id) !== status)
  const failed = findNew('failed')
  const summary = !isBusy(queue) && isBusy(previous) ? getSummary(t, queue) : undefined
  if (failed?.state.status === 'failed') {
    const failure = { name: getDisplayPath(failed), reason: getErrorText(t, failed.state.error) }
    return summary === undefined
      ? t('uploads.FailedAnnouncement', failure)
      : t('uploads.FailedSummaryAnnouncement', { ...failure, summary })
  }
  const conflict = findNew('conflict')
  if (conflict) return t('uploads.ConflictAnnouncement', { name: getDisplayPath(conflict) })
  if (isBusy(queue) && !isBusy(previous)) return t('uploads.StartAnnouncement', { count: getTotals(queue).total })
  return summary
}

/** The result of the queue: `5 uploaded`, or that there are failures or conflicts. */
export function getSummary(t: TFunction, queue: Queue): string {
  const { done, failed, conflicts } = getTotals(queue)
  if (conflicts > 0) return t('uploads.SummaryConflicts', { count: conflicts })
  if (failed > 0) return t('uploads.SummaryFailed', { done, count: failed })
  return done === 0 ? t('uploads.SummaryNothing') : t('uploads.Summary', { count: done })
}
