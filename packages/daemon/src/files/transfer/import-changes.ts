import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { chmod, chown, lchown, open, rename, symlink, unlink } from 'node:fs/promises'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { withRollback } from '../../errors/cleanup.ts'
import { ignoreErrors } from '../../errors/error-code.ts'
import { ifExists } from '../../fs/if-exists.ts'
import { DirHandle, type RawName } from '../path/dir-handle.ts'
import { temporaryName } from '../path/names.ts'
import { lstatOrUndefined, mkdirIfMissing } from '../path/tree-root.ts'
import { removeIn } from '../tree/remove-tree.ts'
import { syncTree } from '../tree/sync-tree.ts'
import { writeAll } from '../write/write-all.ts'
import { hashBytes, PackReader, type PackRecord } from './pack.ts'
import type { TreePart } from './tree-part.ts'
import { digestStates, type FindPart, FolderOpener, parsePath, walkParts } from './tree-state.ts'

interface Options {
  readonly findPart: FindPart
  /** What there is now. */
  readonly parts: () => Promise<readonly TreePart[]>
  readonly body: AsyncIterable<Uint8Array>
  /** Whether everything must be as the sender has it at the end. Throws ErrCopyDiffers. */
  readonly isFinal: boolean
  readonly signal: AbortSignal
}

type Of<Type extends PackRecord['type']> = Extract<PackRecord, { type: Type }>

/** Makes the files of a server as another node has them. Each file is complete, or as it was before. */
export async function importChanges({
  findPart,
  parts,
  body,
  isFinal,
  signal,
}: Options): Promise<{ files: number; bytes: number }> {
  const reader = new PackReader(body)
  using receiver = new Receiver(findPart, reader)
  for (;;) {
    signal.throwIfAborted()
    const record = await reader.record()
    if (record.type !== 'end') {
      await receiver.receive(record)
      continue
    }
    await receiver.finish()
    // The sender deletes its files in an hour: these must survive a power loss.
    const received = await parts()
    await sync(received[0], signal)
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
async function sync(part: TreePart | undefined, signal: AbortSignal): Promise<void> {
  const opened = part && (await ifExists(DirHandle.open(part.directory)))
  if (!opened) return
  await using folder = opened
  await syncTree(folder, Number.POSITIVE_INFINITY, signal)
}

class Receiver implements Disposable {
  readonly counts = { files: 0, bytes: 0 }
  readonly #findPart: FindPart
  readonly #reader: PackReader
  readonly #folders = new FolderOpener()
  /** Directories that the daemon must be able to write to until the end. */
  readonly #modes: { readonly path: string; readonly mode: number }[] = []

  constructor(findPart: FindPart, reader: PackReader) {
    this.#findPart = findPart
    this.#reader = reader
  }

  async receive(record: Exclude<PackRecord, Of<'end'>>): Promise<void> {
    const { part, names } = parsePath(this.#findPart, record.path)
    const name = names.at(-1) ?? ''
    if (record.type === 'remove') return await this.#remove(part, names)
    const folder = await this.#folders.open(part, names.slice(0, -1), { create: true })
    if (names.length === 1 && part.owner) await chown(folder.path, part.owner.uid, part.owner.gid)
    if (record.type === 'folder') await this.#makeFolder(folder, name, part, record)
    else if (record.type === 'link') await makeLink(folder, name, part, record)
    else await this.#writeFile(folder, name, part, record)
  }

  /** Sets the modes of directories, the innermost first. */
  async finish(): Promise<void> {
    for (const { path, mode } of this.#modes.toReversed()) {
      const { part, names } = parsePath(this.#findPart, path)
      const folder = await this.#folders.open(part, names)
      await chmod(folder.path, mode)
    }
  }

  [Symbol.dispose](): void {
    this.#folders[Symbol.dispose]()
  }

  async #remove(part: TreePart, names: readonly RawName[]): Promise<void> {
    const folder = await this.#folders.open(part, names.slice(0, -1)).catch(ignoreErrors('ENOENT', 'ENOTDIR'))
    const name = names.at(-1) ?? ''
    if (!folder || !(await lstatOrUndefined(folder, name))) return
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

  async #writeFile(
    folder: DirHandle,
    name: RawName,
    { owner }: TreePart,
    { mode, modifiedMs }: Of<'file'>,
  ): Promise<void> {
    await clear(folder, name, 'file')
    const temporary = folder.pathTo(temporaryName())
    const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants
    const writing = (async () => {
      await using file = await open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
      const hash = createHash('sha256')
      let position = 0
      for await (const chunk of this.#reader.content()) {
        await writeAll(file, [chunk], position)
        hash.update(chunk)
        position += chunk.length
      }
      if (!hash.digest().equals(await this.#reader.take(hashBytes))) throw new Refusal('ErrCopyDiffers')
      if (owner) await file.chown(owner.uid, owner.gid)
      await file.chmod(mode)
      await file.utimes(modifiedMs / 1000, modifiedMs / 1000)
      this.counts.bytes += position
    })()
    await withRollback(
      writing.then(() => rename(temporary, folder.pathTo(name))),
      () => unlink(temporary).catch(ignoreErrors('ENOENT')),
    )
    this.counts.files++
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
