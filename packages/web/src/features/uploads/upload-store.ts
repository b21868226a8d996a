import { Refusal } from '@innkeeper/contract/errors/refusals'
import { getFile, putFile } from '@innkeeper/contract/servers/files'
import { basename, dirname, joinPath } from '../../api/file-paths.ts'
import { isRefusal, request } from '../../api/request.ts'
import { type DirectoryItem, type PickedItem, readDirectory } from './items.ts'
import {
  type ConflictChoice,
  emptyQueue,
  getNextUpload,
  isBusy,
  isIdle,
  type Queue,
  type QueueEvent,
  reduceQueue,
  type Upload,
  type UploadRequest,
} from './queue.ts'
import { withRetry } from './retry.ts'
import { unpackUpload } from './unpack-upload.ts'
import { uploadFile } from './upload-file.ts'
import { cancelReason } from './upload-options.ts'

const progressIntervalMs = 250

/** The names in a folder, and whether each is a folder. */
type Names = ReadonlyMap<string, boolean>
type DoneListener = (server: string, folders: readonly string[]) => void

/** How many files of a dropped folder are added to the queue at once. */
const batchSize = 200
const noNames: Names = new Map()

/** Runs the upload queue of this window, one upload at a time. */
export class UploadStore {
  #queue: Queue = emptyQueue
  readonly #listeners = new Set<() => void>()
  readonly #doneListeners = new Set<DoneListener>()
  readonly #lifetime = new AbortController()
  #current: { readonly id: number; readonly abort: AbortController } | undefined
  /** Requests for the names in a folder, by `getKey`. A folder that cannot be listed has no names. */
  readonly #listings = new Map<string, Promise<Names>>()
  /** Listed and uploaded names, by `getKey`. */
  readonly #namesByFolder = new Map<string, Map<string, boolean>>()
  readonly #createdFolders = new Set<string>()
  /** Folders with new files, by server, until the `onServerDone` listeners are called. */
  readonly #changedFolders = new Map<string, Set<string>>()

  #selection: readonly PickedItem[] = []

  readonly getQueue = (): Queue => this.#queue

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Calls the listener when no more uploads run or wait for a server, with the folders that have new files. */
  readonly onServerDone = (listener: DoneListener): (() => void) => {
    this.#doneListeners.add(listener)
    return () => this.#doneListeners.delete(listener)
  }

  /** Queues files for `folder`, a path relative to the server's folder. */
  readonly add = (server: string, folder: string, items: readonly PickedItem[]): void => {
    void this.#add(server, folder, items)
  }

  /** Keeps files that the user selected on this screen for the next one. */
  keepSelection(items: readonly PickedItem[]): void {
    this.#selection = items
  }

  /** The files that the previous screen kept. */
  takeSelection(): readonly PickedItem[] {
    const items = this.#selection
    this.#selection = []
    return items
  }

  /** Resumes an interrupted upload. The caller must check that it is the same file. */
  resume(server: string, path: string, file: File, upload: string): void {
    this.#dispatch({ type: 'add', requests: [{ server, folder: dirname(path), path, file, resumes: upload }] })
  }

