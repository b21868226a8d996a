import type { FileEntry } from '@innkeeper/contract/files'
import { limits } from '@innkeeper/contract/limits'
import type { FileAnswer, FileMessage } from '@innkeeper/contract/live'
import { Refusal } from '@innkeeper/contract/refusals'
import { entriesIn } from '../file-work/entries.ts'
import type { RootFs } from '../files/root.ts'
import { formatPath, nameOf, parentOf, parsePath, rootPath, type SafePath } from '../files/safe-path.ts'
import { inTurn } from '../files/turns.ts'

/** What a message about files does, and the answer to it. */
export async function fileAnswerTo({ action, path: text, edit }: FileMessage, files: RootFs): Promise<FileAnswer> {
  const path = parsePath(text)
  if (action === 'create') {
    await files.mkdirs(path)
    return await listed(files, path)
  }
  if (action === 'delete') {
    const parent = parentOf(path)
    if (!parent) throw new Refusal('ErrFieldInvalid', { field: 'path' })
    await files.removeTree(path)
    return await listed(files, parent)
  }
  const found = await files.stat(path)
  if (!found) throw new Refusal('ErrFileNotFound', { path: formatPath(path) })
  if (found.kind === 'folder') return await listed(files, path)
  const name = nameOf(path)
  if (!edit || found.size > limits.editableFileBytes) return { path: '', url: formatPath(path), name }
  const contents = await contentsOf(files, path)
  return { path: '', ...(contents !== '' && { contents }), name }
}

async function listed(files: RootFs, path: SafePath = rootPath): Promise<FileAnswer> {
  const entries: FileEntry[] = []
  for await (const some of entriesIn(files, path)) entries.push(...some)
  return { path: formatPath(path), ...(entries.length > 0 && { files: entries }) }
}

/** One after the other, whoever asks: each takes several times its size for a moment. */
async function contentsOf(files: RootFs, path: SafePath): Promise<string> {
  return await inTurn(['contents over a live socket'], async () => {
    const bytes = await files.readFile(path, limits.editableFileBytes)
    return bytes.toString('base64')
  })
}
