import type { ConsoleOutput } from '@innkeeper/contract/live'

/** What a console does with output: keeps it, says that some is missing, or begins anew. */
export type Feed =
  /** `epoch` is when it was printed, in seconds; `undefined` when that is not known. */
  | { readonly kind: 'text'; readonly text: string; readonly epoch: number | undefined }
  | { readonly kind: 'gap'; readonly bytes: number }
  | { readonly kind: 'startOver' }

/** How far a viewer has read: the position behind the last byte it has, and whether an answer to `replay` is due. */
export interface Reading {
  readonly at: number | undefined
  readonly awaitingReplay: boolean
}

export interface Fed {
  readonly reading: Reading
  readonly feed: readonly Feed[]
  /** Set when everything held has to be asked for again. */
  readonly replayAll?: true
}

/** Nothing read so far. */
export const unread: Reading = { at: undefined, awaitingReplay: false }

/** What `replay` was answered with: what is held tells whether we can go on where we are. */
export function readReplay(reading: Reading, held: { readonly from: number; readonly to: number }): Fed {
  if (reading.at === undefined) return { reading: { at: held.from, awaitingReplay: false }, feed: [] }
  if (held.to < reading.at) {
    // Positions only grow; ones that went back belong to another console.
    return { reading: { at: undefined, awaitingReplay: true }, feed: [{ kind: 'startOver' }], replayAll: true }
  }
  const missing = held.from - reading.at
  return missing > 0
    ? { reading: { at: held.from, awaitingReplay: false }, feed: [{ kind: 'gap', bytes: missing }] }
    : { reading: { at: reading.at, awaitingReplay: false }, feed: [] }
}

/** Takes from output what is new to this reader: nothing twice, and a jump is said. */
export function readOutput(reading: Reading, output: ConsoleOutput): Fed {
  const at = reading.at ?? (reading.awaitingReplay ? undefined : output.from)
  // What was under way before the answer to our replay comes again with it.
  if (at === undefined || (reading.awaitingReplay && output.from > at)) return { reading, feed: [] }
  if (output.to <= at) return { reading, feed: [] }
  const missing = output.from - at
  const text = output.logs.join('')
  return {
    reading: { ...reading, at: output.to },
    feed: [
      ...(missing > 0 ? [{ kind: 'gap', bytes: missing } as const] : []),
      { kind: 'text', text: missing < 0 ? withoutBytes(text, -missing) : text, epoch: output.epoch },
    ],
  }
}

/** Takes what a plain call answered while there is no socket; it was asked for from where this reader is. */
export function readPolled({ at }: Reading, output: ConsoleOutput): Fed {
  // Positions only grow; ones that went back belong to another console.
  const isOther = at !== undefined && output.to < at
  const { reading, feed } = readOutput({ at: isOther ? undefined : at, awaitingReplay: false }, output)
  // The answer holds the output of seconds or minutes, and says only when the last of it was printed.
  const timeless = feed.map((piece) => (piece.kind === 'text' ? { ...piece, epoch: undefined } : piece))
  return { reading, feed: isOther ? [{ kind: 'startOver' }, ...timeless] : timeless }
}

function withoutBytes(text: string, bytes: number): string {
  return new TextDecoder().decode(new TextEncoder().encode(text).subarray(bytes))
}
