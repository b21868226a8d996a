import { tabStorage } from '../api/storage.ts'

/** Edits that were not saved, and the values they started from. */
export interface StoredDraft {
  readonly saved: Readonly<Record<string, unknown>>
  readonly edits: Readonly<Record<string, unknown>>
}

/** The storage key of a form's draft. It holds the user's id, so that no other user gets the draft. */
export const draftKey = (userId: number, form: string): string => `innkeeper.form.${userId}.${form}`

/** Stores a draft until this tab is closed. */
export function storeDraft(key: string, draft: StoredDraft): void {
  tabStorage.replace(key, JSON.stringify(draft))
}

export function readDraft(key: string): StoredDraft | undefined {
  try {
    const draft: unknown = JSON.parse(tabStorage.get(key) ?? 'null')
    return isStoredDraft(draft) ? draft : undefined
  } catch {
    // Written by another version of the app.
    return undefined
  }
}

export function dropDraft(key: string): void {
  tabStorage.remove(key)
}

function isStoredDraft(value: unknown): value is StoredDraft {
  return isRecord(value) && isRecord(value.saved) && isRecord(value.edits)
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
