import { uniqueName } from '../../api/file-paths.ts'
import { pauseRate, startRate, type TransferRate, updateRate } from '../../ui/text/transfer-rate.ts'
import type { Unpacking } from './unpack-upload.ts'

/** What to do with an upload whose name exists. */
export type ConflictChoice = 'replace' | 'keepBoth' | 'skip'

export type UploadState =
  | { readonly status: 'waiting' }
  /** The name exists and the user must choose. A file cannot replace a folder. */
  | { readonly status: 'conflict'; readonly isFolder: boolean }
  | { readonly status: 'running'; readonly rate: TransferRate; readonly isStalled: boolean }
  | { readonly status: 'done' }
  | { readonly status: 'failed'; readonly error: unknown; readonly canRetry: boolean }
  | { readonly status: 'canceled' }
  | { readonly status: 'skipped' }

/** A file to upload, or, without `file`, a folder to create. */
export interface UploadRequest {
  readonly server: string
  /** The folder that the user selected or dropped it into. */
  readonly folder: string
  /** The destination, relative to the server's folder. */
  readonly path: string
  readonly file?: File
  /** The id of the upload to resume. */
  readonly resumes?: string
  /** The archive is extracted after its upload. */
  readonly unpacking?: Unpacking
}

export interface Upload extends UploadRequest {
  readonly id: number
  readonly size: number
  readonly existing: 'refuse' | 'replace' | 'keepBoth'
  readonly state: UploadState
}

export interface Queue {
  readonly uploads: readonly Upload[]
  /** The choice for all conflicts, until the queue is idle. */
  readonly choiceForAll?: ConflictChoice
  readonly nextId: number
}

export const emptyQueue: Queue = { uploads: [], nextId: 1 }

export type QueueEvent =
  | { readonly type: 'add'; readonly requests: readonly UploadRequest[] }
  | { readonly type: 'reject'; readonly request: UploadRequest; readonly error: unknown }
  | { readonly type: 'start'; readonly id: number; readonly timestamp: number }
  | { readonly type: 'progress'; readonly id: number; readonly sent: number; readonly timestamp: number }
  | { readonly type: 'stall'; readonly id: number }
  | { readonly type: 'conflict'; readonly id: number; readonly isFolder: boolean; readonly names: ReadonlySet<string> }
  | {
      readonly type: 'choose'
      readonly id: number
      readonly choice: ConflictChoice
      readonly getNames: GetExistingNames
      readonly isForAll: boolean
    }
  | { readonly type: 'done'; readonly id: number }
  | { readonly type: 'fail'; readonly id: number; readonly error: unknown }
  | { readonly type: 'cancel'; readonly id: number }
  | { readonly type: 'cancelAll' }
  | { readonly type: 'retry'; readonly id: number }
  | { readonly type: 'dismiss'; readonly id: number }
  | { readonly type: 'clear' }

/** The known names in the destination folder of an upload. */
export type GetExistingNames = (upload: Upload) => ReadonlySet<string>

/** The queue after an event. Events that do not apply return the same queue. */
export function reduceQueue(queue: Queue, event: QueueEvent): Queue {
  switch (event.type) {
    case 'add':
      return addUploads(queue, event.requests)
    case 'reject': {
      const state = { status: 'failed', error: event.error, canRetry: false } as const
      return appendUploads(queue, [{ ...event.request, size: 0, existing: 'refuse', state }])
    }
    case 'start':
      return setState(queue, event.id, ({ state }) =>
        state.status === 'waiting'
          ? { status: 'running', rate: startRate(event.timestamp), isStalled: false }
          : undefined,
      )
    case 'progress':
      return setState(queue, event.id, ({ state }) =>
        state.status === 'running'
          ? { status: 'running', rate: updateRate(state.rate, event), isStalled: false }
          : undefined,
      )
    case 'stall':
      return setState(queue, event.id, ({ state }) =>
        state.status === 'running' && !state.isStalled
          ? { ...state, rate: pauseRate(state.rate), isStalled: true }
          : undefined,
      )
    case 'conflict':
      return updateUpload(queue, event.id, (upload) => applyConflict(upload, queue.choiceForAll, event))
    case 'choose':
      return applyChoice(queue, event)
    case 'done':
      return setState(queue, event.id, ({ state }) => (state.status === 'running' ? { status: 'done' } : undefined))
    case 'fail':
      return setState(queue, event.id, (upload) =>
        isUnfinished(upload) ? { status: 'failed', error: event.error, canRetry: true } : undefined,
      )
    case 'cancel':
      return setState(queue, event.id, (upload) => (isUnfinished(upload) ? { status: 'canceled' } : undefined))
    case 'cancelAll':
      return {
        ...queue,
        uploads: queue.uploads.map((upload) =>
          isUnfinished(upload) ? { ...upload, state: { status: 'canceled' } } : upload,
        ),
      }
    case 'retry':
      return setState(queue, event.id, (upload) => (canRetry(upload) ? { status: 'waiting' } : undefined))
    case 'dismiss':
      return { ...queue, uploads: queue.uploads.filter((upload) => upload.id !== event.id || isUnfinished(upload)) }
    case 'clear':
      return isIdle(queue) ? { ...emptyQueue, nextId: queue.nextId } : queue
  }
}

