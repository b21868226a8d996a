import { Refusal } from '@innkeeper/contract/errors/refusals'
import type { FileJobRequest } from '@innkeeper/contract/servers/files'
import { extractArchive, findArchiveKind, packArchive } from '../archives/archives.ts'
import { isRefusal } from '../errors/refusals.ts'
import {
  findParent,
  formatPath,
  getChild,
  getName,
  parseExistingPath,
  parsePath,
  rootPath,
  type SafePath,
} from '../files/path/safe-path.ts'
import type { RootFs } from '../files/root.ts'
import type { Progress } from '../files/tree/progress.ts'
import { moveTree } from './move-tree.ts'

interface JobContext {
  readonly files: RootFs
  readonly progress: Progress
  readonly signal: AbortSignal
}

type RequestOf<K extends FileJobRequest['kind']> = Extract<FileJobRequest, { kind: K }>

/** Runs one file job. The first error ends it; its refusal has the path. */
export async function runFileJob(request: FileJobRequest, context: JobContext): Promise<void> {
  await handlers[request.kind](request as never, context)
}

const handlers: {
  readonly [K in FileJobRequest['kind']]: (request: RequestOf<K>, context: JobContext) => Promise<void>
} = {
  async delete({ paths }, context) {
    await each(paths, async (path) => {
      await context.files.discard(path, { signal: context.signal, progress: context.progress })
    })
  },

  async move({ paths, destination, existing: onConflict }, context) {
    const folder = await folderAt(context.files, destination)
    await each(paths, async (path) => {
      await moveTree(context.files, path, getChild(folder, getName(path)), { onConflict, ...context })
    })
  },

  async copy({ paths, destination, existing: onConflict }, { files, progress, signal }) {
    const folder = await folderAt(files, destination)
    await measure(paths.map(parseExistingPath), { files, progress, signal })
    await each(paths, async (path) => {
      const isOwnPlace = formatPath(findParent(path) ?? rootPath) === formatPath(folder)
      // A copy beside the original gets a new name, also for a directory.
      const name = isOwnPlace && onConflict === 'keepBoth' ? await files.freeName(folder, getName(path)) : getName(path)
      await files.copyTree(path, getChild(folder, name), { onConflict, progress, signal })
    })
  },

  async archive({ paths, destination }, { files, progress, signal }) {
    const target = parsePath(destination)
    const kind = findArchiveKind(getName(target))
    if (!kind) throw new Refusal('ErrUnsupportedArchive', { path: formatPath(target) })
    await using draft = await files.draft(target, { onConflict: 'refuse' })
    const write = (chunk: Uint8Array) => draft.write(chunk)
    await packArchive({ files, paths: paths.map(parseExistingPath), kind, isCounted: true, write, progress, signal })
    signal.throwIfAborted()
    await draft.commit()
  },

  async extract({ path, destination, existing: onConflict }, { files, progress, signal }) {
    const folder = await folderAt(files, destination)
    await extractArchive({ files, archive: parseExistingPath(path), destination: folder, onConflict, progress, signal })
  },
}

/**
 * The server's directory itself cannot be moved or deleted. Paths are processed in order; a refusal has its own path.
 */
async function each(paths: readonly string[], act: (path: SafePath) => Promise<void>): Promise<void> {
  const checked = paths.map(parseExistingPath)
  if (checked.some(({ length }) => length === 0)) throw new Refusal('ErrFieldInvalid', { field: 'paths' })
  for (const path of checked) {
    await act(path).catch((cause: unknown) => {
      if (!isRefusal(cause) || 'path' in cause.metadata) throw cause
      throw new Refusal(cause.code, { ...cause.metadata, path: formatPath(path) }, { cause })
    })
  }
}

async function folderAt(files: RootFs, text: string): Promise<SafePath> {
  const path = parseExistingPath(text)
  const found = await files.stat(path)
  if (found?.kind !== 'folder') throw new Refusal('ErrMissingDirectory', { path: formatPath(path) })
  return path
}

/** Counts the totals for progress. */
async function measure(paths: readonly SafePath[], { files, progress, signal }: JobContext): Promise<void> {
  let [entries, bytes] = [0, 0]
  for (const path of paths) {
    const found = await files.lstat(path)
    if (!found) throw new Refusal('ErrFileNotFound', { path: formatPath(path) })
    entries++
    bytes += found.size
    if (found.kind !== 'folder') continue
    for await (const { info } of files.walk(path, { signal, onUnreadable: () => {} })) {
      entries++
      bytes += info.size
    }
  }
  progress.totalEntries = entries
  progress.totalBytes = bytes
}