  choose(id: number, choice: ConflictChoice, isForAll: boolean): void {
    const getNames = (upload: Upload) => new Set(this.#getKnownNames(upload).keys())
    this.#dispatch({ type: 'choose', id, choice, isForAll, getNames })
    this.#notifyDone()
  }

  retry(id: number): void {
    this.#dispatch({ type: 'retry', id })
  }

  cancel(id: number): void {
    this.#dispatch({ type: 'cancel', id })
    if (this.#current?.id === id) this.#current.abort.abort(cancelReason)
    this.#notifyDone()
  }

  cancelAll(): void {
    this.#dispatch({ type: 'cancelAll' })
    this.#current?.abort.abort(cancelReason)
    this.#notifyDone()
  }

  dismiss(id: number): void {
    this.#dispatch({ type: 'dismiss', id })
  }

  clear(): void {
    this.#dispatch({ type: 'clear' })
  }

  /** Stops uploading. The current upload can be resumed later. */
  close(): void {
    this.#lifetime.abort()
    this.#current?.abort.abort(this.#lifetime.signal.reason)
  }

  async #add(server: string, folder: string, items: readonly PickedItem[]): Promise<void> {
    const toRequest = ({ path, file, unpacking }: DirectoryItem & Pick<UploadRequest, 'unpacking'>): UploadRequest => {
      const base = { server, folder, path: joinPath(folder, path) }
      return file ? { ...base, file, ...(unpacking ? { unpacking } : {}) } : base
    }
    const files = items.filter((item) => item.type === 'file' || item.type === 'emptyFolder')
    if (files.length > 0) this.#dispatch({ type: 'add', requests: files.map(toRequest) })
    for (const item of items) {
      if (item.type === 'file' || item.type === 'emptyFolder') continue
      try {
        if (item.type === 'unreadableFolder') throw new Refusal('ErrDirectoryUploadNotSupported')
        let requests: UploadRequest[] = []
        for await (const found of readDirectory(item.path, item.entry)) {
          if (this.#lifetime.signal.aborted) return
          requests.push(toRequest(found))
          if (requests.length < batchSize) continue
          this.#dispatch({ type: 'add', requests })
          requests = []
        }
        this.#dispatch({ type: 'add', requests })
      } catch (error) {
        this.#dispatch({ type: 'reject', request: toRequest({ path: item.path }), error })
      }
    }
    await this.#precheckConflicts(server, folder)
  }

  /** Finds conflicts before the uploads start, while the user is still looking. */
  async #precheckConflicts(server: string, folder: string): Promise<void> {
    const names = await this.#listNames(server, folder, folder)
    for (const upload of this.#queue.uploads) {
      const isHere = upload.server === server && dirname(upload.path) === folder && upload.file !== undefined
      const isUnresolved =
        upload.state.status === 'waiting' && upload.existing === 'refuse' && upload.resumes === undefined
      if (isHere && isUnresolved && names.has(basename(upload.path))) this.#markConflict(upload, names)
    }
  }

  #dispatch(event: QueueEvent): void {
    const previous = this.#queue
    this.#queue = reduceQueue(previous, event)
    if (this.#queue === previous) return
    for (const listener of this.#listeners) listener()
    this.#startNext()
  }

  #startNext(): void {
    const upload = this.#current ? undefined : getNextUpload(this.#queue)
    if (!upload || this.#lifetime.signal.aborted) return
    const abort = new AbortController()
    this.#current = { id: upload.id, abort }
    this.#dispatch({ type: 'start', id: upload.id, timestamp: Date.now() })
    void this.#process(upload, abort.signal).then(() => {
      this.#current = undefined
      this.#startNext()
      this.#notifyDone()
    })
  }

