/** The most commands stored for a server. */
const maxCommands = 100

/** The position while the user steps through the history with the arrow keys. */
export interface HistoryCursor {
  /** Index in the history (oldest first); the length of the history stands for the draft. */
  readonly index: number
  /** The text of the input before the first step. */
  readonly draft: string
}

/** Adds a command to the history. A repeated command moves to the end. */
export function appendCommand(history: readonly string[], command: string): readonly string[] {
  if (command.trim() === '') return history
  return [...history.filter((entry) => entry !== command), command].slice(-maxCommands)
}

export function createCursor(history: readonly string[], draft: string): HistoryCursor {
  return { index: history.length, draft }
}

/** Moves to the next older (-1) or newer (1) command that starts with the draft. Returns the new text of the input. */
export function moveCursor(
  history: readonly string[],
  cursor: HistoryCursor,
  direction: -1 | 1,
): { readonly cursor: HistoryCursor; readonly text: string } {
  const prefix = cursor.draft.toLowerCase()
  const matches = (command: string) => command.toLowerCase().startsWith(prefix)
  const older = history.slice(0, cursor.index).findLastIndex(matches)
  const newer = history.findIndex((command, position) => position > cursor.index && matches(command))
  const index = direction === -1 ? (older === -1 ? cursor.index : older) : newer === -1 ? history.length : newer
  return { cursor: { ...cursor, index }, text: history[index] ?? cursor.draft }
}

/** Returns the commands that contain the text, newest first. */
export function searchCommands(history: readonly string[], query: string): readonly string[] {
  const normalizedQuery = query.toLowerCase()
  return history.filter((command) => command.toLowerCase().includes(normalizedQuery)).reverse()
}

/** Parses a stored history. Invalid JSON counts as an empty history. */
export function parseCommands(stored: string | null | undefined): readonly string[] {
  try {
    const value: unknown = JSON.parse(stored ?? '[]')
    return Array.isArray(value) ? value.filter((entry) => typeof entry === 'string').slice(-maxCommands) : []
  } catch {
    // Not valid JSON: the next command overwrites it.
    return []
  }
}
