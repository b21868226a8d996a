import { createHash } from 'node:crypto'
import { unescape as decoded } from 'node:querystring'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { SingleFlight, type Subscriber } from '../concurrency/single-flight.ts'
import { findParent, getName, parsePath, rootPath, type SafePath } from '../files/path/safe-path.ts'
import { RootFs } from '../files/root.ts'
import { writeBufferBytes } from '../files/write/buffered-file-writer.ts'
import { type Fetcher, maxAttempts, totalTimeoutMs } from '../network/fetch.ts'
import { ChecksumMismatch, type Digest, DigestCheck } from './digest.ts'
import { formatSize } from './download-progress.ts'
import { transfer } from './transfer.ts'

/** Size of the cache; only downloads with a known checksum are cached. */
const maxCacheBytes = 20 * 1024 ** 3
/** Cached downloads that were not used for this long are deleted. */
export const unusedRetentionMs = 90 * 24 * 60 * 60 * 1000

/** A file with a known checksum. */
export interface VerifiedFile {
  readonly url: URL
  readonly digest: Digest
}

/** The target of a download. */
export interface DownloadTarget extends Subscriber {
  readonly files: RootFs
  readonly fetch: Fetcher
}

/** On small disks the cache is limited to this part of the disk. */
const diskShare = 10

/** The compile cache of Node.js is beside the directories of hosts. */
const compileCacheName = 'compiled'

/**
 * A download cache for all servers: `<host>/<path>` in its directory. Contains only files with a known checksum, and
 * servers get a verified copy, so that a damaged cache does not affect them.
 */
export class Cache {
  readonly #files: RootFs
  readonly #bytes: number
  readonly #downloads = new SingleFlight()

  private constructor(files: RootFs, bytes: number) {
    this.#files = files
    this.#bytes = bytes
  }

  static async open(directory: string, bytes: number = maxCacheBytes): Promise<Cache> {
    const files = await RootFs.open(directory, { create: true })
    await files.setStat(rootPath, { mode: 0o700 })
    await files.removeLeftovers()
    return new Cache(files, bytes)
  }

  /** Copies a file to its target in a server's directory and creates its parents; downloads it if necessary. */
  async downloadTo(file: VerifiedFile, target: SafePath, destination: DownloadTarget): Promise<void> {
    const path = getPath(file.url)
    await destination.files.mkdirs(findParent(target) ?? rootPath)
    for (let attempt = 1; ; attempt++) {
      await this.#ensure(file, path, destination)
      try {
        return await this.#copy(file, path, target, destination)
      } catch (error) {
        const isEvicted = error instanceof Refusal && error.code === 'ErrFileNotFound'
        if (attempt >= maxAttempts || !(isEvicted || error instanceof ChecksumMismatch)) throw error
        if (!isEvicted)
          destination.say(`The cached copy of ${getName(path)} is damaged or outdated: downloading it again`)
        await this.#remove(path)
      }
    }
  }

  /** Removes files that were not used for long, and the oldest ones if the cache is too large. */
  async prune({ signal }: { signal?: AbortSignal } = {}): Promise<void> {
    await this.#prune(undefined, { maxAgeMs: unusedRetentionMs, signal })
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
      async (subscriber) => {
        const folder = findParent(path) ?? rootPath
        await transfer({ ...file, ...subscriber, files: this.#files, fetch, folder, name: getName(path) })
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
    await using cached = await this.#files.open(path, 'read')
    const { size } = await cached.stat()
    const free = await files.freeBytes()
    if (size > free) {
      throw new Error(`the disk is full: ${getName(target)} needs ${formatSize(size)}, ${formatSize(free)} are free`)
    }
    const check = new DigestCheck(digest)
    await using draft = await files.draft(target, { reservation: await files.reserve(size) })
    for await (const part of cached.createReadStream({
      autoClose: false,
      signal,
      highWaterMark: writeBufferBytes,
    })) {
      check.add(part)
      await draft.write(part)
    }
    check.end(getName(path), url.hostname)
    await draft.commit()
    // The modification time is the time of last use.
    await this.#files.setStat(path, { modified: new Date() }).catch(ignoreMissing)
  }

  async #remove(path: SafePath): Promise<void> {
    await this.#files.removeTree(path).catch(ignoreMissing)
  }

  /** Removes the least recently used files until the rest is small and recent enough; keeps downloads in progress. */
  async #prune(
    fresh: SafePath | undefined,
    { maxAgeMs = Number.POSITIVE_INFINITY, signal }: { maxAgeMs?: number; signal?: AbortSignal | undefined } = {},
  ): Promise<void> {
    const cached: { readonly path: SafePath; readonly size: number; readonly modified: Date }[] = []
    for await (const { path, info } of this.#files.walk(rootPath, signal && { signal }))
      if (info.kind === 'file' && path[0] !== compileCacheName)
        cached.push({ path, size: info.size, modified: info.modified })
    const { blocks, blockSize } = await this.#files.space()
    const max = Math.min(this.#bytes, (blocks * blockSize) / diskShare)
    let size = cached.reduce((sum, file) => sum + file.size, 0)
    for (const file of cached.toSorted((a, b) => a.modified.getTime() - b.modified.getTime())) {
      const idleMs = Date.now() - file.modified.getTime()
      if (size <= max && idleMs < maxAgeMs) return
      const isComing = getName(file.path).endsWith('.part') && idleMs < totalTimeoutMs
      if (isComing || file.path.join('/') === fresh?.join('/')) continue
      await this.#remove(file.path)
      size -= file.size
    }
  }
}

function ignoreMissing(error: unknown): void {
  if (!(error instanceof Refusal && error.code === 'ErrFileNotFound')) throw error
}

/** The cache path of a URL: host and path, with a hash where these are not unique. */
function getPath(url: URL): SafePath {
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