  /** Runs one upload and stores its result in the queue. Never rejects. */
  async #process(upload: Upload, signal: AbortSignal): Promise<void> {
    const { id, server, folder, path, file, existing, resumes, unpacking } = upload
    try {
      if (!file) {
        await this.#createFolder(server, path, upload, signal)
      } else {
        if (existing !== 'replace' && resumes === undefined) {
          const names = await this.#listNames(server, dirname(path), folder)
          signal.throwIfAborted()
          if (names.has(basename(path))) return this.#markConflict(upload, names)
        }
        if (dirname(path) !== folder) await this.#createFolder(server, dirname(path), upload, signal)
        await uploadFile({
          server,
          path,
          file,
          signal,
          existing: existing === 'replace' ? 'replace' : 'refuse',
          ...(resumes === undefined ? {} : { resumes }),
          onProgress: this.#createProgressHandler(id),
          onStalled: () => this.#dispatch({ type: 'stall', id }),
        })
        if (unpacking) await unpackUpload(server, path, unpacking, signal)
      }
      this.#rememberName(server, path, file === undefined)
      this.#markChanged(server, folder, path)
      this.#dispatch({ type: 'done', id })
    } catch (error) {
      if (signal.aborted) return
      if (file && isRefusal(error, 'ErrFileExists')) {
        this.#rememberName(server, path, false)
        this.#markConflict(upload, this.#getKnownNames(upload))
      } else {
        this.#dispatch({ type: 'fail', id, error })
      }
    }
  }

  #markConflict(upload: Upload, names: Names): void {
    const isFolder = names.get(basename(upload.path)) === true
    this.#dispatch({ type: 'conflict', id: upload.id, isFolder, names: new Set(names.keys()) })
  }

  #createProgressHandler(id: number): (sent: number) => void {
    let lastDispatch = 0
    return (sent) => {
      const timestamp = Date.now()
      if (timestamp - lastDispatch < progressIntervalMs) return
      lastDispatch = timestamp
      this.#dispatch({ type: 'progress', id, sent, timestamp })
    }
  }

  async #createFolder(server: string, path: string, { id }: Upload, signal: AbortSignal): Promise<void> {
    if (this.#createdFolders.has(getKey(server, path))) return
    const input = { params: { id: server, path }, query: { folder: 'true' } }
    const onStalled = () => this.#dispatch({ type: 'stall', id })
    await withRetry(() => request(putFile, input, { signal }), { signal, onStalled })
    for (let created = path; created !== ''; created = dirname(created)) {
      this.#createdFolders.add(getKey(server, created))
    }
  }

  /** The names in a folder. If it cannot be listed there are none, and the node detects conflicts. */
  #listNames(server: string, folder: string, base: string): Promise<Names> {
    const key = getKey(server, folder)
    const listing = this.#listings.get(key) ?? this.#fetchNames(server, folder, base)
    this.#listings.set(key, listing)
    return listing
  }

  async #fetchNames(server: string, folder: string, base: string): Promise<Names> {
    // Saves the request for a folder that its parent does not contain.
    const isBelow = folder !== base && folder !== ''
    if (isBelow && !(await this.#listNames(server, dirname(folder), base)).has(basename(folder))) return noNames
    const entries = await request(getFile, { params: { id: server, path: folder } }).catch(() => [])
    const names = this.#namesByFolder.get(getKey(server, folder)) ?? new Map<string, boolean>()
    for (const { name, isFile } of entries) names.set(name, !isFile)
    this.#namesByFolder.set(getKey(server, folder), names)
    return names
  }

  #getKnownNames({ server, path }: Upload): Names {
    return this.#namesByFolder.get(getKey(server, dirname(path))) ?? noNames
  }

  #rememberName(server: string, path: string, isFolder: boolean): void {
    const key = getKey(server, dirname(path))
    const names = this.#namesByFolder.get(key) ?? new Map<string, boolean>()
    this.#namesByFolder.set(key, names.set(basename(path), isFolder))
    this.#listings.set(key, Promise.resolve(names))
  }

  #markChanged(server: string, folder: string, path: string): void {
    const folders = this.#changedFolders.get(server) ?? new Set<string>()
    this.#changedFolders.set(server, folders.add(folder).add(dirname(path)))
  }

  #notifyDone(): void {
    const { uploads } = this.#queue
    for (const [server, folders] of this.#changedFolders) {
      if (isBusy({ ...this.#queue, uploads: uploads.filter((upload) => upload.server === server) })) continue
      this.#changedFolders.delete(server)
      for (const listener of this.#doneListeners) listener(server, [...folders])
    }
    if (!isIdle(this.#queue)) return
    // Other users change folders too: the next uploads list them again.
    this.#listings.clear()
    this.#namesByFolder.clear()
    this.#createdFolders.clear()
  }
}

const getKey = (server: string, path: string): string => `${server}/${path}`