export function canRetry({ state }: Upload): boolean {
  return (state.status === 'failed' && state.canRetry) || state.status === 'canceled'
}

/** The upload to start next; `undefined` while one is running, and if none is waiting. */
export function getNextUpload({ uploads }: Queue): Upload | undefined {
  if (uploads.some(({ state }) => state.status === 'running')) return undefined
  return uploads.find(({ state }) => state.status === 'waiting')
}

/** Whether nothing is left to do, for the queue or for the user. */
export function isIdle({ uploads }: Queue): boolean {
  return !uploads.some(isUnfinished)
}

export function isUnfinished({ state }: Upload): boolean {
  return state.status === 'waiting' || state.status === 'running' || state.status === 'conflict'
}

/** Whether uploads are running or waiting, so that closing the page would interrupt them. */
export function isBusy({ uploads }: Queue): boolean {
  return uploads.some(({ state }) => state.status === 'running' || state.status === 'waiting')
}

export interface Totals {
  /** All but the canceled and skipped uploads. */
  readonly total: number
  readonly done: number
  readonly failed: number
  readonly conflicts: number
  /** From 0 to 100. */
  readonly percent: number
  readonly running?: Upload
}

export function getTotals({ uploads }: Queue): Totals {
  const counted = uploads.filter(({ state }) => state.status !== 'canceled' && state.status !== 'skipped')
  const withStatus = (status: UploadState['status']) => counted.filter(({ state }) => state.status === status)
  const running = withStatus('running')[0]
  const failed = withStatus('failed')
  const bytes = counted.filter(({ state }) => state.status !== 'failed').reduce((sum, { size }) => sum + size, 0)
  const sent = counted.reduce((sum, upload) => sum + getSentBytes(upload), 0)
  const done = withStatus('done').length
  const doneRatio = counted.length === failed.length ? 1 : done / (counted.length - failed.length)
  const percent = Math.floor(100 * (bytes === 0 ? doneRatio : sent / bytes))
  const totals = {
    total: counted.length,
    done,
    failed: failed.length,
    conflicts: withStatus('conflict').length,
    percent,
  }
  return running ? { ...totals, running } : totals
}

/** Uploaded bytes. */
export function getSentBytes({ size, state }: Upload): number {
  if (state.status === 'done') return size
  return state.status === 'running' ? Math.min(size, state.rate.sent) : 0
}

const maxRows = 100

/** What is shown first: what runs, then what the user must see to, then what waits. */
const rank: Readonly<Record<UploadState['status'], number>> = {
  running: 0,
  conflict: 1,
  failed: 1,
  waiting: 2,
  canceled: 3,
  skipped: 3,
  done: 3,
}

interface VisibleRows {
  readonly rows: readonly Upload[]
  /** Rows that there is no room for. */
  readonly hidden: number
  /** Finished uploads, which have no rows while others go on. */
  readonly folded: number
}

