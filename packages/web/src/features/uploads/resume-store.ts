import { limits } from '@innkeeper/contract/text/limits'
import { z } from 'zod/mini'
import { browserStorage } from '../../api/storage.ts'

/** An upload with progress within this time is active in another tab. */
export const activeWithinMs = 60_000

/** An unfinished upload, stored so that the same file can resume it after a reload. */
const ResumableUpload = z.object({
  server: z.string(),
  /** The id of the upload on the node. */
  upload: z.string(),
  path: z.string(),
  size: z.number(),
  lastModified: z.number(),
  existing: z.enum(['refuse', 'replace']),
  /** When it last made progress, epoch milliseconds. */
  movedAt: z.number(),
})
export type ResumableUpload = z.infer<typeof ResumableUpload>

const storageKey = 'innkeeper.uploads'

/** The unfinished uploads of this browser that the node has not deleted yet. */
export function listResumableUploads(now = Date.now()): readonly ResumableUpload[] {
  try {
    const stored = z.array(ResumableUpload).safeParse(JSON.parse(browserStorage.get(storageKey) ?? '[]'))
    return stored.success ? stored.data.filter(({ movedAt }) => now - movedAt < limits.uploadKeptMs) : []
  } catch {
    // Not JSON: other code on this origin wrote it.
    return []
  }
}

export function saveResumableUpload(upload: ResumableUpload): void {
  const others = listResumableUploads().filter((other) => other.upload !== upload.upload)
  write([...others, upload].slice(-limits.uploadsPerServer))
}

export function removeResumableUpload(upload: string): void {
  write(listResumableUploads().filter((other) => other.upload !== upload))
}

/** Marks an upload as no longer active in this tab, so that it is offered to be resumed. */
export function releaseUpload(upload: string): void {
  const inactiveSince = Date.now() - activeWithinMs
  write(listResumableUploads().map((entry) => (entry.upload === upload ? { ...entry, movedAt: inactiveSince } : entry)))
}

interface UploadTarget {
  readonly server: string
  readonly path: string
  readonly file: File
  readonly existing: ResumableUpload['existing']
}

/** The upload of this file to the same path, with the same handling of an existing file. */
export function findResumableUpload({ server, path, file, existing }: UploadTarget): ResumableUpload | undefined {
  return listResumableUploads().find(
    (entry) =>
      entry.server === server && entry.path === path && entry.existing === existing && matchesFile(entry, file),
  )
}

/** Whether this is probably the file of the upload. Its content is not compared. */
export function matchesFile({ size, lastModified }: ResumableUpload, file: File): boolean {
  return file.size === size && file.lastModified === lastModified
}

/** Whether another tab is uploading it. */
export function isActive({ movedAt }: ResumableUpload, now = Date.now()): boolean {
  return now - movedAt < activeWithinMs
}

function write(uploads: readonly ResumableUpload[]): void {
  // Without storage uploads work, but cannot be resumed after a reload.
  browserStorage.set(storageKey, JSON.stringify(uploads))
}
