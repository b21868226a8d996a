import { z } from 'zod'

/**
 * Where a server is in its life. `waiting` is the pause before a crashed server is started again. One that runs is
 * `starting` until it printed the line that its ready pattern asks for, if it has one.
 * On the wire of published clients only `running` and `installing` exist.
 */
export const serverStates = ['offline', 'installing', 'starting', 'online', 'stopping', 'waiting'] as const
export type ServerState = (typeof serverStates)[number]

/**
 * How a process came to its end: `stopped` and `killed` were asked for, `ended` is a normal end that was not, and of
 * `unknown` nobody saw how.
 */
export const endings = ['stopped', 'killed', 'ended', 'crashed', 'outOfMemory', 'unknown'] as const
export type Ending = (typeof endings)[number]

/** Why a server does not run any more, or had to be started again. */
export const LastExit = z.object({
  /** ISO 8601. */
  at: z.string(),
  reason: z.enum(endings),
  /** `null` when a signal ended it, or nobody saw it. */
  code: z.number().nullable(),
  signal: z.string().nullable(),
  /** How often it crashed in a row, once that was too often and it is not started again by itself. */
  gaveUpAfter: z.number().optional(),
})
export type LastExit = z.infer<typeof LastExit>

export const ServerStatus = z.object({
  running: z.boolean(),
  installing: z.boolean(),
  state: z.enum(serverStates),
  /** When the state began, ISO 8601. */
  since: z.string(),
  /** Nobody can tell whether this is still so: the engine of its container does not answer. */
  isInDoubt: z.boolean().optional(),
  /** It runs on a terminal (`tty`, or in a container), whose screen viewers can open. Older nodes do not say. */
  hasTerminal: z.boolean().optional(),
  /** Missing when it never ran, or since somebody started it. */
  lastExit: LastExit.optional(),
})
export type ServerStatus = z.infer<typeof ServerStatus>

/** Whether a server is down because it crashed or ran out of memory. */
export function hasCrashed({ state, lastExit }: Pick<ServerStatus, 'state' | 'lastExit'>): boolean {
  return state === 'offline' && (lastExit?.reason === 'crashed' || lastExit?.reason === 'outOfMemory')
}

/**
 * CPU in percent of one core with two decimals, memory in bytes, of the whole process tree; disk and network in bytes a
 * second. What the environment cannot tell is not there: a server that shares the network of its node has none of its own.
 */
export const ServerStats = z.object({
  cpu: z.number(),
  memory: z.number(),
  diskRead: z.number().optional(),
  diskWrite: z.number().optional(),
  networkIn: z.number().optional(),
  networkOut: z.number().optional(),
})
export type ServerStats = z.infer<typeof ServerStats>
