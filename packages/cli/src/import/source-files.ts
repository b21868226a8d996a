import { createHash } from 'node:crypto'
import { lstat, open, readdir } from 'node:fs/promises'
import { limits } from '@innkeeper/contract/text/limits'
import { ServerId } from '@innkeeper/contract/text/server-id'
import { ignoreErrors } from '@innkeeper/daemon/errors/error-code'

/** The data of another panel cannot be imported. */
export class ImportError extends Error {
  override readonly name = 'ImportError'
}

const maxEntries = 100_000

/**
 * Reads a text file of another panel; `undefined` when there is none.
 * @throws ImportError when it is too large or not a file
 */
export async function readSource(path: string, maxBytes: number = limits.definitionBytes): Promise<string | undefined> {
  const file = await open(path, 'r').catch(ignoreMissing)
  if (!file) return undefined
  await using _ = file
  const stats = await file.stat()
  if (!stats.isFile()) throw new ImportError(`${path} is not a file.`)
  if (stats.size > maxBytes) throw new ImportError(`${path} has more than ${maxBytes} bytes.`)
  return await file.readFile('utf8')
}

/** The names in a folder, sorted; none when it does not exist. */
export async function namesIn(folder: string): Promise<string[]> {
  const names = (await readdir(folder).catch(ignoreMissing)) ?? []
  if (names.length > maxEntries) throw new ImportError(`${folder} has more than ${maxEntries} entries.`)
  return names.toSorted()
}

/** Whether the path is a folder, and not a link. */
export async function isFolder(path: string): Promise<boolean> {
  return (await lstat(path).catch(ignoreMissing))?.isDirectory() === true
}

/** Whether the path is a file, and not a link. */
export async function isFile(path: string): Promise<boolean> {
  return (await lstat(path).catch(ignoreMissing))?.isFile() === true
}

/** The ID of a server: that of the other panel if it has our form, else one that is the same in every run. */
export function getServerId(source: string, id: string): string {
  const own = ServerId.safeParse(id)
  if (own.success) return own.data
  return createHash('sha256').update(`${source} ${id}`).digest('hex').slice(0, 8)
}

const ignoreMissing = ignoreErrors('ENOENT', 'ENOTDIR')

/** Options of a reader of another panel. */
export interface SourceOptions {
  /** Whether this installation has a panel; without one, only what a node has is read. */
  readonly hasPanel: boolean
  /** Database of the other panel; without it, that of its configuration. */
  readonly database: string | undefined
  /** Its configuration file. */
  readonly config: string | undefined
  /** Folder of its servers. */
  readonly servers: string | undefined
  /** Name of the node of the other panel that is on this machine. */
  readonly node: string | undefined
  /** A file or folder of eggs; only these are imported. */
  readonly eggs?: string | undefined
  /** Domain of the addresses of users without one. */
  readonly emailDomain: string
  /** The installation folder of the other panel, or the folder of the server. */
  readonly folder: string
  /** The archive that the folder was unpacked from. */
  readonly archive?: string | undefined
}

/** Options of a reader, with what has to be removed after the import. */
export interface OpenSource extends AsyncDisposable {
  readonly options: SourceOptions
}
