import { unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { TrashEntry, TrashEntryId } from '@innkeeper/contract/servers/trash'
import { parseJsonOrUndefined } from '@innkeeper/contract/text/parse-json'
import { z } from 'zod/mini'
import { writeFileAtomic } from '../fs/atomic-write.ts'
import { ifExists, readTextIfExists } from '../fs/if-exists.ts'

/** What is stored beside the files of an entry, `<id>.json`. */
export const TrashRecord = z.extend(z.omit(TrashEntry, { id: true, expiresAt: true }), {
  /** The user who saved the content of the first path, if that is known. */
  savedBy: z.optional(z.string()),
  /** Modification time of the file that replaced the first path, in nanoseconds, if that was written as a whole. */
  nextModifiedNs: z.optional(z.string()),
})
export type TrashRecord = z.infer<typeof TrashRecord>

/** Suffix of the directory of an entry that is being deleted. */
export const deletedSuffix = '.deleted'

/** Returns undefined for a missing or damaged record. */
export async function readRecord(directory: string, id: string): Promise<TrashRecord | undefined> {
  const text = await readTextIfExists(getPath(directory, id))
  return text === undefined ? undefined : TrashRecord.safeParse(parseJsonOrUndefined(text)).data
}

/** Before the first file is moved, the record must be on the disk; later changes of it can be computed again. */
export async function writeRecord(directory: string, id: string, record: TrashRecord, fsync: boolean): Promise<void> {
  await writeFileAtomic(getPath(directory, id), JSON.stringify(record), { fsync })
}

export async function removeRecord(directory: string, id: string): Promise<void> {
  await ifExists(unlink(getPath(directory, id)))
}

/** Sorts the names in the trash of a server. */
export function sortNames(names: readonly string[]): { entries: Set<string>; records: Set<string>; others: string[] } {
  const [entries, records, others] = [new Set<string>(), new Set<string>(), [] as string[]]
  for (const name of names) {
    const recorded = name.endsWith('.json') ? name.slice(0, -'.json'.length) : undefined
    if (TrashEntryId.safeParse(name).success) entries.add(name)
    else if (recorded !== undefined && TrashEntryId.safeParse(recorded).success) records.add(recorded)
    else others.push(name)
  }
  return { entries, records, others }
}

const getPath = (directory: string, id: string): string => join(directory, `${id}.json`)
