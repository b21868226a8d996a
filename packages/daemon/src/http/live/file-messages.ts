import { Refusal } from '@innkeeper/contract/errors/refusals'
import type { FileEntry } from '@innkeeper/contract/servers/files'
import type { FileMessage, FileResponse } from '@innkeeper/contract/servers/live'
import { limits } from '@innkeeper/contract/text/limits'
import { entriesIn } from '../../file-jobs/entries.ts'
import { refuseUnusualNames } from '../../files/new-name.ts'
import { findParent, formatPath, getName, parseExistingPath, type SafePath } from '../../files/path/safe-path.ts'
import type { RootFs } from '../../files/root.ts'

/** Maximum size of a file that is sent over a live socket; larger ones are downloaded. */
export const maxLiveFileBytes = 1024 * 1024

/** Handles a message about files and returns the response. A listing of more than `maxBytes` is refused. */
export async function handleFileMessage(
  { action, path: text, edit }: FileMessage,
  files: RootFs,
  maxBytes: number = limits.liveResponseBytes,
): Promise<FileResponse> {
  const path = parseExistingPath(text)
  if (action === 'create') {
    await refuseUnusualNames(files, path)
    await files.mkdirs(path)
    return await listed(files, path, maxBytes)
  }
  if (action === 'delete') {
    const parent = findParent(path)
    if (!parent) throw new Refusal('ErrFieldInvalid', { field: 'path' })
    await files.discard(path)
    return await listed(files, parent, maxBytes)
  }
  const found = await files.stat(path)
  if (!found) throw new Refusal('ErrFileNotFound', { path: formatPath(path) })
  if (found.kind === 'folder') return await listed(files, path, maxBytes)
  const name = getName(path)
  if (!edit || found.size > maxLiveFileBytes) return { path: '', url: formatPath(path), name }
  const contents = (await files.readFile(path, maxLiveFileBytes)).toString('base64')
  return { path: '', ...(contents !== '' && { contents }), name }
}

async function listed(files: RootFs, path: SafePath, maxBytes: number): Promise<FileResponse> {
  const entries: FileEntry[] = []
  let bytes = 0
  for await (const batch of entriesIn(files, path)) {
    bytes += Buffer.byteLength(JSON.stringify(batch))
    if (bytes > maxBytes) return { path: '', error: 'The folder has too many entries for a live socket' }
    entries.push(...batch)
  }
  return { path: formatPath(path), ...(entries.length > 0 && { files: entries }) }
}
