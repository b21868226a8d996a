import { z } from 'zod'

/**
 * Where a server is in its life. `waiting` is the pause before a crashed server is started again.
 * On the wire of published clients only `running` and `installing` exist.
 */
export const serverStates = ['offline', 'installing', 'starting', 'online', 'stopping', 'waiting'] as const
export type ServerState = (typeof serverStates)[number]

export const ServerStatus = z.object({
  running: z.boolean(),
  installing: z.boolean(),
  state: z.enum(serverStates),
  /** When the state began, ISO 8601. */
  since: z.string(),
})
export type ServerStatus = z.infer<typeof ServerStatus>

/** CPU in percent of one core with two decimals, memory in bytes, of the whole process tree. */
export const ServerStats = z.object({ cpu: z.number(), memory: z.number() })
export type ServerStats = z.infer<typeof ServerStats>
