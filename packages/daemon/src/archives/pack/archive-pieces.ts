import type { FileHandle } from 'node:fs/promises'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { ignoreRefusals } from '../../errors/refusals.ts'
import { staysInside } from '../../files/path/link-target.ts'
import { isTemporary } from '../../files/path/names.ts'
import { findParent, formatPath, getName, isBelow, rootPath, type SafePath } from '../../files/path/safe-path.ts'
import type { FileInfo } from '../../files/read/file-info.ts'
import type { RootFs } from '../../files/root.ts'
import { Progress } from '../../files/tree/progress.ts'
import { archiveTooLarge, maxArchiveDepth } from '../formats/archive-errors.ts'
import { looksCompressed } from './looks-compressed.ts'

/** How much of a file is read at once. */
export const blockBytes = 256 * 1024

/** A file or directory to pack. */
export interface ArchiveItem {
  /** Path relative to the common parent, with `/` separators; that of a directory ends with one. */
  readonly name: string
  readonly info: FileInfo
  /** Of a link. */
  readonly target?: string
  /** Must be called before the next item is requested, which need not wait for it. */
  readonly open: () => Promise<FileHandle>
}

/** The items of an archive in order. Files larger than one block are a start followed by their blocks. */
export type ArchivePiece =
  | { readonly type: 'folder' | 'link'; readonly item: ArchiveItem }
  /** A small file. If it changes meanwhile, it has at most its earlier size. */
  | { readonly type: 'file'; readonly item: ArchiveItem; readonly bytes: Uint8Array }
  | {
      readonly type: 'start'
      readonly item: ArchiveItem
      readonly size: number
      /** Whether its first block looks compressed. */
      readonly isCompressed: boolean
    }
  | { readonly type: 'block'; readonly bytes: Uint8Array; readonly isLast: boolean }

interface ContentsOptions {
  readonly files: RootFs
  readonly paths: readonly SafePath[]
  readonly progress: Progress
  readonly signal: AbortSignal
}

/**
 * The paths and everything below. Special files, and links that lead out of the archive, are reported and skipped. Throws
 * ErrArchiveTooLarge for directories that could not be unpacked again, because they are too deep. Reads ahead.
 */
export async function* archivePieces(options: ContentsOptions): AsyncGenerator<ArchivePiece> {
  const { progress } = options
  const read = (piece: UnreadPiece) => (piece.type === 'small' ? readSmallFile(piece.item, progress) : piece)
  for await (const piece of orderedMap(unreadPieces(options), piecesAhead, async (piece) => read(piece))) {
    if (piece) yield piece
  }
}

const piecesAhead = 8

type UnreadPiece = Exclude<ArchivePiece, { type: 'file' }> | { readonly type: 'small'; readonly item: ArchiveItem }

async function* unreadPieces(options: ContentsOptions): AsyncGenerator<UnreadPiece> {
  for await (const item of readContents(options)) {
    options.signal.throwIfAborted()
    if (item.info.kind === 'folder' || item.info.kind === 'link') yield { type: item.info.kind, item }
    else if (item.info.size > blockBytes) yield* readBlocks(item, options.progress)
    else yield { type: 'small', item }
  }
}

/** Counts what `archivePieces` yields, for the total, without opening files. */
export async function countContents({ progress, ...options }: ContentsOptions): Promise<void> {
  let [entries, bytes] = [0, 0]
  // Skipped entries are reported by the packer.
  for await (const { info } of readContents({ ...options, progress: new Progress() })) {
    entries++
    bytes += info.size
  }
  progress.totalEntries = entries
  progress.totalBytes = bytes
}

/** The blocks that follow a start, counted as they are read. */
export async function* readContent(
  pieces: AsyncIterator<ArchivePiece>,
  progress: Progress,
): AsyncGenerator<Uint8Array, void> {
  for (;;) {
    const { value, done } = await pieces.next()
    if (done || value.type !== 'block') return
    progress.bytes += value.bytes.length
    yield value.bytes
    if (value.isLast) return
  }
}

/** Returns undefined when the file is gone, which is reported. */
async function readSmallFile(item: ArchiveItem, progress: Progress): Promise<ArchivePiece | undefined> {
  if (item.info.size === 0) return { type: 'file', item, bytes: Buffer.alloc(0) }
  await using file = await opened(item, progress)
  if (!file) return undefined
  const buffer = Buffer.allocUnsafe(item.info.size)
  return { type: 'file', item, bytes: buffer.subarray(0, await fill(file, buffer, 0)) }
}

async function* readBlocks(item: ArchiveItem, progress: Progress): AsyncGenerator<UnreadPiece> {
  await using file = await opened(item, progress)
  if (!file) return
  const size = Number((await file.stat()).size)
  let [at, isLast] = [0, false]
  while (!isLast) {
    const expected = Math.min(blockBytes, size - at)
    const buffer = Buffer.allocUnsafeSlow(expected)
    const bytes = buffer.subarray(0, await fill(file, buffer, at))
    if (at === 0) yield { type: 'start', item, size, isCompressed: looksCompressed(bytes) }
    at += bytes.length
    isLast = bytes.length < expected || at >= size
    yield { type: 'block', bytes, isLast }
  }
}

