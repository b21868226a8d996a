import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { chmod, chown, type FileHandle, lchown, mkdir, open, rename, symlink, unlink } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { ConcurrencyLimiter } from '../../concurrency/concurrency-limiter.ts'
import { withRollback } from '../../errors/cleanup.ts'
import { ignoreErrors } from '../../errors/error-code.ts'
import { syncDirectory } from '../../fs/atomic-write.ts'
import { ifExists } from '../../fs/if-exists.ts'
import { DirHandle, type RawName } from '../path/dir-handle.ts'
import { temporaryName } from '../path/names.ts'
import { lstatOrUndefined, mkdirIfMissing } from '../path/tree-root.ts'
import { removeIn } from '../tree/remove-tree.ts'
import { syncDiskFromFiles, syncTree } from '../tree/sync-tree.ts'
import { writeAll } from '../write/write-all.ts'
import { chunkBytes, hashBytes, PackReader, type PackRecord } from './pack.ts'
import type { TreePart } from './tree-part.ts'
import { digestStates, type FindPart, FolderOpener, formatPath, parsePath, walkParts } from './tree-state.ts'

/** The file that is received, and those that are put on disk meanwhile: each takes one of the few threads of all file operations. */
const concurrency = 3

interface Options {
  readonly findPart: FindPart
  /** What there is now. */
  readonly parts: () => Promise<readonly TreePart[]>
  readonly body: AsyncIterable<Uint8Array>
  /** Whether everything must be as the sender has it at the end. Throws ErrCopyDiffers. */
  readonly isFinal: boolean
  /** Whether everything that arrived earlier is on disk. Otherwise the whole disk is synced at the end. */
  readonly isSynced: boolean
  readonly signal: AbortSignal
}

interface Folder {
  readonly part: TreePart
  readonly names: readonly RawName[]
}

type Of<Type extends PackRecord['type']> = Extract<PackRecord, { type: Type }>

/** Makes the files of a server as another node has them. Each file is complete, or as it was before. */
export async function importChanges({
  findPart,
  parts,
  body,
  isFinal,
  isSynced,
  signal,
}: Options): Promise<{ files: number; bytes: number }> {
  const reader = new PackReader(body)
  await using receiver = new Receiver(findPart, reader, isSynced)
  for (;;) {
    signal.throwIfAborted()
    const record = await reader.record()
    if (record.type !== 'end') {
      await receiver.receive(record)
      continue
    }
    // The sender deletes its files in an hour: these must survive a power loss.
    const received = await parts()
    await receiver.finish(received, signal)
    if (isFinal && (await readDigest(received, signal)) !== record.digest) throw new Refusal('ErrCopyDiffers')
    return receiver.counts
  }
}

async function readDigest(parts: readonly TreePart[], signal: AbortSignal): Promise<string> {
  const states = new Map<string, string>()
  for await (const { path, state } of walkParts(parts, signal)) states.set(path, state)
  return digestStates(states)
}

/** All parts are on one file system, or on few. */
async function syncDisk(part: TreePart | undefined, signal: AbortSignal): Promise<void> {
  const opened = part && (await ifExists(DirHandle.open(part.directory)))
  if (!opened) return
  await using folder = opened
  await syncTree(folder, Number.POSITIVE_INFINITY, signal)
}

class Receiver implements AsyncDisposable {
  readonly counts = { files: 0, bytes: 0 }
  readonly #findPart: FindPart
  readonly #reader: PackReader
  readonly #folders = new FolderOpener()
  readonly #storing = new ConcurrencyLimiter(concurrency)
  /** Names of parts. */
  readonly #created = new Set<string>()
  /** Directories that the daemon must be able to write to until the end. */
  readonly #modes: { readonly path: string; readonly mode: number }[] = []
  /** Directories whose names have changed. */
  readonly #changed = new Map<string, Folder>()
  /** Whether something is not synced before the whole disk is. */
  #needsDiskSync: boolean
  #smallFiles = 0

  constructor(findPart: FindPart, reader: PackReader, isSynced: boolean) {
    this.#findPart = findPart
    this.#reader = reader
    this.#needsDiskSync = !isSynced
  }

