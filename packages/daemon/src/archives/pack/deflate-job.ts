import type { SerializedError } from '../../workers/serialized-error.ts'

/** Compression level and window size (as a power of two) of zlib. */
export interface Effort {
  readonly level: number
  readonly windowBits: number
}

/** In decreasing order: the last one is used whose result is about as small as the first one's. */
export type Efforts = readonly [Effort, ...Effort[]]

/** A request to a deflate thread. */
export interface DeflateRequest {
  /** The slot in the shared memory that contains, or will contain, the bytes. */
  readonly slot: number
  readonly length: number
  /** A file to read from its beginning; it may be shorter by now. */
  readonly fd: number | undefined
  readonly efforts: Efforts
}

/** The responses, in the order of the requests. */
export type DeflateResponse = Compressed | { readonly error: SerializedError }

export interface Compressed {
  /** Number of bytes read, and their checksum if they were read from a file. */
  readonly size: number
  readonly crc: number
  /** Compressed size in that slot; undefined when compression does not help and the slot is unchanged. */
  readonly packed: number | undefined
  readonly effort: Effort
}
