import { uniqueName } from '../../api/file-paths.ts'
import { beginPace, type Pace, paceAfter, restedPace } from './pace.ts'

/** What a person wants done about a name that is taken. */
export type Choice = 'replace' | 'keepBoth' | 'skip'

export type UploadState =
  | { readonly is: 'waiting' }
  /** Something with its name is there: a person must choose. A folder cannot be replaced by a file. */
  | { readonly is: 'asking'; readonly isFolder: boolean }
  | { readonly is: 'running'; readonly pace: Pace; readonly isCutOff: boolean }
  | { readonly is: 'done' }
  | { readonly is: 'failed'; readonly error: unknown; readonly canRetry: boolean }
  | { readonly is: 'cancelled' }
  | { readonly is: 'skipped' }

/** What is to be brought to a server: a file, an empty folder, or a folder that cannot be looked into. */
export interface Wanted {
  readonly server: string
  /** The folder it was added to. */
  readonly folder: string
  /** Where it goes, from the server's folder. */
  readonly path: string
  readonly file?: File
  /** It goes on with this upload instead of beginning one. */
  readonly resumes?: string
}

export interface Upload extends Wanted {
  readonly id: number
  readonly size: number
  readonly existing: 'refuse' | 'replace' | 'keepBoth'
  readonly state: UploadState
}

export interface Queue {
  readonly uploads: readonly Upload[]
  /** What was chosen for all names that are taken, until the queue is empty. */
  readonly forAll?: Choice
  readonly nextId: number
}

export const emptyQueue: Queue = { uploads: [], nextId: 1 }

export type Happening =
  | { readonly kind: 'add'; readonly wanted: readonly Wanted[] }
  | { readonly kind: 'refuse'; readonly wanted: Wanted; readonly error: unknown }
  | { readonly kind: 'start'; readonly id: number; readonly at: number }
  | { readonly kind: 'progress'; readonly id: number; readonly sent: number; readonly at: number }
  | { readonly kind: 'cutOff'; readonly id: number }
  | { readonly kind: 'taken'; readonly id: number; readonly isFolder: boolean; readonly names: ReadonlySet<string> }
  | {
      readonly kind: 'choose'
      readonly id: number
      readonly choice: Choice
      readonly names: NamesIn
      readonly all: boolean
    }
  | { readonly kind: 'done'; readonly id: number }
  | { readonly kind: 'fail'; readonly id: number; readonly error: unknown }
  | { readonly kind: 'cancel'; readonly id: number }
  | { readonly kind: 'cancelAll' }
  | { readonly kind: 'retry'; readonly id: number }
  | { readonly kind: 'dismiss'; readonly id: number }
  | { readonly kind: 'clear' }

/** The names that are known to be taken in the folder of an upload. */
export type NamesIn = (upload: Upload) => ReadonlySet<string>

