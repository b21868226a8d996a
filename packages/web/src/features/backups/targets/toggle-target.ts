import { localTarget } from '@innkeeper/contract/backups/backup-targets'

/** Adds or removes a target. Several include the folder of the node, and there is always one. */
export function toggleTarget(selected: readonly string[], id: string): string[] {
  const changed = selected.includes(id) ? selected.filter((target) => target !== id) : [...selected, id]
  if (changed.length === 0) return [localTarget]
  if (changed.length === 1 || changed.includes(localTarget)) return changed
  // Without the folder of the node only one is possible: the last.
  return id === localTarget ? changed.slice(-1) : [localTarget, ...changed]
}
