import type { FileHandle } from 'node:fs/promises'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import type { ExtractConflictPolicy } from '@innkeeper/contract/servers/files'
import { formatPath, getName, type SafePath } from '../files/path/safe-path.ts'
import type { FileInfo } from '../files/read/file-info.ts'
import type { RootFs } from '../files/root.ts'
import type { Progress } from '../files/tree/progress.ts'
import { archiveTimeoutMs, archiveTooLarge } from './formats/archive-errors.ts'
import { type ArchiveKind, findArchiveKind, getFormat, nameWithoutExtension } from './formats/archive-kinds.ts'
import type { PackRequest } from './pack/packing.ts'
import { packingThread } from './pack/packing-thread.ts'
import { withSevenZipSlot } from './seven-zip/seven-zip.ts'
import { decompress, needsSevenZip } from './unpack/decoders.ts'
import { readExactly, readRange } from './unpack/file-range.ts'
import { unpackBySevenZip } from './unpack/seven-zip-reader.ts'
import { unpackTar } from './unpack/tar-reader.ts'
import { type ArchiveLimits, archiveLimits, type OpenedArchive, Unpacking } from './unpack/unpacking.ts'
import { unpackZip } from './unpack/zip-reader.ts'

export { type ArchiveKind, findArchiveKind, nameWithoutExtension } from './formats/archive-kinds.ts'

/**
 * Packs files, directories and links. Special files, and links that lead out of the archive, are skipped and reported. Rejects with `ErrUnsupportedArchive`
 * when archives of this kind can only be extracted, with `ErrArchiveTooLarge`, and with the signal's reason on abort. Writes as it packs, without
 * knowing the total size, so that an archive can be sent while it is created.
 */
export async function packArchive(order: PackRequest): Promise<void> {
  const timeout = AbortSignal.timeout(archiveTimeoutMs)
  const signal = AbortSignal.any([order.signal, timeout])
  await packingThread.pack({ ...order, signal }).catch((error: unknown) => {
    order.signal.throwIfAborted()
    if (timeout.aborted) throw archiveTooLarge('the time limit')
    throw error
  })
}

interface Extraction {
  readonly files: RootFs
  /** An existing directory. */
  readonly destination: SafePath
  /** How existing files are handled; directories are always merged. */
  readonly onConflict: ExtractConflictPolicy
  readonly progress: Progress
  readonly signal: AbortSignal
  readonly limits?: Partial<ArchiveLimits>
}

export interface ExtractRequest extends Extraction {
  readonly archive: SafePath
}

/** An open archive; the caller closes it. */
export interface OpenArchive {
  readonly file: FileHandle
  readonly name: string
}

/**
 * Extracts an archive, whose kind follows from its name. Entries outside of the destination, links that lead out of it, and
 * special files are skipped and reported. Rejects with `ErrUnsupportedArchive`, `ErrMissingDirectory`,
 * `ErrArchiveDamaged`, `ErrArchiveTooLarge`, `ErrFileExists`, or the signal's reason; then nothing has changed.
 */
export async function extractArchive({ archive, ...extraction }: ExtractRequest): Promise<void> {
  const { files, destination } = extraction
  const name = getName(archive)
  if (!findArchiveKind(name)) throw new Refusal('ErrUnsupportedArchive')
  if ((await files.stat(destination))?.kind !== 'folder') {
    throw new Refusal('ErrMissingDirectory', { path: formatPath(destination) })
  }
  await using file = await files.open(archive, 'read')
  await extractOpenArchive({ file, name }, extraction)
}

/** The same for an archive that is not one of the files. */
export async function extractOpenArchive({ file, name }: OpenArchive, extraction: Extraction): Promise<void> {
  const { files, destination, onConflict, progress } = extraction
  const kind = findArchiveKind(name)
  if (!kind) throw new Refusal('ErrUnsupportedArchive')
  const { size, mtime } = await file.stat()

  const within = { ...archiveLimits, ...extraction.limits }
  const timeout = AbortSignal.timeout(within.ms)
  const signal = AbortSignal.any([extraction.signal, timeout])
  try {
    await using unpacking = await Unpacking.begin({
      ...{ files, destination, onConflict, progress, signal },
      ...{ packedBytes: size, limits: within },
    })
    await unpack({ file, size, modified: mtime, kind, name, owner: files.directory, unpacking, progress, signal })
    await unpacking.finish()
  } catch (error) {
    extraction.signal.throwIfAborted()
    if (timeout.aborted) throw archiveTooLarge('the time limit')
    throw error
  }
}

interface Opened extends OpenedArchive {
  readonly modified: FileInfo['modified']
  readonly kind: ArchiveKind
  readonly name: string
  /** The directory of the files. */
  readonly owner: string
}

async function unpack(archiveFile: Opened): Promise<void> {
  const { file, size, kind, owner, unpacking, signal } = archiveFile
  const bySevenZip = (act: (signal: AbortSignal) => Promise<void>) => withSevenZipSlot(act, { key: owner, signal })
  const { format, compression } = getFormat(kind)
  switch (format) {
    case 'zip':
      if ((await unpackZip(archiveFile)) === 'unpacked') return
      return await bySevenZip((signal) => unpackBySevenZip({ ...archiveFile, signal }, 'zip'))
    case '7z':
      return await bySevenZip((signal) => unpackBySevenZip({ ...archiveFile, signal }, '7z'))
    case 'rar':
      return await bySevenZip(async (signal) =>
        unpackBySevenZip({ ...archiveFile, signal }, await readRarType(file, size)),
      )
    case 'tar':
    case 'file': {
      const act = (signal: AbortSignal) => {
        const bytes = compression ? decompress({ file, size, signal }, compression) : readRange(file, 0, size)
        return format === 'tar' ? unpackTar(bytes, unpacking) : unpackOne(bytes, archiveFile)
      }
      return compression && needsSevenZip(compression) ? await bySevenZip(act) : await act(signal)
    }
  }
}

/** The two formats have the same extension and a common signature prefix. */
async function readRarType(file: FileHandle, size: number): Promise<'rar' | 'rar5'> {
  const start = await readExactly(file, 0, Math.min(8, size))
  return start.toString('latin1') === 'Rar!\x1a\x07\x01\x00' ? 'rar5' : 'rar'
}

async function unpackOne(bytes: AsyncIterable<Uint8Array>, { name, modified, unpacking }: Opened): Promise<void> {
  await using unpacked = await unpacking.file({ name: nameWithoutExtension(name), kind: 'file', modified })
  if (!unpacked) return
  for await (const chunk of bytes) await unpacked.write(chunk)
  await unpacked.commit()
}
