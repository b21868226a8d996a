import { OnExisting } from '@innkeeper/contract/files'
import { Refusal } from '@innkeeper/contract/refusals'
import { z } from 'zod'

/** What is known of an upload beside its bytes; how many of these are there is the size of their file. */
export const UploadInfo = z.object({
  /** Where the file is to appear. */
  path: z.string(),
  existing: OnExisting,
  /** Bytes in all. */
  size: z.number().int().min(0),
  /** ISO 8601. */
  createdAt: z.string(),
  /** Set once the file has appeared: whoever missed the answer to the last piece still learns that it arrived. */
  isDone: z.boolean().optional(),
})
export type UploadInfo = z.infer<typeof UploadInfo>

/** `Upload-Metadata`: names, each with a value in base64 or without one, divided by commas. */
export function parseMetadata(header: string | undefined): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const pair of (header ?? '').split(',')) {
    const [name, coded = '', ...more] = pair.trim().split(' ')
    if (!name) continue
    if (more.length > 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(coded)) invalid()
    const value = Buffer.from(coded, 'base64')
    const text = value.toString('utf8')
    // What is no text would become another name.
    if (found.has(name) || !Buffer.from(text).equals(value)) invalid()
    found.set(name, text)
  }
  return found
}

/** A count of bytes as a header has it. */
export function parseCount(field: string, header: string | undefined): number {
  if (header === undefined) throw new Refusal('ErrFieldRequired', { field })
  const count = /^\d{1,15}$/.test(header) ? Number(header) : Number.NaN
  if (!Number.isSafeInteger(count)) throw new Refusal('ErrFieldInvalid', { field })
  return count
}

function invalid(): never {
  throw new Refusal('ErrFieldInvalid', { field: 'Upload-Metadata' })
}