/** The queue after something happened; the same queue when it changes nothing. */
export function after(queue: Queue, happening: Happening): Queue {
  switch (happening.kind) {
    case 'add':
      return added(queue, happening.wanted)
    case 'refuse': {
      const state = { is: 'failed', error: happening.error, canRetry: false } as const
      return appended(queue, [{ ...happening.wanted, size: 0, existing: 'refuse', state }])
    }
    case 'start':
      return changed(queue, happening.id, ({ state, ...upload }) =>
        state.is === 'waiting'
          ? { ...upload, state: { is: 'running', pace: beginPace(happening.at), isCutOff: false } }
          : undefined,
      )
    case 'progress':
      return changed(queue, happening.id, ({ state, ...upload }) =>
        state.is === 'running'
          ? { ...upload, state: { is: 'running', pace: paceAfter(state.pace, happening), isCutOff: false } }
          : undefined,
      )
    case 'cutOff':
      return changed(queue, happening.id, ({ state, ...upload }) =>
        state.is === 'running' && !state.isCutOff
          ? { ...upload, state: { ...state, pace: restedPace(state.pace), isCutOff: true } }
          : undefined,
      )
    case 'taken':
      return changed(queue, happening.id, (upload) => taken(upload, queue.forAll, happening))
    case 'choose':
      return chosen(queue, happening)
    case 'done':
      return changed(queue, happening.id, (upload) =>
        upload.state.is === 'running' ? { ...upload, state: { is: 'done' } } : undefined,
      )
    case 'fail':
      return changed(queue, happening.id, (upload) =>
        isUnfinished(upload)
          ? { ...upload, state: { is: 'failed', error: happening.error, canRetry: true } }
          : undefined,
      )
    case 'cancel':
      return changed(queue, happening.id, (upload) =>
        isUnfinished(upload) ? { ...upload, state: { is: 'cancelled' } } : undefined,
      )
    case 'cancelAll':
      return {
        ...queue,
        uploads: queue.uploads.map((upload) =>
          isUnfinished(upload) ? { ...upload, state: { is: 'cancelled' } } : upload,
        ),
      }
    case 'retry':
      return changed(queue, happening.id, (upload) =>
        (upload.state.is === 'failed' && upload.state.canRetry) || upload.state.is === 'cancelled'
          ? { ...upload, state: { is: 'waiting' } }
          : undefined,
      )
    case 'dismiss':
      return { ...queue, uploads: queue.uploads.filter((upload) => upload.id !== happening.id || isUnfinished(upload)) }
    case 'clear':
      return isAtRest(queue) ? { ...emptyQueue, nextId: queue.nextId } : queue
  }
}

/** What goes next; `undefined` while something is under way or nothing is left to do without a person. */
export function nextOf({ uploads }: Queue): Upload | undefined {
  if (uploads.some(({ state }) => state.is === 'running')) return undefined
  return uploads.find(({ state }) => state.is === 'waiting')
}

/** Whether nothing is left to do, not even a question to be answered. */
export function isAtRest({ uploads }: Queue): boolean {
  return !uploads.some(isUnfinished)
}

export function isUnfinished({ state }: Upload): boolean {
  return state.is === 'waiting' || state.is === 'running' || state.is === 'asking'
}

/** Whether anything is being done, or will be without a person: leaving now would break it off. */
export function isBusy({ uploads }: Queue): boolean {
  return uploads.some(({ state }) => state.is === 'running' || state.is === 'waiting')
}

export interface Sum {
  /** Files that count: all but those cancelled or skipped. */
  readonly total: number
  readonly done: number
  readonly failed: number
  readonly asking: number
  /** From 0 to 100. */
  readonly percent: number
  readonly running?: Upload
}

/** The queue in figures. */
export function sumOf({ uploads }: Queue): Sum {
  const counted = uploads.filter(({ state }) => state.is !== 'cancelled' && state.is !== 'skipped')
  const withState = (is: UploadState['is']) => counted.filter(({ state }) => state.is === is)
  const running = withState('running')[0]
  const failed = withState('failed')
  const bytes = counted.filter(({ state }) => state.is !== 'failed').reduce((sum, { size }) => sum + size, 0)
  const sent = counted.reduce((sum, upload) => sum + sentOf(upload), 0)
  const done = withState('done').length
  const ofCount = counted.length === failed.length ? 1 : done / (counted.length - failed.length)
  const percent = Math.floor(100 * (bytes === 0 ? ofCount : sent / bytes))
  const sum = { total: counted.length, done, failed: failed.length, asking: withState('asking').length, percent }
  return running ? { ...sum, running } : sum
}

/** Bytes of an upload that are there. */
export function sentOf({ size, state }: Upload): number {
  if (state.is === 'done') return size
  return state.is === 'running' ? Math.min(size, state.pace.sent) : 0
}

const rowsShown = 100

/** The rows of a long queue that are worth showing: what failed or asks, what runs, and what is around that. */
export function rowsOf({ uploads }: Queue): { readonly rows: readonly Upload[]; readonly hidden: number } {
  if (uploads.length <= rowsShown) return { rows: uploads, hidden: 0 }
  const needy = uploads.filter(({ state }) => state.is === 'failed' || state.is === 'asking').slice(0, rowsShown / 2)
  const current = uploads.findIndex(({ state }) => state.is === 'running' || state.is === 'waiting')
  const from = Math.max(0, (current === -1 ? uploads.length : current) - 5)
  const near = uploads.slice(from).filter((upload) => !needy.includes(upload))
  const rows = [...needy, ...near].slice(0, rowsShown)
  return { rows, hidden: uploads.length - rows.length }
}

