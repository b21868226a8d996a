import { z } from 'zod/mini'
import { ServerId } from '../text/server-id.ts'

/** What a user changed over SFTP. `attributes` are modes and times. */
export const fileChangeTypes = ['write', 'delete', 'move', 'attributes'] as const
export type FileChangeType = (typeof fileChangeTypes)[number]

export const fileChangePathMax = 255

/** A change over SFTP, or a number of changes within a minute. The node sends it until the panel has recorded it. */
export const FileChange = z.object({
  /** Unique: a change that arrives again is ignored. */
  id: z.string().check(z.minLength(1), z.maxLength(50)),
  type: z.enum(fileChangeTypes),
  server: ServerId,
  userId: z.int(),
  /** IP address of the client. */
  address: z.string().check(z.maxLength(100)),
  /** For a move both paths; absent for changes of several files. */
  path: z.optional(z.string().check(z.maxLength(fileChangePathMax))),
  count: z.int().check(z.minimum(1)),
  /** Epoch milliseconds, by the node's clock. */
  atMs: z.int().check(z.minimum(0)),
})
export type FileChange = z.infer<typeof FileChange>
