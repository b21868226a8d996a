import { createHash, randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { syncDirectory } from '@innkeeper/daemon/fs/atomic-write'
import { extract, pack } from 'tar-stream'
import { z } from 'zod'
import { BackupError } from './backup-error.ts'
import { decrypt, encrypt, isEncrypted } from './encryption.ts'

const format = 'innkeeper-backup'
const currentVersion = 1
const manifestName = 'manifest.json'
const manifestBytes = 64 * 1024 * 1024

/** Paths inside an archive: relative, without dots that lead elsewhere. */
const EntryPath = z
  .string()
  .max(255)
  .regex(/^[\w-][\w.-]*(?:\/[\w-][\w.-]*){0,3}$/)

/** The first entry of an archive: what it contains. */
const Manifest = z.object({
  format: z.literal(format),
  version: z.literal(currentVersion),
  /** ISO 8601. */
  createdAt: z.string(),
  /** Version of Innkeeper. */
  innkeeper: z.string(),
  role: z.enum(['all', 'panel', 'node']),
  files: z.array(z.object({ path: EntryPath, bytes: z.number().int().min(0), sha256: z.string().length(64) })),
})
export type Manifest = z.infer<typeof Manifest>

/** A file for an archive. */
export interface Entry {
  readonly path: string
  /** Where it is on this machine; it must not change. */
  readonly source: string
}

/**
 * Writes an archive (`.tar.gz`, encrypted with a passphrase) for its owner only. The file appears when it is complete.
 */
export async function writeArchive(
  file: string,
  entries: readonly Entry[],
  about: Pick<Manifest, 'createdAt' | 'innkeeper' | 'role'>,
  passphrase: string | undefined,
): Promise<void> {
  const files = await Promise.all(entries.map(async ({ path, source }) => ({ path, ...(await getDigest(source)) })))
  const manifest: Manifest = { format, version: currentVersion, ...about, files }
  const temporary = join(dirname(file), `.${basename(file)}.${randomBytes(4).toString('hex')}.tmp`)
  try {
    {
      await using target = await open(temporary, 'wx', 0o600)
      const packing = pack()
      const filling = fill(packing, manifest, entries)
      filling.catch((error: Error) => packing.destroy(error))
      const compressing = createGzip()
      const seal = (content: AsyncIterable<Buffer>) => encrypt(content, passphrase ?? '')
      const sink = (content: AsyncIterable<Buffer>) => target.writeFile(content)
      await (passphrase === undefined
        ? pipeline(Readable.from(packing), compressing, sink)
        : pipeline(Readable.from(packing), compressing, seal, sink))
      await filling
      await target.sync()
    }
    await rename(temporary, file)
  } catch (cause) {
    await rm(temporary, { force: true })
    throw cause
  }
  await syncDirectory(dirname(file))
}

async function fill(packing: ReturnType<typeof pack>, manifest: Manifest, entries: readonly Entry[]): Promise<void> {
  const mtime = new Date(manifest.createdAt)
  packing.entry({ name: manifestName, mode: 0o600, mtime }, `${JSON.stringify(manifest, null, 2)}\n`)
  for (const [index, { path, source }] of entries.entries()) {
    const size = manifest.files[index]?.bytes ?? 0
    await new Promise<void>((resolve, reject) => {
      const header = { name: path, mode: 0o600, mtime, size }
      const sink = packing.entry(header, (error) => (error ? reject(error) : resolve()))
      createReadStream(source)
        .on('error', (error) => sink.destroy(error))
        .pipe(sink)
    })
  }
  packing.finalize()
}

/** Whether a file must be read with a passphrase. */
export async function needsPassphrase(file: string): Promise<boolean> {
  return isEncrypted(await readStart(file))
}

/**
 * Extracts an archive to a new folder and compares each file with its checksum.
 * @throws BackupError when it is damaged, incomplete, of a newer version or no backup
 */
export async function readArchive(file: string, folder: string, passphrase: string | undefined): Promise<Manifest> {
  const start = await readStart(file)
  const isGzip = start[0] === 0x1f && start[1] === 0x8b
  if (!isGzip && !isEncrypted(start)) throw new BackupError(`${file} is not a backup of Innkeeper.`)
  if (!isGzip && passphrase === undefined) throw new BackupError(`${file} is encrypted: it needs its passphrase.`)
  try {
    const content = createReadStream(file) as AsyncIterable<Buffer>
    const plain = isGzip ? content : decrypt(content, passphrase ?? '')
    const entries = extract()
    const reading = pipeline(Readable.from(plain), createGunzip(), entries)
    // Reported by `allSettled`, after the entries.
    reading.catch(() => {})
    const [manifest, end] = await Promise.allSettled([extractTo(folder, entries), reading])
    // A failed stream is the cause of the error of reading its entries.
    if (end.status === 'rejected' && !(manifest.status === 'rejected' && manifest.reason instanceof BackupError))
      throw end.reason
    if (manifest.status === 'rejected') throw manifest.reason
    return manifest.value
  } catch (cause) {
    if (cause instanceof BackupError) throw new BackupError(`${file}: ${cause.message}`, { cause })
    const { code, message } = cause as NodeJS.ErrnoException
    if (code === 'ENOSPC' || code === 'EACCES') throw cause
    throw new BackupError(`${file} is damaged: ${message}`, { cause })
  }
}

async function extractTo(folder: string, entries: ReturnType<typeof extract>): Promise<Manifest> {
  let manifest: Manifest | undefined
  const expected = new Map<string, Manifest['files'][number]>()
  for await (const entry of entries) {
    const { name, type, size = 0 } = entry.header
    if (!manifest) {
      if (name !== manifestName || size > manifestBytes) throw new BackupError('This is not a backup of Innkeeper.')
      manifest = parseManifest(await readText(entry))
      for (const file of manifest.files) expected.set(file.path, file)
      continue
    }
    const file = expected.get(name)
    if (!file || type !== 'file' || size !== file.bytes) throw new BackupError(`It is damaged at '${name}'.`)
    expected.delete(name)
    const path = join(folder, name)
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    await using target = await open(path, 'wx', 0o600)
    await target.writeFile(entry as AsyncIterable<Uint8Array>)
    if ((await getDigest(path)).sha256 !== file.sha256) throw new BackupError(`It is damaged at '${name}'.`)
  }
  if (!manifest) throw new BackupError('This is not a backup of Innkeeper.')
  const [missing] = expected.keys()
  if (missing !== undefined) throw new BackupError(`It is damaged: '${missing}' is missing.`)
  return manifest
}

function parseManifest(text: string): Manifest {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch (cause) {
    throw new BackupError('This is not a backup of Innkeeper.', { cause })
  }
  const known = z.object({ format: z.literal(format), version: z.number() }).safeParse(parsed)
  if (!known.success) throw new BackupError('This is not a backup of Innkeeper.')
  if (known.data.version > currentVersion)
    throw new BackupError('This backup was made by a newer version of Innkeeper. Restore it with that one.')
  const manifest = Manifest.safeParse(parsed)
  if (!manifest.success) throw new BackupError('The list of its files is damaged.')
  return manifest.data
}

async function readText(entry: AsyncIterable<unknown>): Promise<string> {
  const parts: Uint8Array[] = []
  for await (const part of entry) if (part instanceof Uint8Array) parts.push(part)
  return Buffer.concat(parts).toString('utf8')
}

async function readStart(file: string): Promise<Buffer> {
  await using opened = await open(file, 'r')
  const { buffer, bytesRead } = await opened.read(Buffer.alloc(64), 0, 64, 0)
  return buffer.subarray(0, bytesRead)
}

async function getDigest(path: string): Promise<{ readonly bytes: number; readonly sha256: string }> {
  const hash = createHash('sha256')
  let bytes = 0
  for await (const part of createReadStream(path) as AsyncIterable<Buffer>) {
    hash.update(part)
    bytes += part.length
  }
  return { bytes, sha256: hash.digest('hex') }
}