/** The rows to show of a queue, in their order. */
export function getVisibleRows(queue: Queue): VisibleRows {
  const { uploads } = queue
  const shown = isBusy(queue) ? uploads.filter(({ state }) => state.status !== 'done') : uploads
  const rows = shown.toSorted((a, b) => rank[a.state.status] - rank[b.state.status]).slice(0, maxRows)
  return { rows, hidden: shown.length - rows.length, folded: uploads.length - shown.length }
}

function addUploads(queue: Queue, requests: readonly UploadRequest[]): Queue {
  // New files replace the results of an idle queue, except for failures, which can be retried.
  const kept = isIdle(queue) ? queue.uploads.filter(({ state }) => state.status === 'failed') : queue.uploads
  const unfinished = new Set(kept.filter(isUnfinished).map(getTarget))
  const added = new Map<string, UploadRequest>()
  for (const request of requests) {
    const target = getTarget(request)
    if (!unfinished.has(target) && !added.has(target)) added.set(target, request)
  }
  // Adding a failed file again replaces the failure.
  const uploads = kept.filter((upload) => upload.state.status !== 'failed' || !added.has(getTarget(upload)))
  return appendUploads(
    { ...queue, uploads },
    [...added.values()].map((request) => ({
      ...request,
      size: request.file?.size ?? 0,
      existing: 'refuse',
      state: { status: 'waiting' },
    })),
  )
}

function getTarget({ server, path }: UploadRequest): string {
  return `${server}/${path}`
}

function appendUploads(queue: Queue, uploads: readonly Omit<Upload, 'id'>[]): Queue {
  const numbered = uploads.map((upload, index) => ({ ...upload, id: queue.nextId + index }))
  return { ...queue, uploads: [...queue.uploads, ...numbered], nextId: queue.nextId + uploads.length }
}

function updateUpload(queue: Queue, id: number, update: (upload: Upload) => Upload | undefined): Queue {
  const index = queue.uploads.findIndex((upload) => upload.id === id)
  const upload = queue.uploads[index]
  const next = upload && update(upload)
  return next ? resetWhenIdle({ ...queue, uploads: queue.uploads.with(index, next) }) : queue
}

function setState(queue: Queue, id: number, getState: (upload: Upload) => UploadState | undefined): Queue {
  return updateUpload(queue, id, (upload) => {
    const state = getState(upload)
    return state && { ...upload, state }
  })
}

/** A choice for all conflicts applies until the queue is idle. */
function resetWhenIdle({ choiceForAll, ...queue }: Queue): Queue {
  return choiceForAll === undefined || isIdle(queue) ? queue : { ...queue, choiceForAll }
}

function applyConflict(
  upload: Upload,
  choiceForAll: ConflictChoice | undefined,
  { isFolder, names }: Pick<Extract<QueueEvent, { type: 'conflict' }>, 'isFolder' | 'names'>,
): Upload | undefined {
  if (upload.state.status !== 'waiting' && upload.state.status !== 'running') return undefined
  if (upload.existing === 'keepBoth') return resolveConflict(upload, 'keepBoth', names)
  if (choiceForAll !== undefined && !(isFolder && choiceForAll === 'replace'))
    return resolveConflict(upload, choiceForAll, names)
  return { ...upload, state: { status: 'conflict', isFolder } }
}

function applyChoice(queue: Queue, { id, choice, getNames, isForAll }: Extract<QueueEvent, { type: 'choose' }>): Queue {
  const uploads = queue.uploads.map((upload) => {
    if (upload.state.status !== 'conflict') return upload
    const applies = upload.id === id || (isForAll && !(choice === 'replace' && upload.state.isFolder))
    return applies ? resolveConflict(upload, choice, getNames(upload)) : upload
  })
  return resetWhenIdle(isForAll ? { ...queue, uploads, choiceForAll: choice } : { ...queue, uploads })
}

function resolveConflict(upload: Upload, choice: ConflictChoice, names: ReadonlySet<string>): Upload {
  if (choice === 'skip') return { ...upload, state: { status: 'skipped' } }
  if (choice === 'replace') return { ...upload, existing: 'replace', state: { status: 'waiting' } }
  const slash = upload.path.lastIndexOf('/') + 1
  const path = upload.path.slice(0, slash) + uniqueName(upload.path.slice(slash), names)
  return { ...upload, path, existing: 'keepBoth', state: { status: 'waiting' } }
}
