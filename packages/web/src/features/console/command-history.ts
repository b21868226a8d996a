/** How many commands are remembered for each server. */
const remembered = 100

/** The commands sent before, oldest first, and where a person walks among them. */
export interface Walk {
  /** Index in the history; its length while at the draft. */
  readonly at: number
  /** What was being typed when the walk began. */
  readonly draft: string
}

/** The history with one more command; a repetition moves to the end. */
export function withCommand(history: readonly string[], command: string): readonly string[] {
  if (command.trim() === '') return history
  return [...history.filter((known) => known !== command), command].slice(-remembered)
}

export function walkFrom(history: readonly string[], draft: string): Walk {
  return { at: history.length, draft }
}

/** One step to older (-1) or newer (1) commands that begin with the draft, and what the input then holds. */
export function step(
  history: readonly string[],
  walk: Walk,
  direction: -1 | 1,
): { readonly walk: Walk; readonly text: string } {
  const beginning = walk.draft.toLowerCase()
  const fits = (command: string) => command.toLowerCase().startsWith(beginning)
  const older = history.slice(0, walk.at).findLastIndex(fits)
  const newer = history.findIndex((command, index) => index > walk.at && fits(command))
  const at = direction === -1 ? (older === -1 ? walk.at : older) : newer === -1 ? history.length : newer
  return { walk: { ...walk, at }, text: history[at] ?? walk.draft }
}

/** Commands that hold a text, newest first. */
export function searched(history: readonly string[], text: string): readonly string[] {
  const wanted = text.toLowerCase()
  return history.filter((command) => command.toLowerCase().includes(wanted)).reverse()
}

/** Reads a history that was kept as JSON; anything else is none. */
export function parseCommands(kept: string | null | undefined): readonly string[] {
  try {
    const read: unknown = JSON.parse(kept ?? '[]')
    return Array.isArray(read) ? read.filter((entry) => typeof entry === 'string').slice(-remembered) : []
  } catch {
    // Damaged by another program: the next command writes it anew.
    return []
  }
}
