import { getFile, putFile } from '@innkeeper/contract/files'
import { limits } from '@innkeeper/contract/limits'
import { Refusal } from '@innkeeper/contract/refusals'
import { basename, dirname, joinPath } from '../../api/file-paths.ts'
import { isRefusal, request } from '../../api/request.ts'
import { type FoundItem, type PickedItem, walk } from './items.ts'
import { persist } from './patience.ts'
import {
  after,
  type Choice,
  emptyQueue,
  type Happening,
  isAtRest,
  isBusy,
  nextOf,
  type Queue,
  type Upload,
  type Wanted,
} from './queue.ts'
import { cancelled, send } from './transport.ts'

/** Names in a folder, and whether each is a folder. */
type Names = ReadonlyMap<string, boolean>
type EndWatcher = (server: string, folders: readonly string[]) => void

/** How many files of a folder join the queue at once while it is being walked. */
const portion = 200
const nothing: Names = new Map()

/** The uploads of this window: holds the queue and does what it says, one upload after the other, until it is closed. */
export class UploadStore {
  #queue: Queue = emptyQueue
  readonly #watchers = new Set<() => void>()
  readonly #endWatchers = new Set<EndWatcher>()
  readonly #life = new AbortController()
  #current: { readonly id: number; readonly stop: AbortController } | undefined
  /** What folders hold, as far as anybody could list them; the same names once they are there. */
  readonly #listings = new Map<string, Promise<Names>>()
  readonly #known = new Map<string, Map<string, boolean>>()
  readonly #made = new Set<string>()
  /** Folders that got something, by server, until that is told. */
  readonly #touched = new Map<string, Set<string>>()

  readonly queue = (): Queue => this.#queue

  readonly watch = (watcher: () => void): (() => void) => {
    this.#watchers.add(watcher)
    return () => this.#watchers.delete(watcher)
  }

  /** Tells when nothing more is on its way to a server, and which folders have something new. */
  readonly watchEnds = (watcher: EndWatcher): (() => void) => {
    this.#endWatchers.add(watcher)
    return () => this.#endWatchers.delete(watcher)
  }

  readonly add = (server: string, folder: string, items: readonly PickedItem[]): void => {
    void this.#add(server, folder, items)
  }

  /** Goes on with an upload that was interrupted; it must be the same file. */
  resume(server: string, path: string, file: File, upload: string): void {
    this.#happen({ kind: 'add', wanted: [{ server, folder: dirname(path), path, file, resumes: upload }] })
  }

  choose(id: number, choice: Choice, all: boolean): void {
    this.#happen({ kind: 'choose', id, choice, all, names: (upload) => new Set(this.#namesAround(upload).keys()) })
    this.#tellEnds()
  }

  retry(id: number): void {
    this.#happen({ kind: 'retry', id })
  }

  cancel(id: number): void {
    this.#happen({ kind: 'cancel', id })
    if (this.#current?.id === id) this.#current.stop.abort(cancelled)
    this.#tellEnds()
  }

  cancelAll(): void {
    this.#happen({ kind: 'cancelAll' })
    this.#current?.stop.abort(cancelled)
    this.#tellEnds()
  }

  dismiss(id: number): void {
    this.#happen({ kind: 'dismiss', id })
  }

  clear(): void {
    this.#happen({ kind: 'clear' })
  }

  /** Ends what is under way without discarding it. */
  close(): void {
    this.#life.abort()
    this.#current?.stop.abort(this.#life.signal.reason)
  }

  async #add(server: string, folder: string, items: readonly PickedItem[]): Promise<void> {
    const wantedOf = ({ path, file }: FoundItem): Wanted => {
      const wanted = { server, folder, path: joinPath(folder, path) }
      return file ? { ...wanted, file } : wanted
    }
    const files = items.filter((item) => item.kind === 'file')
    if (files.length > 0) this.#happen({ kind: 'add', wanted: files.map(wantedOf) })
    for (const item of items) {
      if (item.kind === 'file') continue
      if (item.kind === 'closedFolder') {
        const error = new Refusal('ErrDirectoryUploadNotSupported')
        this.#happen({ kind: 'refuse', wanted: wantedOf({ path: item.path }), error })
        continue
      }
      try {
        let found: Wanted[] = []
        for await (const one of walk(item.path, item.entry)) {
          if (this.#life.signal.aborted) return
          found.push(wantedOf(one))
          if (found.length < portion) continue
          this.#happen({ kind: 'add', wanted: found })
          found = []
        }
        this.#happen({ kind: 'add', wanted: found })
      } catch (error) {
        this.#happen({ kind: 'refuse', wanted: wantedOf({ path: item.path }), error })
      }
    }
    await this.#foresee(server, folder)
  }

  /** Asks about names that are taken right away, while the person is still there. */
  async #foresee(server: string, folder: string): Promise<void> {
    const names = await this.#namesIn(server, folder, folder)
    for (const upload of this.#queue.uploads) {
      const isHere = upload.server === server && dirname(upload.path) === folder && upload.file !== undefined
      const isUndecided = upload.state.is === 'waiting' && upload.existing === 'refuse' && upload.resumes === undefined
      if (isHere && isUndecided && names.has(basename(upload.path))) this.#take(upload, names)
    }
  }

