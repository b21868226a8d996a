import {
  type BigIntStats,
  close,
  closeSync,
  fstat,
  fstatSync,
  fsync,
  readv,
  readvSync,
  write,
  writeSync,
  writev,
} from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { promisify } from 'node:util'
import { type FileStat, setOn, setOnSync } from './file-stat.ts'
import type { MaybePromise } from './sync-fast-path.ts'
import type { SyncIoPolicy } from './sync-io-policy.ts'

/** A file that is not larger is read at once, as far as it goes. */
const smallFileBytes = 64n * 1024n
/** A longer read of it is none of a small piece, however small the file was. */
const maxSyncReadBytes = 256 * 1024
/** Clients send pieces of 32 KiB and more of a large file, which the threads write while more comes. */
const maxSyncWriteBytes = 32 * 1024
/** Some file systems begin to write out a file that is closed. */
const maxSyncCloseBytes = 1024 * 1024

const threaded = {
  close: promisify(close),
  readv: promisify(readv),
  stat: promisify(fstat),
  sync: promisify(fsync),
  write: promisify(write),
  writev: promisify(writev),
}

/**
 * A regular file that is open for somebody who takes it in pieces. Where the disk is quick, small pieces are read and
 * written without a thread. Whoever closes it has waited for all that was asked of it.
 */
export class OpenedFile implements AsyncDisposable {
  readonly #fd: number
  readonly #syncIo: SyncIoPolicy
  readonly #isSmall: boolean
  #written = 0
  /** Closes the descriptor, when it is one of a handle. */
  readonly #handle: FileHandle | undefined

  constructor(fd: number, { size }: Pick<BigIntStats, 'size'>, syncIo: SyncIoPolicy, handle?: FileHandle) {
    this.#fd = fd
    this.#syncIo = syncIo
    this.#isSmall = size <= smallFileBytes
    this.#handle = handle
  }

  /** For a thread of ours that reads it; good until it is closed. */
  get fd(): number {
    return this.#fd
  }

  /** Fills the places in turn, and says with how many bytes; with `thread` even a small piece does not hold up others. */
  read(places: readonly Buffer[], offset: number, { thread = false }: { thread?: boolean } = {}): MaybePromise<number> {
    const fd = this.#fd
    if (!thread && this.#isSmall && lengthOf(places) <= maxSyncReadBytes && this.#syncIo.mayBlock) {
      return this.#syncIo.runSync(() => readvSync(fd, places, offset))
    }
    return threaded.readv(fd, places, offset).then(({ bytesRead }) => bytesRead)
  }

  /** Writes the parts behind each other, all of them. */
  write(parts: readonly Uint8Array[], offset: number): MaybePromise<void> {
    const wanted = lengthOf(parts)
    this.#written += wanted
    if (wanted >= maxSyncWriteBytes || !this.#syncIo.mayBlock) return this.#writeAsync(parts, offset, wanted)
    return this.#syncIo.runSync(() => {
      const [only] = parts
      const whole = parts.length === 1 && only ? only : Buffer.concat(parts)
      for (let at = 0; at < wanted; ) at += writeSync(this.#fd, whole, at, wanted - at, offset + at)
    })
  }

  stat(): MaybePromise<BigIntStats> {
    const fd = this.#fd
    if (this.#syncIo.mayBlock) return this.#syncIo.runSync(() => fstatSync(fd, { bigint: true }))
    return threaded.stat(fd, { bigint: true })
  }

  set(wanted: FileStat): MaybePromise<void> {
    const fd = this.#fd
    // To cut off much takes long.
    if (wanted.size === undefined && this.#syncIo.mayBlock) return this.#syncIo.runSync(() => setOnSync(fd, wanted))
    return setOn(fd, wanted)
  }

  /** Makes what was written survive a power loss. */
  async sync(): Promise<void> {
    await threaded.sync(this.#fd)
  }

  close(): MaybePromise<void> {
    if (this.#handle) return this.#handle.close()
    if (this.#written <= maxSyncCloseBytes && this.#syncIo.mayBlock)
      return this.#syncIo.runSync(() => closeSync(this.#fd))
    return threaded.close(this.#fd)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  /** A full disk takes a part and tells with the next write why it takes no more. */
  async #writeAsync(parts: readonly Uint8Array[], offset: number, wanted: number): Promise<void> {
    if (wanted === 0) return
    let { bytesWritten: at } = await threaded.writev(this.#fd, parts, offset)
    if (at >= wanted) return
    const whole = Buffer.concat(parts)
    while (at < wanted) at += (await threaded.write(this.#fd, whole, at, wanted - at, offset + at)).bytesWritten
  }
}

const lengthOf = (parts: readonly Uint8Array[]): number => parts.reduce((sum, { length }) => sum + length, 0)
