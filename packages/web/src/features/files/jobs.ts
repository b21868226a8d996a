import type { FileJob } from '@innkeeper/contract/files'
import { refusalFrom } from '@innkeeper/contract/refusal-envelope'
import type { Refusal } from '@innkeeper/contract/refusals'

/** How far work is, from 0 to 1; `undefined` as long as nobody knows how much there is. */
export function shareOf({ bytes, totalBytes, entries, totalEntries }: FileJob): number | undefined {
  if (totalBytes) return Math.min(1, bytes / totalBytes)
  return totalEntries ? Math.min(1, entries / totalEntries) : undefined
}

/** Work that this page has seen running and that is over now: told once. What vanished was forgotten by its node. */
export function endedOf(known: ReadonlySet<string>, jobs: readonly FileJob[]): readonly FileJob[] {
  return jobs.filter(({ id, state }) => state !== 'running' && known.has(id))
}

/** Why work failed. */
export function refusalOf({ error }: FileJob): Refusal | undefined {
  return error && refusalFrom({ error: { msg: '', ...error } })
}

/** What begins with the name of the work: `files.Doing` + `Delete`. */
export function titleOf(kind: FileJob['kind']): 'Delete' | 'Move' | 'Copy' | 'Archive' | 'Extract' {
  return ({ delete: 'Delete', move: 'Move', copy: 'Copy', archive: 'Archive', extract: 'Extract' } as const)[kind]
}
