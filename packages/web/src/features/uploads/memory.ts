import { limits } from '@innkeeper/contract/limits'
import { z } from 'zod'
import { browserStorage } from '../../api/storage.ts'

/** What this browser knows of an upload that is not finished, so that the same file can go on where it stopped. */
const Remembered = z.object({
  server: z.string(),
  /** The id of the upload. */
  upload: z.string(),
  path: z.string(),
  size: z.number(),
  lastModified: z.number(),
  existing: z.enum(['refuse', 'replace']),
  /** When it last moved, epoch milliseconds. */
  movedAt: z.number(),
})
export type Remembered = z.infer<typeof Remembered>

const storageKey = 'innkeeper.uploads'

/** The uploads that this browser began and has not finished. What the node has forgotten is forgotten here too. */
export function rememberedUploads(now = Date.now()): readonly Remembered[] {
  try {
    const stored = z.array(Remembered).safeParse(JSON.parse(browserStorage.get(storageKey) ?? '[]'))
    return stored.success ? stored.data.filter(({ movedAt }) => now - movedAt < limits.uploadKeptMs) : []
  } catch {
    // Somebody else wrote there: nothing is known.
    return []
  }
}

export function remember(upload: Remembered): void {
  const others = rememberedUploads().filter((other) => other.upload !== upload.upload)
  write([...others, upload].slice(-limits.uploadsPerServer))
}

export function forget(upload: string): void {
  write(rememberedUploads().filter((other) => other.upload !== upload))
}

/** Says that nobody is at an upload any more, so that it is offered for going on. */
export function rest(upload: string): void {
  const resting = Date.now() - limits.uploadActiveMs
  write(rememberedUploads().map((one) => (one.upload === upload ? { ...one, movedAt: resting } : one)))
}

interface Place {
  readonly server: string
  readonly path: string
  readonly file: File
  readonly existing: Remembered['existing']
}

/** The upload that this file began at this place, on the same terms. */
export function rememberedFor({ server, path, file, existing }: Place): Remembered | undefined {
  return rememberedUploads().find(
    (one) => one.server === server && one.path === path && one.existing === existing && isOf(one, file),
  )
}

/** Whether this is the file that the upload began with, as far as anybody can tell without reading it. */
export function isOf({ size, lastModified }: Remembered, file: File): boolean {
  return file.size === size && file.lastModified === lastModified
}

/** Whether another tab is at it. */
export function isMoving({ movedAt }: Remembered, now = Date.now()): boolean {
  return now - movedAt < limits.uploadActiveMs
}

function write(uploads: readonly Remembered[]): void {
  // Where it cannot be written an upload goes on all the same; it only cannot be resumed after a reload.
  browserStorage.set(storageKey, JSON.stringify(uploads))
}