  #happen(happening: Happening): void {
    const before = this.#queue
    this.#queue = after(before, happening)
    if (this.#queue === before) return
    for (const watcher of this.#watchers) watcher()
    this.#proceed()
  }

  #proceed(): void {
    const upload = this.#current ? undefined : nextOf(this.#queue)
    if (!upload || this.#life.signal.aborted) return
    const stop = new AbortController()
    this.#current = { id: upload.id, stop }
    this.#happen({ kind: 'start', id: upload.id, at: Date.now() })
    void this.#carry(upload, stop.signal).then(() => {
      this.#current = undefined
      this.#proceed()
      this.#tellEnds()
    })
  }

  /** Does one upload; whatever becomes of it is in the queue afterwards. */
  async #carry(upload: Upload, signal: AbortSignal): Promise<void> {
    const { id, server, folder, path, file, existing } = upload
    try {
      if (!file) {
        await this.#makeFolder(server, path, upload, signal)
      } else {
        if (existing !== 'replace' && upload.resumes === undefined) {
          const names = await this.#namesIn(server, dirname(path), folder)
          signal.throwIfAborted()
          if (names.has(basename(path))) return this.#take(upload, names)
        }
        if (dirname(path) !== folder) await this.#makeFolder(server, dirname(path), upload, signal)
        await send({
          ...{ server, path, file, signal, existing: existing === 'replace' ? 'replace' : 'refuse' },
          ...(upload.resumes === undefined ? {} : { resumes: upload.resumes }),
          onProgress: this.#progressOf(id),
          onCutOff: () => this.#happen({ kind: 'cutOff', id }),
        })
      }
      this.#learn(server, path, file === undefined)
      this.#touch(server, folder, path)
      this.#happen({ kind: 'done', id })
    } catch (error) {
      if (signal.aborted) return
      if (file && isRefusal(error, 'ErrFileExists')) {
        this.#learn(server, path, false)
        this.#take(upload, this.#namesAround(upload))
      } else {
        this.#happen({ kind: 'fail', id, error })
      }
    }
  }

  #take(upload: Upload, names: Names): void {
    const isFolder = names.get(basename(upload.path)) === true
    this.#happen({ kind: 'taken', id: upload.id, isFolder, names: new Set(names.keys()) })
  }

  #progressOf(id: number): (sent: number) => void {
    let told = 0
    return (sent) => {
      const at = Date.now()
      if (at - told < limits.uploadProgressMs) return
      told = at
      this.#happen({ kind: 'progress', id, sent, at })
    }
  }

  async #makeFolder(server: string, path: string, { id }: Upload, signal: AbortSignal): Promise<void> {
    if (this.#made.has(keyOf(server, path))) return
    const given = { params: { id: server, path }, query: { folder: 'true' } }
    const onCutOff = () => this.#happen({ kind: 'cutOff', id })
    await persist(() => request(putFile, given, { signal }), { signal, onCutOff })
    for (let made = path; made !== ''; made = dirname(made)) this.#made.add(keyOf(server, made))
  }

  /** What is in a folder; a folder that cannot be listed counts as empty, and the node has the last word. */
  #namesIn(server: string, folder: string, base: string): Promise<Names> {
    const key = keyOf(server, folder)
    const listing = this.#listings.get(key) ?? this.#list(server, folder, base)
    this.#listings.set(key, listing)
    return listing
  }

  async #list(server: string, folder: string, base: string): Promise<Names> {
    // What is not in the folder above needs no question.
    const isBelow = folder !== base && folder !== ''
    if (isBelow && !(await this.#namesIn(server, dirname(folder), base)).has(basename(folder))) return nothing
    const entries = await request(getFile, { params: { id: server, path: folder } }).catch(() => [])
    const names = this.#known.get(keyOf(server, folder)) ?? new Map<string, boolean>()
    for (const { name, isFile } of entries) names.set(name, !isFile)
    this.#known.set(keyOf(server, folder), names)
    return names
  }

  #namesAround({ server, path }: Upload): Names {
    return this.#known.get(keyOf(server, dirname(path))) ?? nothing
  }

  #learn(server: string, path: string, isFolder: boolean): void {
    const key = keyOf(server, dirname(path))
    const names = this.#known.get(key) ?? new Map<string, boolean>()
    this.#known.set(key, names.set(basename(path), isFolder))
    this.#listings.set(key, Promise.resolve(names))
  }

  #touch(server: string, folder: string, path: string): void {
    const folders = this.#touched.get(server) ?? new Set<string>()
    this.#touched.set(server, folders.add(folder).add(dirname(path)))
  }

  #tellEnds(): void {
    const { uploads } = this.#queue
    for (const [server, folders] of this.#touched) {
      if (isBusy({ ...this.#queue, uploads: uploads.filter((upload) => upload.server === server) })) continue
      this.#touched.delete(server)
      for (const watcher of this.#endWatchers) watcher(server, [...folders])
    }
    if (!isAtRest(this.#queue)) return
    // Others change folders too: the next uploads look again.
    this.#listings.clear()
    this.#known.clear()
    this.#made.clear()
  }
}

const keyOf = (server: string, path: string): string => `${server}/${path}`
