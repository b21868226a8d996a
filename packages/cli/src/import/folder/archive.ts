import { mkdir, open, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { extractOpenArchive, findArchiveKind, nameWithoutExtension } from '@innkeeper/daemon/archives/archives'
import { rootPath } from '@innkeeper/daemon/files/path/safe-path'
import { RootFs } from '@innkeeper/daemon/files/root'
import { Progress } from '@innkeeper/daemon/files/tree/progress'
import { ifExists } from '@innkeeper/daemon/fs/if-exists'
import { openStaging } from '../../backup/create-backup.ts'
import type { Config } from '../../installation/config.ts'
import { ImportError, type OpenSource, type SourceOptions } from '../source-files.ts'

/**
 * Unpacks an archive into a temporary folder in the data folder, from where its files can be moved; a folder is used as
 * it is.
 * @throws ImportError
 */
export async function openFolder(options: SourceOptions, { dataDir }: Pick<Config, 'dataDir'>): Promise<OpenSource> {
  const { folder: archive } = options
  if (!(await isArchive(archive))) return { options, async [Symbol.asyncDispose]() {} }
  const staging = await openStaging(dataDir)
  try {
    // The server gets the name of the folder.
    const folder = join(staging.path, nameWithoutExtension(basename(archive)))
    await mkdir(folder, { mode: 0o755 })
    await unpack(archive, folder)
    return {
      options: { ...options, folder, archive },
      [Symbol.asyncDispose]: () => staging[Symbol.asyncDispose](),
    }
  } catch (error) {
    await staging[Symbol.asyncDispose]()
    if (error instanceof Refusal) throw new ImportError(`${archive}: ${error.message}.`, { cause: error })
    throw error
  }
}

async function isArchive(path: string): Promise<boolean> {
  return findArchiveKind(basename(path)) !== undefined && (await ifExists(stat(path)))?.isFile() === true
}

async function unpack(archive: string, folder: string): Promise<void> {
  await using file = await open(archive, 'r')
  await using files = await RootFs.open(folder)
  const signal = new AbortController().signal
  const extraction = { files, destination: rootPath, onConflict: 'refuse', progress: new Progress(), signal } as const
  await extractOpenArchive({ file, name: basename(archive) }, extraction)
}
