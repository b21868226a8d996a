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

/** Smaller files are read synchronously, up to their end. */
const smallFileBytes = 64n * 1024n
/** Larger reads are asynchronous, however small the file was. */
const maxSyncReadBytes = 256 * 1024
/** Clients send pieces of 32 KiB and more of large files; these are written asynchronously while more arrive. */
const maxSyncWriteBytes = 32 * 1024
/** Some file systems start writeback at close. */
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
 * An open regular file for reads and writes in small pieces, synchronous on fast disks. The caller must wait for all
 * operations before closing it.
 */
export class OpenedFile implements AsyncDisposable {
  readonly #fd: number
  readonly #syncIo: SyncIoPolicy
  readonly #isSmall: boolean
  #written = 0
  /** Closes the descriptor, if it belongs to a FileHandle. */
  readonly #handle: FileHandle | undefined

  constructor(fd: number, { size }: Pick<BigIntStats, 'size'>, syncIo: SyncIoPolicy, handle?: FileHandle) {
    this.#fd = fd
    this.#syncIo = syncIo
    this.#isSmall = size <= smallFileBytes
    this.#handle = handle
  }

  /** For a worker thread that reads it; valid until it is closed. */
  get fd(): number {
    return this.#fd
  }

  /** Fills the buffers in order. Returns the number of bytes; with `thread`, even small reads are asynchronous. */
  read(
    buffers: readonly Buffer[],
    offset: number,
    { thread = false }: { thread?: boolean } = {},
  ): MaybePromise<number> {
    const fd = this.#fd
    if (!thread && this.#isSmall && lengthOf(buffers) <= maxSyncReadBytes && this.#syncIo.mayBlock) {
      return this.#syncIo.runSync(() => readvSync(fd, buffers, offset))
    }
    return threaded.readv(fd, buffers, offset).then(({ bytesRead }) => bytesRead)
  }

  /** Writes all parts one after the other. */
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
    // Truncating much data takes long.
    if (wanted.size === undefined && this.#syncIo.mayBlock) return this.#syncIo.runSync(() => setOnSync(fd, wanted))
    return setOn(fd, wanted)
  }

  /** Flushes written data to the disk. */
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

  /** A full disk accepts a part and reports the error with the next write. */
  async #writeAsync(parts: readonly Uint8Array[], offset: number, wanted: number): Promise<void> {
    if (wanted === 0) return
    let { bytesWritten: at } = await threaded.writev(this.#fd, parts, offset)
    if (at >= wanted) return
    const whole = Buffer.concat(parts)
    while (at < wanted) at += (await threaded.write(this.#fd, whole, at, wanted - at, offset + at)).bytesWritten
  }
}

const lengthOf = (parts: readonly Uint8Array[]): number => parts.reduce((sum, { length }) => sum + length, 0)
