import { isBlankName } from '@innkeeper/contract/servers/files'
import { limits } from '@innkeeper/contract/text/limits'
import { basename, uniqueName } from '../../api/file-paths.ts'
import type { TranslationKey } from '../../i18n/i18n.tsx'
import type { FileItem } from './entries.ts'

/** The names in a folder, and the type of each. */
export type ExistingNames = ReadonlyMap<string, 'file' | 'folder'>

/** Catalog key of the reason why a name is invalid; `undefined` if it is valid or empty. */
export function validateName(name: string, existing: ExistingNames): TranslationKey | undefined {
  if (name !== '' && isBlankName(name)) return 'files.NameBlank'
  if (name.includes('/')) return 'files.NameHasSlash'
  if (name === '.' || name === '..' || /[\u0000-\u001f\u007f]/.test(name)) return 'files.NameInvalid'
  if (new TextEncoder().encode(name).length > limits.nameBytes) return 'files.NameTooLong'
  const type = existing.get(name)
  return type && (type === 'folder' ? 'files.FolderExists' : 'files.FileExists')
}

/** Includes both parts of `.tar.gz`. */
const extension = /(?:\.tar)?\.[^.]+$/i

/** A free name for an archive of these items: that of the only folder among them, otherwise of the folder they are in. */
export function getArchiveName(
  items: readonly FileItem[],
  folder: string,
  serverName: string,
  existing: Pick<ExistingNames, 'has'>,
): string {
  const [only] = items
  const name = items.length === 1 && only?.isFolder ? only.name : basename(folder)
  // The server's root folder has no name of its own. A server name may contain characters that file names cannot.
  const fallback = serverName.replace(/[/\p{Cc}]+/gu, '-').trim() || 'files'
  return uniqueName(`${name || fallback}.zip`, existing)
}

/** A free name for the folder to extract an archive into: `backup` for `backup.tar.gz`. */
export function getExtractFolderName(archive: string, existing: Pick<ExistingNames, 'has'>): string {
  const stem = archive.replace(extension, '') || archive
  let name = stem
  for (let number = 2; existing.has(name); number += 1) name = `${stem} (${number})`
  return name
}
