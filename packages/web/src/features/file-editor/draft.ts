import { z } from 'zod/mini'
import { draftKey, readDraft, storeDraft } from '../../forms/draft-storage.ts'

/** Unsaved lines of a file, and the version of the file that they are based on. */
const FileDraft = z.object({
  saved: z.object({ version: z.optional(z.string()) }),
  edits: z.object({ lines: z.array(z.string()) }),
})

interface FileDraft {
  readonly lines: readonly string[]
  readonly version: string | undefined
}

/** The key of a draft in the browser; it belongs to one user. */
export function fileDraftKey(userId: number, server: string, path: string): string {
  return draftKey(userId, `server-${server}-file-${path}`)
}

/** Stores unsaved lines in this browser tab, until the same user opens the file again (after a lost session). */
export function storeFileDraft(key: string, { lines, version }: FileDraft): void {
  storeDraft(key, { saved: { version }, edits: { lines } })
}

export function readFileDraft(key: string): FileDraft | undefined {
  const { data } = FileDraft.safeParse(readDraft(key))
  return data && { lines: data.edits.lines, version: data.saved.version }
}
