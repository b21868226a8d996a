import type { TFunction } from '../../i18n/i18n.tsx'
import { errorMessage } from '../../ui/error-message.ts'
import { isBusy, type Queue, sumOf, type Upload } from './queue.ts'
import { UnreadableFile } from './transport.ts'

/** The path of an upload as people see it: with its folder, since many folders hold a file of the same name. */
export function shownPath({ path, file }: Upload): string {
  return file ? path : `${path}/`
}

/** Why an upload failed. */
export function failureText(t: TFunction, error: unknown): string {
  if (error instanceof UnreadableFile) return t('uploads.Unreadable')
  return errorMessage(t, error)
}

/** What people who do not see the queue hear about a change of it; `undefined` when it is nothing to interrupt for. */
export function announcementOf(t: TFunction, before: Queue, now: Queue): string | undefined {
  const old = new Map(before.uploads.map(({ id, state }) => [id, state.is]))
  const fresh = (is: string) => now.uploads.find(({ id, state }) => state.is === is && old.get(id) !== is)
  const failed = fresh('failed')
  const ended = !isBusy(now) && isBusy(before) ? endText(t, now) : undefined
  if (failed?.state.is === 'failed') {
    const failure = { name: shownPath(failed), reason: failureText(t, failed.state.error) }
    return [t('uploads.HeardFailed', failure), ended].filter(Boolean).join('. ')
  }
  const asking = fresh('asking')
  if (asking) return t('uploads.HeardTaken', { name: shownPath(asking) })
  if (isBusy(now) && !isBusy(before)) return t('uploads.HeardStart', { count: sumOf(now).total })
  return ended
}

/** How it all ended: `5 uploaded`, or that something needs a person. */
export function endText(t: TFunction, queue: Queue): string {
  const { done, failed, asking } = sumOf(queue)
  if (asking > 0) return t('uploads.EndAsking', { count: asking })
  if (failed > 0) return t('uploads.EndFailed', { done, count: failed })
  return done === 0 ? t('uploads.EndNothing') : t('uploads.End', { count: done })
}
