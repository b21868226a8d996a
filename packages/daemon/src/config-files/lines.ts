import { type ConfigChange, textOfScalar, wantedValue } from './config-format.ts'

/**
 * Replaces each line that begins with the path of a change. When several fit, the longest path counts, and of equal
 * ones the last. The condition of a change is about the text after the path.
 */
export function editLines(text: string, changes: readonly ConfigChange[]): string {
  return text
    .split(/(\r\n|\n|\r)/)
    .map((line, at) => (at % 2 === 0 ? editLine(line, changes) : line))
    .join('')
}

function editLine(line: string, changes: readonly ConfigChange[]): string {
  let longest = -1
  let changed = line
  for (const change of changes) {
    if (!line.startsWith(change.path) || line === '' || change.path.length < longest) continue
    const wanted = wantedValue(change, line.slice(change.path.length).trim())
    if (wanted === undefined) continue
    longest = change.path.length
    changed = textOfScalar(wanted)
  }
  return changed
}
