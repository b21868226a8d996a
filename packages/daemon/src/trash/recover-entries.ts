import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { ignoreRefusals } from '../errors/refusals.ts'
import { formatPath, getChild, listedPathBelow, parsePath, rootPath, type SafePath } from '../files/path/safe-path.ts'
import { RootFs } from '../files/root.ts'
import { ifExists } from '../fs/if-exists.ts'
import { deletedSuffix, readRecord, removeRecord, sortNames, type TrashRecord } from './trash-record.ts'

interface Options {
  readonly directory: string
  /** Directory of the server's files. */
  readonly filesDirectory: string
  /** The names in `directory`. */
  readonly names: readonly string[]
  readonly log: Logger
}

/**
 * Reads the entries in the trash of a server, and completes what an earlier process did not: it may have ended after a
 * record and before its first file, or during a removal.
 */
export async function recoverEntries({
  directory,
  filesDirectory,
  names,
  log,
}: Options): Promise<Map<string, TrashRecord>> {
  await using trash = await RootFs.open(directory)
  await using files = await ifExists(RootFs.open(filesDirectory))
  const found = new Map<string, TrashRecord>()
  const { entries, records, others } = sortNames(names)
  for (const name of others) {
    // Temporary files of records, and removals. Anything else is not of this program.
    if (name.endsWith(deletedSuffix) || name.endsWith('.tmp')) await trash.removeTree(parsePath(name))
  }
  for (const id of records) if (!entries.has(id)) await removeRecord(directory, id)
  for (const id of entries) {
    const record = (await readRecord(directory, id)) ?? (await getRecord(trash, directory, id))
    if (record && (await hasBeenTaken({ trash, files }, id, record))) {
      found.set(id, record)
    } else {
      await trash.removeTree(getChild(rootPath, id))
      await removeRecord(directory, id)
      log.info({ entry: id }, 'removed an entry of the trash that an earlier process began')
    }
  }
  return found
}

/** Whether the first file is there, and not only a second name of a file that was not replaced. */
async function hasBeenTaken(
  { trash, files }: { readonly trash: RootFs; readonly files: RootFs | undefined },
  id: string,
  { path, paths, reason }: TrashRecord,
): Promise<boolean> {
  // Not validated: an archive may have names that requests must not have.
  const former = path.split('/').filter(Boolean)
  const info = await trash.lstat(listedPathBelow(rootPath, [id, ...former])).catch(ignoreRefusals())
  // A name that is not valid UTF-8 is not found by its path.
  if (!info) return path.includes('\ufffd')
  if (info.kind !== 'file' || reason === 'deleted' || paths > 1) return true
  const current = await files?.lstat(listedPathBelow(rootPath, former)).catch(ignoreRefusals())
  // Names of the same file have the same version.
  return current?.version !== info.version
}

/** The record of an entry whose record is lost; its files are below their former paths. */
async function getRecord(trash: RootFs, directory: string, id: string): Promise<TrashRecord | undefined> {
  const top = parsePath(id)
  for await (const { path, info } of trash.walk(top)) {
    if (info.kind === 'folder') continue
    const { mtime } = await stat(join(directory, id))
    const former = formatPath(path.slice(1) as readonly string[] as SafePath)
    return { path: former, paths: 1, isFolder: false, reason: 'deleted', discardedAt: mtime.toISOString() }
  }
  return undefined
}
