import { isBlankName } from '@innkeeper/contract/files'
import { limits } from '@innkeeper/contract/limits'
import { basename, uniqueName } from '../../api/file-paths.ts'
import type { Item } from './entries.ts'

/** The names in a folder, each with what has it. */
export type TakenNames = ReadonlyMap<string, 'file' | 'folder'>

/** Why a name cannot be given, as a key of the catalogue; `undefined` for one that can. An empty one is just not there yet. */
export function objectionTo(name: string, taken: TakenNames): string | undefined {
  if (name !== '' && isBlankName(name)) return 'files.NameBlank'
  if (name.includes('/')) return 'files.NameHasSlash'
  if (name === '.' || name === '..' || /[\u0000-\u001f\u007f]/.test(name)) return 'files.NameInvalid'
  if (new TextEncoder().encode(name).length > limits.nameBytes) return 'files.NameTooLong'
  const owner = taken.get(name)
  return owner && (owner === 'folder' ? 'files.FolderExists' : 'files.FileExists')
}

/** Endings of two parts stay together: `world (2).tar.gz`. */
const ending = /(?:\.tar)?\.[^.]+$/i

/** What an archive of these is called: after the one folder that it holds, else after the folder they are in. */
export function archiveNameOf(
  items: readonly Item[],
  folder: string,
  server: string,
  taken: Pick<TakenNames, 'has'>,
): string {
  const [only] = items
  const name = items.length === 1 && only?.isFolder ? only.name : basename(folder)
  // The server's own folder has no name that people know; that of the server may hold what names cannot.
  const fallback = server.replace(/[/\p{Cc}]+/gu, '-').trim() || 'files'
  return uniqueName(`${name || fallback}.zip`, taken)
}

/** The name of a folder for what an archive holds: `backup.tar.gz` becomes `backup`. */
export function folderNameFor(archive: string, taken: Pick<TakenNames, 'has'>): string {
  const stem = archive.replace(ending, '') || archive
  let free = stem
  for (let number = 2; taken.has(free); number += 1) free = `${stem} (${number})`
  return free
}
