import type { Text } from '../../i18n/text.tsx'
import { messageOf } from '../../ui/refusal.tsx'
import { isBusy, type Queue, sumOf, type Upload } from './queue.ts'
import { UnreadableFile } from './transport.ts'

/** The path of an upload as people see it: with its folder, since many folders hold a file of the same name. */
export function shownPath({ path, file }: Upload): string {
  return file ? path : `${path}/`
}

/** Why an upload failed. */
export function failureText(text: Text, error: unknown): string {
  if (error instanceof UnreadableFile) return text('uploads.Unreadable')
  return messageOf(text, error)
}

/** What people who do not see the queue hear about a change of it; `undefined` when it is nothing to interrupt for. */
export function announcementOf(text: Text, before: Queue, now: Queue): string | undefined {
  const old = new Map(before.uploads.map(({ id, state }) => [id, state.is]))
  const fresh = (is: string) => now.uploads.find(({ id, state }) => state.is === is && old.get(id) !== is)
  const failed = fresh('failed')
  const ended = !isBusy(now) && isBusy(before) ? endText(text, now) : undefined
  if (failed?.state.is === 'failed') {
    const failure = { name: shownPath(failed), reason: failureText(text, failed.state.error) }
    return [text('uploads.HeardFailed', failure), ended].filter(Boolean).join('. ')
  }
  const asking = fresh('asking')
  if (asking) return text('uploads.HeardTaken', { name: shownPath(asking) })
  if (isBusy(now) && !isBusy(before)) return text('uploads.HeardStart', { count: sumOf(now).total })
  return ended
}

/** How it all ended: `5 uploaded`, or that something needs a person. */
export function endText(text: Text, queue: Queue): string {
  const { done, failed, asking } = sumOf(queue)
  if (asking > 0) return text('uploads.EndAsking', { count: asking })
  if (failed > 0) return text('uploads.EndFailed', { done, count: failed })
  return done === 0 ? text('uploads.EndNothing') : text('uploads.End', { count: done })
}
