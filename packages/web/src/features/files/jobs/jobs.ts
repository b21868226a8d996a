import { refusalFrom } from '@innkeeper/contract/errors/refusal-envelope'
import type { Refusal } from '@innkeeper/contract/errors/refusals'
import type { FileJob } from '@innkeeper/contract/servers/files'

/** The progress of a job, from 0 to 1; `undefined` until the node has counted the files. */
export function getProgress({ bytes, totalBytes, entries, totalEntries }: FileJob): number | undefined {
  if (totalBytes) return Math.min(1, bytes / totalBytes)
  return totalEntries ? Math.min(1, entries / totalEntries) : undefined
}

/** The jobs that were running (`runningIds`) and have ended. */
export function findEndedJobs(runningIds: ReadonlySet<string>, jobs: readonly FileJob[]): readonly FileJob[] {
  return jobs.filter(({ id, state }) => state !== 'running' && runningIds.has(id))
}

/** The error of a failed job. */
export function getJobError({ error }: FileJob): Refusal | undefined {
  return error && refusalFrom({ error })
}

/** The part of a catalog key that names the job: `files.Doing` + `Delete`. */
export function getTextKey(kind: FileJob['kind']): 'Delete' | 'Move' | 'Copy' | 'Archive' | 'Extract' {
  return ({ delete: 'Delete', move: 'Move', copy: 'Copy', archive: 'Archive', extract: 'Extract' } as const)[kind]
}
