import { z } from 'zod'
import { tabStorage } from '../../api/storage.ts'

/** Unsaved lines of a file, and the version of it that they began with. */
const Draft = z.object({ lines: z.array(z.string()), version: z.string().optional() })
export type Draft = z.infer<typeof Draft>

/** The file that a draft is of, and the person who typed it: nobody else is shown it. */
export interface DraftOf {
  readonly userId: number
  readonly server: string
  readonly path: string
}

const keyOf = ({ userId, server, path }: DraftOf): string => `innkeeper.draft.${userId}.${server}/${path}`

/**
 * Keeps unsaved lines when the editor is taken away, as when a session ends; as long as this tab lives. The next time
 * the same person opens the file they are there again.
 */
export function keepDraft(of: DraftOf, draft: Draft): void {
  tabStorage.replace(keyOf(of), JSON.stringify(draft))
}

/** The lines that were kept, if there are any. */
export function readDraft(of: DraftOf): Draft | undefined {
  const text = tabStorage.get(keyOf(of))
  if (text === null) return undefined
  try {
    return Draft.safeParse(JSON.parse(text)).data
  } catch {
    // Somebody else wrote there.
    return undefined
  }
}

export function dropDraft(of: DraftOf): void {
  tabStorage.remove(keyOf(of))
}