async function fill(file: FileHandle, buffer: Buffer, position: number): Promise<number> {
  let filled = 0
  while (filled < buffer.length) {
    const { bytesRead } = await file.read(buffer, filled, buffer.length - filled, position + filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return filled
}

/** Opens a file; undefined when it is gone, which is reported. Must be called before the next item is requested. */
async function opened(item: ArchiveItem, progress: Progress): Promise<FileHandle | undefined> {
  const file = await item.open().catch(ignoreRefusals())
  if (!file) progress.skip(item.name)
  return file
}

async function* readContents({ files, paths, progress, signal }: ContentsOptions): AsyncGenerator<ArchiveItem> {
  const tops = paths.filter((path, at) => !paths.some((other, of) => isCoveredBy(path, at, other, of)))
  const base = commonFolder(tops)
  for (const top of tops) {
    const info = await files.lstat(top)
    if (!info) throw new Refusal('ErrFileNotFound', { path: formatPath(top) })
    const name = nameBelow(top, base)
    if (info.kind === 'file') yield { name, info, open: () => files.open(top, 'read') }
    else if (info.kind !== 'folder') yield* linkAt({ files, progress }, top, { name, info })
    if (info.kind !== 'folder') continue
    // The server's directory itself has no name in an archive.
    if (name !== '') yield { name: `${name}/`, info, open: () => files.open(top, 'read') }
    yield* contentsBelow({ files, progress, signal }, top, base)
  }
}

async function* contentsBelow(
  { files, progress, signal }: Omit<ContentsOptions, 'paths'>,
  top: SafePath,
  base: SafePath,
): AsyncGenerator<ArchiveItem> {
  const onUnreadable = (path: SafePath) => progress.skip(nameBelow(path, base))
  /** A directory that is skipped with its contents. */
  let without: SafePath | undefined
  for await (const { path, info, open } of files.walk(top, { signal, onUnreadable })) {
    if (without && isBelow(path, without)) continue
    if (path.length - base.length > maxArchiveDepth) throw archiveTooLarge('the directory depth')
    const name = nameBelow(path, base)
    const isOurs = isTemporary(info.name)
    if (isOurs || !info.isReachable) {
      if (!isOurs) progress.skip(name)
      without = path
    } else if (info.kind === 'folder') {
      yield { name: `${name}/`, info, open }
    } else if (info.kind === 'file') {
      yield { name, info, open }
    } else {
      yield* linkAt({ files, progress }, path, { name, info })
    }
  }
}

/** A link that stays inside the archive; anything else is reported. */
async function* linkAt(
  { files, progress }: Pick<ContentsOptions, 'files' | 'progress'>,
  path: SafePath,
  { name, info }: Pick<ArchiveItem, 'name' | 'info'>,
): AsyncGenerator<ArchiveItem> {
  const target = info.kind === 'link' ? await files.readlink(path).catch(ignoreRefusals()) : undefined
  if (target !== undefined && staysInside(target, name.split('/').length - 1))
    yield { name, info, target, open: () => files.open(path, 'read') }
  else progress.skip(name)
}

/** Whether a path is already included by another one in the list. */
function isCoveredBy(path: SafePath, at: number, other: SafePath, of: number): boolean {
  if (at === of || !isBelow(path, other)) return false
  return path.length > other.length || of < at
}

function commonFolder(paths: readonly SafePath[]): SafePath {
  let commonFields = findParent(paths[0] ?? rootPath) ?? rootPath
  while (paths.some((path) => !isBelow(path, commonFields) || getName(path) === '')) {
    const above = findParent(commonFields)
    if (!above) return rootPath
    commonFields = above
  }
  return commonFields
}

function nameBelow(path: SafePath, base: SafePath): string {
  return path.slice(base.length).join('/')
}

/**
 * Maps items concurrently and yields the results in order. At most `ahead` results are in progress or waiting, so that
 * a slow reader applies backpressure.
 */
async function* orderedMap<T, R>(
  source: AsyncIterable<T>,
  ahead: number,
  work: (item: T) => Promise<R>,
): AsyncGenerator<R> {
  const waiting: Promise<R>[] = []
  try {
    for await (const item of source) {
      const result = work(item)
      // May reject before it is awaited.
      result.catch(() => undefined)
      waiting.push(result)
      if (waiting.length >= ahead) yield await (waiting.shift() as Promise<R>)
    }
    while (waiting.length > 0) yield await (waiting.shift() as Promise<R>)
  } finally {
    await Promise.allSettled(waiting)
  }
}
