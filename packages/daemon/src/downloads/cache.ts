import { createHash } from 'node:crypto'
import { unescape as decoded } from 'node:querystring'
import { limits } from '@innkeeper/contract/limits'
import { Refusal } from '@innkeeper/contract/refusals'
import { nameOf, parentOf, parsePath, rootPath, type SafePath } from '../files/path/safe-path.ts'
import { RootFs } from '../files/root.ts'
import type { Fetcher } from '../network/fetch.ts'
import { ChecksumMismatch, type Digest, DigestCheck } from './digest.ts'
import { formatSize } from './download-progress.ts'
import { SingleFlight, type Subscriber } from './single-flight.ts'
import { transfer } from './transfer.ts'

/** A file that is known by its content. */
export interface VerifiedFile {
  readonly url: URL
  readonly digest: Digest
}

/** Where a file is to go. */
export interface DownloadTarget extends Subscriber {
  readonly files: RootFs
  readonly fetch: Fetcher
}

/** On a small disk what is kept is not more than this part of it. */
const diskShare = 10

/** Beside the folders of hosts lies what the runtime has compiled of our own programs. */
const compileCacheName = 'compiled'

/**
 * What was downloaded for one server is there for the next: `<host>/<path>` below the folder. Only what is known by a
 * digest is kept, and what a server gets is a copy that was compared with it, so nobody is harmed by what lies here.
 */
export class Cache {
  readonly #files: RootFs
  readonly #bytes: number
  readonly #downloads = new SingleFlight()

  private constructor(files: RootFs, bytes: number) {
    this.#files = files
    this.#bytes = bytes
  }

  static async open(directory: string, bytes: number = limits.downloadCacheBytes): Promise<Cache> {
    const files = await RootFs.open(directory, { create: true })
    await files.setStat(rootPath, { mode: 0o700 })
    await files.removeLeftovers()
    return new Cache(files, bytes)
  }

  /** Brings a file to its place in a server's folder, making the folders above it. */
  async downloadTo(file: VerifiedFile, target: SafePath, room: DownloadTarget): Promise<void> {
    const path = pathOf(file.url)
    await room.files.mkdirs(parentOf(target) ?? rootPath)
    for (let attempt = 1; ; attempt++) {
      await this.#ensure(file, path, room)
      try {
        return await this.#copy(file, path, target, room)
      } catch (error) {
        const isGone = error instanceof Refusal && error.code === 'ErrFileNotFound'
        if (attempt >= limits.downloadAttempts || !(isGone || error instanceof ChecksumMismatch)) throw error
        if (!isGone) room.say(`The kept copy of ${nameOf(path)} is damaged or old: fetching it again`)
        await this.#remove(path)
      }
    }
  }

  /** Takes away what nobody used for long, and of what is too much the oldest. */
  async prune({ signal }: { signal?: AbortSignal } = {}): Promise<void> {
    await this.#prune(undefined, { keptMs: limits.downloadCacheKeptMs, signal })
  }

  async close(): Promise<void> {
    await this.#files[Symbol.asyncDispose]()
  }

  async #ensure(file: VerifiedFile, path: SafePath, { fetch, ...subscriber }: DownloadTarget): Promise<void> {
    if ((await this.#files.lstat(path))?.kind === 'file') return
    const say = (message: string) => subscriber.say(message)
    await this.#downloads.run(
      `${path.join('/')} ${file.digest.hex}`,
      { signal: subscriber.signal, say },
      async (how) => {
        const folder = parentOf(path) ?? rootPath
        await transfer({ ...file, ...how, files: this.#files, fetch, folder, name: nameOf(path) })
        await this.#prune(path)
      },
    )
  }

  async #copy(
    { url, digest }: VerifiedFile,
    path: SafePath,
    target: SafePath,
    { files, signal }: DownloadTarget,
  ): Promise<void> {
    await using kept = await this.#files.open(path, 'read')
    const { size } = await kept.stat()
    const free = await files.freeBytes()
    if (size > free) {
      throw new Error(`the disk is full: ${nameOf(target)} needs ${formatSize(size)}, and ${formatSize(free)} are free`)
    }
    const check = new DigestCheck(digest)
    await using draft = await files.draft(target)
    for await (const part of kept.createReadStream({
      autoClose: false,
      signal,
      highWaterMark: limits.fileWriteBytes,
    })) {
      check.add(part)
      await draft.write(part)
    }
    check.end(nameOf(path), url.hostname)
    await draft.commit()
    // When it was used last, for what goes first.
    await this.#files.setStat(path, { modified: new Date() }).catch(ignoreMissing)
  }

  async #remove(path: SafePath): Promise<void> {
    await this.#files.removeTree(path).catch(ignoreMissing)
  }

  /**
   * Removes what was not used for the longest time, until the rest is small enough and nothing of it is too old; what came
   * just now stays, and what is still coming.
   */
  async #prune(
    fresh: SafePath | undefined,
    { keptMs = Number.POSITIVE_INFINITY, signal }: { keptMs?: number; signal?: AbortSignal | undefined } = {},
  ): Promise<void> {
    const kept: { readonly path: SafePath; readonly size: number; readonly modified: Date }[] = []
    for await (const { path, info } of this.#files.walk(rootPath, signal && { signal }))
      if (info.kind === 'file' && path[0] !== compileCacheName)
        kept.push({ path, size: info.size, modified: info.modified })
    const { blocks, blockSize } = await this.#files.space()
    const most = Math.min(this.#bytes, (blocks * blockSize) / diskShare)
    let size = kept.reduce((sum, file) => sum + file.size, 0)
    for (const file of kept.toSorted((one, other) => one.modified.getTime() - other.modified.getTime())) {
      const idleMs = Date.now() - file.modified.getTime()
      if (size <= most && idleMs < keptMs) return
      const isComing = nameOf(file.path).endsWith('.part') && idleMs < limits.downloadTotalMs
      if (isComing || file.path.join('/') === fresh?.join('/')) continue
      await this.#remove(file.path)
      size -= file.size
    }
  }
}

function ignoreMissing(error: unknown): void {
  if (!(error instanceof Refusal && error.code === 'ErrFileNotFound')) throw error
}

/** The place of an address: its host and path, with a mark where that does not say it all. */
function pathOf(url: URL): SafePath {
  const names = [url.host, ...url.pathname.split('/').filter(Boolean)].map(plain)
  const last = names.pop() ?? ''
  const isWhole = url.search === '' && `/${[...names.slice(1), last].join('/')}` === decoded(url.pathname)
  const mark = createHash('sha256').update(url.href).digest('hex').slice(0, 12)
  return parsePath([...names, isWhole ? last : `${mark}-${last}`].join('/'))
}

const plain = (part: string): string =>
  decoded(part)
    .replace(/[^\w.+@=-]/g, '_')
    .replace(/^\.+/, '_')
    .slice(-150)