function added(queue: Queue, wanted: readonly Wanted[]): Queue {
  // What has ended is history when the next files come; what failed can still be tried again.
  const kept = isAtRest(queue) ? queue.uploads.filter(({ state }) => state.is === 'failed') : queue.uploads
  const taken = new Set(kept.filter(isUnfinished).map(placeOf))
  const fresh = wanted.filter((one) => {
    const place = placeOf(one)
    const isNew = !taken.has(place)
    taken.add(place)
    return isNew
  })
  // Whoever adds a file that failed before tries it again.
  const places = new Set(fresh.map(placeOf))
  const rest = kept.filter((upload) => upload.state.is !== 'failed' || !places.has(placeOf(upload)))
  return appended(
    { ...queue, uploads: rest },
    fresh.map((one) => ({ ...one, size: one.file?.size ?? 0, existing: 'refuse', state: { is: 'waiting' } })),
  )
}

function placeOf({ server, path }: Wanted): string {
  return `${server}/${path}`
}

function appended(queue: Queue, uploads: readonly Omit<Upload, 'id'>[]): Queue {
  const numbered = uploads.map((upload, index) => ({ ...upload, id: queue.nextId + index }))
  return { ...queue, uploads: [...queue.uploads, ...numbered], nextId: queue.nextId + uploads.length }
}

function changed(queue: Queue, id: number, change: (upload: Upload) => Upload | undefined): Queue {
  const at = queue.uploads.findIndex((upload) => upload.id === id)
  const upload = queue.uploads[at]
  const next = upload && change(upload)
  if (!next) return queue
  const changedQueue = { ...queue, uploads: queue.uploads.with(at, next) }
  // A choice for all is for those that were in the queue with it.
  return changedQueue.forAll !== undefined && isAtRest(changedQueue) ? without(changedQueue) : changedQueue
}

function without({ uploads, nextId }: Queue): Queue {
  return { uploads, nextId }
}

interface Found {
  readonly isFolder: boolean
  readonly names: ReadonlySet<string>
}

function taken(upload: Upload, forAll: Choice | undefined, { isFolder, names }: Found): Upload | undefined {
  if (upload.state.is !== 'waiting' && upload.state.is !== 'running') return undefined
  if (upload.existing === 'keepBoth') return decided(upload, 'keepBoth', names)
  if (forAll !== undefined && !(isFolder && forAll === 'replace')) return decided(upload, forAll, names)
  return { ...upload, state: { is: 'asking', isFolder } }
}

function chosen(queue: Queue, { id, choice, names, all }: Extract<Happening, { kind: 'choose' }>): Queue {
  const uploads = queue.uploads.map((upload) => {
    const isMeant = upload.id === id || (all && !(choice === 'replace' && isAskingOfFolder(upload)))
    return upload.state.is === 'asking' && isMeant ? decided(upload, choice, names(upload)) : upload
  })
  const next = all ? { ...queue, uploads, forAll: choice } : { ...queue, uploads }
  return isAtRest(next) ? without(next) : next
}

function isAskingOfFolder({ state }: Upload): boolean {
  return state.is === 'asking' && state.isFolder
}

function decided(upload: Upload, choice: Choice, names: ReadonlySet<string>): Upload {
  if (choice === 'skip') return { ...upload, state: { is: 'skipped' } }
  if (choice === 'replace') return { ...upload, existing: 'replace', state: { is: 'waiting' } }
  const slash = upload.path.lastIndexOf('/') + 1
  const path = upload.path.slice(0, slash) + uniqueName(upload.path.slice(slash), names)
  return { ...upload, path, existing: 'keepBoth', state: { is: 'waiting' } }
}
