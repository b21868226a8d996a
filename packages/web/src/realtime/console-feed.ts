import type { ConsoleOutput } from '@innkeeper/contract/live'

/** What a console does with output: keeps it, says that some is missing, or begins anew. */
export type ConsoleChunk =
  /** `epoch` is when it was printed, in seconds; `undefined` when that is not known. */
  | { readonly type: 'text'; readonly text: string; readonly epoch: number | undefined }
  | { readonly type: 'gap'; readonly bytes: number }
  | { readonly type: 'reset' }

/** How far a viewer has read: the position behind the last byte it has, and whether an answer to `replay` is due. */
export interface Cursor {
  readonly position: number | undefined
  readonly awaitingReplay: boolean
}

export interface FeedResult {
  readonly cursor: Cursor
  readonly chunks: readonly ConsoleChunk[]
  /** Set when everything held has to be asked for again. */
  readonly replayAll?: true
}

/** Nothing read so far. */
export const initialCursor: Cursor = { position: undefined, awaitingReplay: false }

/** What `replay` was answered with: what is held tells whether we can go on where we are. */
export function readReplay(cursor: Cursor, available: { readonly from: number; readonly to: number }): FeedResult {
  if (cursor.position === undefined) return { cursor: { position: available.from, awaitingReplay: false }, chunks: [] }
  if (available.to < cursor.position) {
    // Positions only grow; ones that went back belong to another console.
    return { cursor: { position: undefined, awaitingReplay: true }, chunks: [{ type: 'reset' }], replayAll: true }
  }
  const missing = available.from - cursor.position
  return missing > 0
    ? { cursor: { position: available.from, awaitingReplay: false }, chunks: [{ type: 'gap', bytes: missing }] }
    : { cursor: { position: cursor.position, awaitingReplay: false }, chunks: [] }
}

/** Takes from output what is new to this reader: nothing twice, and a jump is said. */
export function readOutput(cursor: Cursor, output: ConsoleOutput): FeedResult {
  const at = cursor.position ?? (cursor.awaitingReplay ? undefined : output.from)
  // What was under way before the answer to our replay comes again with it.
  if (at === undefined || (cursor.awaitingReplay && output.from > at)) return { cursor, chunks: [] }
  if (output.to <= at) return { cursor, chunks: [] }
  const missing = output.from - at
  const text = output.logs.join('')
  return {
    cursor: { ...cursor, position: output.to },
    chunks: [
      ...(missing > 0 ? [{ type: 'gap', bytes: missing } as const] : []),
      { type: 'text', text: missing < 0 ? withoutBytes(text, -missing) : text, epoch: output.epoch },
    ],
  }
}

/** Takes what a plain call answered while there is no socket; it was asked for from where this reader is. */
export function readPolled({ position }: Cursor, output: ConsoleOutput): FeedResult {
  // Positions only grow; ones that went back belong to another console.
  const isOtherConsole = position !== undefined && output.to < position
  const { cursor, chunks } = readOutput(
    { position: isOtherConsole ? undefined : position, awaitingReplay: false },
    output,
  )
  // The answer holds the output of seconds or minutes, and says only when the last of it was printed.
  const chunksWithoutTime = chunks.map((piece) => (piece.type === 'text' ? { ...piece, epoch: undefined } : piece))
  return { cursor, chunks: isOtherConsole ? [{ type: 'reset' }, ...chunksWithoutTime] : chunksWithoutTime }
}

function withoutBytes(text: string, bytes: number): string {
  return new TextDecoder().decode(new TextEncoder().encode(text).subarray(bytes))
}
