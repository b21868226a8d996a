import type { ResponseOf } from '@innkeeper/contract/api/endpoint'
import type { searchFiles } from '@innkeeper/contract/servers/files'
import { isTemporary } from '../files/path/names.ts'
import { findParent, formatPath, rootPath, type SafePath } from '../files/path/safe-path.ts'
import type { RootFs } from '../files/root.ts'
import { getEntry } from './entries.ts'

const maxSearchResults = 500
const searchTimeoutMs = 5_000

/** Files and directories whose names contain a text; stops early when there are many, or after a time limit. */
export async function search(
  files: RootFs,
  folder: SafePath,
  text: string,
  signal: AbortSignal,
): Promise<ResponseOf<typeof searchFiles>> {
  const query = text.toLowerCase()
  const found: ResponseOf<typeof searchFiles>['found'] = []
  const until = performance.now() + searchTimeoutMs
  for await (const { path, info } of files.walk(folder, { signal, onUnreadable: () => {} })) {
    if (performance.now() > until) return { found, isComplete: false }
    if (isTemporary(info.name) || !info.name.toLowerCase().includes(query)) continue
    if (found.length >= maxSearchResults) return { found, isComplete: false }
    found.push({ ...getEntry(info), path: formatPath(findParent(path) ?? rootPath) })
  }
  return { found, isComplete: true }
}
