import { z } from 'zod/mini'
import { tabStorage } from '../../api/storage.ts'

/** Unsaved lines of a file, and the version of the file that they are based on. */
const Draft = z.object({ lines: z.array(z.string()), version: z.optional(z.string()) })
export type Draft = z.infer<typeof Draft>

/** The file of a draft and its author; no other user gets it. */
export interface DraftKey {
  readonly userId: number
  readonly server: string
  readonly path: string
}

const getStorageKey = ({ userId, server, path }: DraftKey): string => `innkeeper.draft.${userId}.${server}/${path}`

/** Stores unsaved lines in this browser tab, until the same user opens the file again (after a lost session). */
export function saveDraft(key: DraftKey, draft: Draft): void {
  tabStorage.replace(getStorageKey(key), JSON.stringify(draft))
}

export function readDraft(key: DraftKey): Draft | undefined {
  const text = tabStorage.get(getStorageKey(key))
  if (text === null) return undefined
  try {
    return Draft.safeParse(JSON.parse(text)).data
  } catch {
    // Not JSON: other code on this origin wrote it.
    return undefined
  }
}

export function removeDraft(key: DraftKey): void {
  tabStorage.remove(getStorageKey(key))
}
