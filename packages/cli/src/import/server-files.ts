import { constants } from 'node:fs'
import { cp, lstat, mkdir, readdir, rename, rm, symlink } from 'node:fs/promises'
import { join, relative, resolve, sep } from 'node:path'
import { ifExists } from '@innkeeper/daemon/fs/if-exists'
import { ImportError, isFolder } from './source-files.ts'

/** How the files of servers are carried over. */
export const fileModes = ['copy', 'move', 'link', 'none'] as const
export type FileMode = (typeof fileModes)[number]

/** Folders of a copy in progress, which a killed import leaves. */
const temporaryPrefix = '.import-'

/**
 * Copies, moves or links the files of a server into its folder. A later start changes their owner. A folder that has
 * files is not changed.
 * @returns paths that were left out, or `undefined` when nothing was done
 * @throws ImportError
 */
export async function transferServerFiles(
  from: string,
  to: string,
  mode: FileMode,
): Promise<readonly string[] | undefined> {
  if (mode === 'none' || (await hasFiles(to))) return undefined
  if (!(await isFolder(from))) throw new ImportError(`there is no folder ${from}`)
  // Other panels accept any folder for a server, also those of the system and of this installation.
  const isAbove = !relative(from, to).startsWith('..')
  if (isAbove || resolve(from).split(sep).filter(Boolean).length < 2)
    throw new ImportError(`${from} is no folder of one server`)
  if (mode === 'copy') return await copy(from, to)
  // An empty folder would be in the way.
  await rm(to, { recursive: true, force: true })
  if (mode === 'link') {
    await symlink(from, to)
    return []
  }
  try {
    await rename(from, to)
    return []
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error
    throw new ImportError(`${from} is on another file system: use --files copy`)
  }
}

/** Removes what a killed import left. */
export async function removeUnfinishedCopies(servers: string): Promise<void> {
  await mkdir(servers, { recursive: true, mode: 0o711 })
  for (const name of await readdir(servers)) {
    if (name.startsWith(temporaryPrefix)) await rm(join(servers, name), { recursive: true, force: true })
  }
}

/** Copies regular files, folders and links as links; anything else is left out. */
async function copy(from: string, to: string): Promise<readonly string[]> {
  const temporary = join(to, '..', `${temporaryPrefix}${process.pid}`)
  const leftOut: string[] = []
  try {
    await cp(from, temporary, {
      recursive: true,
      verbatimSymlinks: true,
      preserveTimestamps: true,
      mode: constants.COPYFILE_FICLONE,
      filter: async (path) => {
        const stats = await lstat(path)
        if (stats.isFile() || stats.isDirectory() || stats.isSymbolicLink()) return true
        leftOut.push(relative(from, path))
        return false
      },
    })
    await rm(to, { recursive: true, force: true })
    await rename(temporary, to)
    return leftOut
  } catch (error) {
    await rm(temporary, { recursive: true, force: true })
    throw error
  }
}

/** Whether a folder has entries, or is a link of an earlier import. */
async function hasFiles(folder: string): Promise<boolean> {
  const stats = await ifExists(lstat(folder))
  return stats !== undefined && (stats.isSymbolicLink() || (await readdir(folder)).length > 0)
}
