import { z } from 'zod'

/** Unsaved lines of a file, and the version of it that they began with. */
const Draft = z.object({ lines: z.array(z.string()), version: z.string().optional() })
export type Draft = z.infer<typeof Draft>

const keyOf = (server: string, path: string): string => `innkeeper.draft.${server}/${path}`

/**
 * Keeps unsaved lines when the editor is taken away, as when a session ends; as long as this tab lives. The next time
 * the file is opened they are there again.
 */
export function keepDraft(server: string, path: string, draft: Draft): void {
  try {
    sessionStorage.setItem(keyOf(server, path), JSON.stringify(draft))
  } catch {
    // There is no room for so much: it is lost, as it would have been without this.
  }
}

/** The lines that were kept, if there are any; they are kept no longer. */
export function takeDraft(server: string, path: string): Draft | undefined {
  const text = sessionStorage.getItem(keyOf(server, path))
  sessionStorage.removeItem(keyOf(server, path))
  if (text === null) return undefined
  try {
    return Draft.safeParse(JSON.parse(text)).data
  } catch {
    // Somebody else wrote there.
    return undefined
  }
}
