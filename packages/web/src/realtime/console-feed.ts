import type { ConsoleOutput } from '@innkeeper/contract/servers/live'

/** A change of the console: more text, missing text, or a new console. */
export type ConsoleChunk =
  /** `epoch` is the time of printing in seconds; `undefined` when unknown. */
  | { readonly type: 'text'; readonly text: string; readonly epoch: number | undefined }
  | { readonly type: 'gap'; readonly bytes: number }
  | { readonly type: 'reset' }

/** How far the output has been read: the position after the last byte, and whether a response to `replay` is pending. */
export interface Cursor {
  readonly position: number | undefined
  readonly awaitingReplay: boolean
}

export interface FeedResult {
  readonly cursor: Cursor
  readonly chunks: readonly ConsoleChunk[]
  /** All available output must be requested again. */
  readonly replayAll?: true
}

export const initialCursor: Cursor = { position: undefined, awaitingReplay: false }

/** Handles the response to `replay`, which names the available output. */
export function readReplay(cursor: Cursor, available: { readonly from: number; readonly to: number }): FeedResult {
  if (cursor.position === undefined) return { cursor: { position: available.from, awaitingReplay: false }, chunks: [] }
  if (available.to < cursor.position) {
    // Positions only grow: a lower one belongs to another console.
    return { cursor: { position: undefined, awaitingReplay: true }, chunks: [{ type: 'reset' }], replayAll: true }
  }
  const missing = available.from - cursor.position
  return missing > 0
    ? { cursor: { position: available.from, awaitingReplay: false }, chunks: [{ type: 'gap', bytes: missing }] }
    : { cursor: { position: cursor.position, awaitingReplay: false }, chunks: [] }
}

/** Returns the new part of output: nothing twice, and a gap where output is missing. */
export function readOutput(cursor: Cursor, output: ConsoleOutput): FeedResult {
  const position = cursor.position ?? (cursor.awaitingReplay ? undefined : output.from)
  // Output sent before the response to `replay` is sent again after it.
  if (position === undefined || (cursor.awaitingReplay && output.from > position)) return { cursor, chunks: [] }
  if (output.to <= position) return { cursor, chunks: [] }
  const missing = output.from - position
  const text = output.logs.join('')
  return {
    cursor: { ...cursor, position: output.to },
    chunks: [
      ...(missing > 0 ? [{ type: 'gap', bytes: missing } as const] : []),
      { type: 'text', text: missing < 0 ? dropBytes(text, -missing) : text, epoch: output.epoch },
    ],
  }
}

/** Handles the response to an HTTP call, which was requested from the current position. */
export function readPolled({ position }: Cursor, output: ConsoleOutput): FeedResult {
  // Positions only grow: a lower one belongs to another console.
  const isOtherConsole = position !== undefined && output.to < position
  const { cursor, chunks } = readOutput(
    { position: isOtherConsole ? undefined : position, awaitingReplay: false },
    output,
  )
  // The response covers seconds or minutes, but has only the time of its last line.
  const chunksWithoutTime = chunks.map((chunk) => (chunk.type === 'text' ? { ...chunk, epoch: undefined } : chunk))
  return { cursor, chunks: isOtherConsole ? [{ type: 'reset' }, ...chunksWithoutTime] : chunksWithoutTime }
}

function dropBytes(text: string, bytes: number): string {
  return new TextDecoder().decode(new TextEncoder().encode(text).subarray(bytes))
}
