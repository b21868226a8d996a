import type { SerializedError } from '../../workers/serialized-error.ts'

/** How hard repetition is looked for, and how far back, as a power of two bytes. */
export interface Effort {
  readonly level: number
  readonly windowBits: number
}

/** Each lesser than the one before: the last one is taken that packs about as well as the first. */
export type Efforts = readonly [Effort, ...Effort[]]

/** What a thread is asked. */
export interface DeflateRequest {
  /** Which block of the memory that it shares with us the bytes are in, or are to be. */
  readonly slot: number
  readonly length: number
  /** A file to read the bytes from, from its beginning; there may be fewer by now. */
  readonly fd: number | undefined
  readonly efforts: Efforts
}

/** What it answers, in the order in which it was asked. */
export type DeflateResponse = Compressed | { readonly error: SerializedError }

export interface Compressed {
  /** How many bytes there were, and their checksum if they were read from a file. */
  readonly size: number
  readonly crc: number
  /** How many stand in that place now; `undefined` when deflating does not make them fewer, and they stand there. */
  readonly packed: number | undefined
  readonly effort: Effort
}
