import { Refusal } from '@innkeeper/contract/errors/refusals'
import { ConflictPolicy } from '@innkeeper/contract/servers/files'
import { z } from 'zod'

/** The metadata of an upload; the number of received bytes is the size of its file. */
export const UploadInfo = z.object({
  /** The target path. */
  path: z.string(),
  existing: ConflictPolicy,
  /** Total bytes. */
  size: z.number().int().min(0),
  /** ISO 8601. */
  createdAt: z.string(),
  /** Username of who uploads it. */
  author: z.string().optional(),
  /** Set once the file was placed: a client that missed the last response still learns that it arrived. */
  isDone: z.boolean().optional(),
})
export type UploadInfo = z.infer<typeof UploadInfo>

/** `Upload-Metadata`: comma-separated names, each with an optional base64 value. */
export function parseMetadata(header: string | undefined): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const pair of (header ?? '').split(',')) {
    const [name, coded = '', ...more] = pair.trim().split(' ')
    if (!name) continue
    if (more.length > 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(coded)) invalid()
    const value = Buffer.from(coded, 'base64')
    const text = value.toString('utf8')
    // Invalid UTF-8 would change the name.
    if (found.has(name) || !Buffer.from(text).equals(value)) invalid()
    found.set(name, text)
  }
  return found
}

/** Parses a byte count in a header. */
export function parseCount(field: string, header: string | undefined): number {
  if (header === undefined) throw new Refusal('ErrFieldRequired', { field })
  const count = /^\d{1,15}$/.test(header) ? Number(header) : Number.NaN
  if (!Number.isSafeInteger(count)) throw new Refusal('ErrFieldInvalid', { field })
  return count
}

function invalid(): never {
  throw new Refusal('ErrFieldInvalid', { field: 'Upload-Metadata' })
}
