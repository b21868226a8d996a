/** Compression level and window size (as a power of two) of zlib. */
export interface Effort {
  readonly level: number
  readonly windowBits: number
}

/** In decreasing order: the last one is used whose result is about as small as the first one's. */
export type Efforts = readonly [Effort, ...Effort[]]

/** A request to a deflate thread. The memory of the bytes is transferred to it. */
export interface DeflateRequest {
  readonly bytes: Uint8Array
  readonly efforts: Efforts
}

/** The responses, in the order of the requests. Their memory is transferred as well. */
export interface Deflated {
  /** Compressed bytes that end at a byte boundary without an end marker, or the original bytes. */
  readonly bytes: Uint8Array
  /** False when compression does not help. */
  readonly isDeflated: boolean
  readonly effort: Effort
}