  async receive(record: Exclude<PackRecord, Of<'end'>>): Promise<void> {
    const { part, names } = parsePath(this.#findPart, record.path)
    const [above, name] = [names.slice(0, -1), names.at(-1) ?? '']
    if (record.type === 'remove') return await this.#remove(part, above, name)
    await this.#createDirectory(part)
    const folder = await this.#folders.open(part, above)
    this.#changed.set(formatPath(part, above), { part, names: above })
    if (names.length === 1 && part.owner) await chown(folder.path, part.owner.uid, part.owner.gid)
    if (record.type === 'folder') await this.#makeFolder(folder, name, part, record)
    else if (record.type === 'link') await makeLink(folder, name, part, record)
    else await this.#receiveFile(folder, name, part, record)
  }

  /** Everything is on disk when it returns. The modes of directories are set, the innermost first. */
  async finish(parts: readonly TreePart[], signal: AbortSignal): Promise<void> {
    await this.#storing.end()
    for (const { path, mode } of this.#modes.toReversed()) {
      const { part, names } = parsePath(this.#findPart, path)
      const folder = await this.#folders.open(part, names)
      await chmod(folder.path, mode)
    }
    if (this.#needsDiskSync) return await syncDisk(parts[0], signal)
    for (const { part, names } of this.#changed.values()) {
      // A directory that was replaced has no names any more.
      const folder = await this.#folders.open(part, names).catch(ignoreErrors('ENOENT', 'ENOTDIR'))
      await folder?.sync()
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#storing[Symbol.asyncDispose]()
    this.#folders[Symbol.dispose]()
  }

  /** The name of a new directory of a part is on disk when it returns. */
  async #createDirectory(part: TreePart): Promise<void> {
    if (this.#created.has(part.name)) return
    const { directory, mode = 0o700 } = part
    const first = await mkdir(directory, { recursive: true, mode })
    if (first !== undefined)
      for (let path = directory; path.length >= first.length; path = dirname(path)) await syncDirectory(dirname(path))
    this.#created.add(part.name)
  }

  async #remove(part: TreePart, above: readonly RawName[], name: RawName): Promise<void> {
    const folder = await this.#folders.open(part, above).catch(ignoreErrors('ENOENT', 'ENOTDIR'))
    if (!folder || !(await lstatOrUndefined(folder, name))) return
    this.#changed.set(formatPath(part, above), { part, names: above })
    await folder.makeWritable()
    await removeIn(folder, name)
    this.#folders[Symbol.dispose]()
  }

  async #makeFolder(
    folder: DirHandle,
    name: RawName,
    { owner }: TreePart,
    { path, mode }: Of<'folder'>,
  ): Promise<void> {
    await clear(folder, name, 'folder')
    await mkdirIfMissing(folder.pathTo(name), 0o700)
    await using made = await folder.openDir(name)
    if (owner) await chown(made.path, owner.uid, owner.gid)
    await chmod(made.path, mode | 0o700)
    if ((mode & 0o700) !== 0o700) this.#modes.push({ path, mode })
  }

  /** Returns when the content has arrived. Meanwhile others are put on disk. */
  async #receiveFile(above: DirHandle, name: RawName, { owner }: TreePart, record: Of<'file'>): Promise<void> {
    await clear(above, name, 'file')
    const folder = above.dup()
    const temporary = folder.pathTo(temporaryName())
    const discard = async () => {
      await unlink(temporary).catch(ignoreErrors('ENOENT'))
      folder.close()
    }
    const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants
    const file = await withRollback(open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600), discard)
    const close = async () => {
      await file.close()
      await discard()
    }
    const bytes = await withRollback(this.#writeContent(file), close)
    const { mode, modifiedMs } = record
    const isSynced = this.#isSyncedAlone(bytes)
    const store = async () => {
      if (owner) await file.chown(owner.uid, owner.gid)
      await file.chmod(mode)
      await file.utimes(modifiedMs / 1000, modifiedMs / 1000)
      if (isSynced) await file.sync()
      await rename(temporary, folder.pathTo(name))
      await file.close()
      folder.close()
      this.counts.files++
      this.counts.bytes += bytes
    }
    await this.#storing.add(withRollback(store(), close))
  }

  /** Returns the number of bytes. Throws ErrCopyDiffers. */
  async #writeContent(file: FileHandle): Promise<number> {
    const hash = createHash('sha256')
    let position = 0
    // One chunk is written while the next one arrives.
    await using writing = new ConcurrencyLimiter(2)
    for await (const pieces of this.#reader.content()) {
      await writing.add(writeAll(file, pieces, position))
      for (const piece of pieces) {
        hash.update(piece)
        position += piece.length
      }
    }
    await writing.end()
    if (!hash.digest().equals(await this.#reader.take(hashBytes))) throw new Refusal('ErrCopyDiffers')
    return position
  }

  /** Whether a file is synced on its own. Many small ones are synced together. */
  #isSyncedAlone(bytes: number): boolean {
    if (bytes < chunkBytes && ++this.#smallFiles > syncDiskFromFiles) this.#needsDiskSync = true
    return !this.#needsDiskSync
  }
}

async function makeLink(folder: DirHandle, name: RawName, { owner }: TreePart, { target }: Of<'link'>): Promise<void> {
  await clear(folder, name, 'link')
  await symlink(Buffer.from(target, 'latin1'), folder.pathTo(name))
  if (owner) await lchown(folder.pathTo(name), owner.uid, owner.gid)
}

/** Removes an entry of another type. A file is replaced by a rename. */
async function clear(folder: DirHandle, name: RawName, type: 'folder' | 'file' | 'link'): Promise<void> {
  await folder.makeWritable()
  const stats = await lstatOrUndefined(folder, name)
  if (!stats) return
  const stays = type === 'folder' ? stats.isDirectory() : type === 'file' && stats.isFile()
  if (!stays) await removeIn(folder, name)
}
