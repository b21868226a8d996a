import { type ServerPermission, serverPermissionNames } from '@innkeeper/contract/permissions'
import { z } from 'zod/mini'
import type { StoredDraft } from '../../forms/draft-storage.ts'
import type { FlagEdits, FlagSet } from './permissions.ts'

export type EditsByEmail = Readonly<Record<string, FlagEdits>>

const Flag = z.enum(serverPermissionNames)
const StoredEdits = z.object({
  edits: z.record(z.string(), z.partialRecord(Flag, z.boolean())),
  newUser: z.optional(z.object({ email: z.string(), flags: z.array(Flag) })),
})

interface NewUser {
  readonly email: string
  readonly flags: FlagSet
}

/** Unsaved edits as `useStoredDraft` stores them. */
export function toStoredDraft(edits: EditsByEmail, newUser: NewUser | undefined): StoredDraft {
  if (Object.keys(edits).length === 0 && !newUser) return { saved: {}, edits: {} }
  const stored = newUser && { email: newUser.email, flags: [...newUser.flags] }
  return { saved: {}, edits: { edits, ...(stored && { newUser: stored }) } }
}

/** Reverses `toStoredDraft`; returns `undefined` when another version of the app stored something else. */
export function parseStoredDraft(draft: StoredDraft | undefined) {
  const { data } = StoredEdits.safeParse(draft?.edits)
  return (
    data && {
      edits: data.edits,
      newUser: data.newUser && { email: data.newUser.email, flags: new Set<ServerPermission>(data.newUser.flags) },
    }
  )
}
