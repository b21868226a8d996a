import { z } from 'zod/mini'

/**
 * State of a server. `waiting` is the backoff before a crashed server restarts. A running server is `starting` until it
 * prints a line that matches its ready pattern, if it has one. Existing clients know only `running` and `installing`.
 */
export const serverStates = ['offline', 'installing', 'starting', 'online', 'stopping', 'waiting'] as const
export type ServerState = (typeof serverStates)[number]

/**
 * Why a process exited: `stopped` and `killed` were requested, `ended` is a normal exit that was not, `unknown` was not
 * observed.
 */
export const exitReasons = ['stopped', 'killed', 'ended', 'crashed', 'outOfMemory', 'unknown'] as const

/** Why a server does not run any more, or had to be restarted. */
export const LastExit = z.object({
  /** ISO 8601. */
  at: z.string(),
  /** A reason of a newer node is `unknown`. */
  reason: z.catch(z.enum(exitReasons), 'unknown'),
  /** `null` when a signal ended it, or the exit was not observed. */
  code: z.nullable(z.number()),
  signal: z.nullable(z.string()),
  /** Number of crashes in a row, when that was too many and the server is not restarted automatically. */
  gaveUpAfter: z.optional(z.number()),
})
export type LastExit = z.infer<typeof LastExit>

/** How an install ended. An install that a user canceled is not a failure. */
export const LastInstall = z.object({
  /** ISO 8601. */
  at: z.string(),
  outcome: z.enum(['done', 'failed', 'cancelled']),
})
export type LastInstall = z.infer<typeof LastInstall>

/** The disk space that a server uses, and its limit. */
export const DiskSpace = z.object({ usedBytes: z.number(), limitBytes: z.number() })
export type DiskSpace = z.infer<typeof DiskSpace>

/** A question after a line of the output, see `prompts.ts`; nodes may know more types. */
export const ServerPrompt = z.object({
  type: z.string(),
  /** The variable that answers it. */
  variable: z.optional(z.string()),
  /** ISO 8601. */
  at: z.string(),
})
export type ServerPrompt = z.infer<typeof ServerPrompt>

/** Why a running server counts as not responding, see `liveness.ts`. */
export const NotResponding = z.object({
  /** When the first of the failures in a row was, ISO 8601. */
  since: z.string(),
  /** The type of the check that failed; nodes may know more types. */
  reason: z.string(),
})
export type NotResponding = z.infer<typeof NotResponding>

/** That a server sleeps because nobody plays, see `definitions/sleep.ts`. */
export const Sleeping = z.object({
  /** ISO 8601. */
  since: z.string(),
  /** Its processes are frozen; otherwise it was stopped, and the node listens in its place. */
  isFrozen: z.boolean(),
  /** What it used before on average, in percent of one core. */
  cpu: z.optional(z.number()),
  /** Memory that it used before in bytes, which is free only while it is not frozen. */
  memory: z.optional(z.number()),
})
export type Sleeping = z.infer<typeof Sleeping>

export const ServerStatus = z.object({
  running: z.boolean(),
  installing: z.boolean(),
  state: z.enum(serverStates),
  /** When the state began, ISO 8601. */
  since: z.string(),
  /** The status may be outdated: the container engine does not respond. */
  isInDoubt: z.optional(z.boolean()),
  /** A requested stop has taken longer than it may: the server can only be waited for or killed. */
  isStopOverdue: z.optional(z.boolean()),
  /** The process runs in a terminal (`tty`, or in a container) that viewers can open. Older nodes do not report it. */
  hasTerminal: z.optional(z.boolean()),
  /** Missing when the server never ran, or was started by a user since. */
  lastExit: z.optional(LastExit),
  /** Bytes in use and allowed, while the server has nearly no disk space left below its limit. */
  lowDiskSpace: z.optional(DiskSpace),
  /** When it restarts after the countdown that runs, ISO 8601. */
  restartAt: z.catch(z.optional(z.string()), undefined),
  /** Missing when the server was never installed, and while an install runs. */
  lastInstall: z.catch(z.optional(LastInstall), undefined),
  /** Missing when no question is open. It stays until the next start. */
  prompt: z.catch(z.optional(ServerPrompt), undefined),
  /** Missing while the server responds, and where its definition does not say what that means. */
  notResponding: z.catch(z.optional(NotResponding), undefined),
  /** Missing while it is awake. The state is `online` while it is frozen, else `offline`; `since` is that of the sleep. */
  sleeping: z.catch(z.optional(Sleeping), undefined),
})
export type ServerStatus = z.infer<typeof ServerStatus>

/** Whether a server is down because of a crash or lack of memory. */
export function hasCrashed({ state, lastExit }: Pick<ServerStatus, 'state' | 'lastExit'>): boolean {
  return state === 'offline' && lastExit !== undefined && isCrash(lastExit)
}

/** Whether a server that is online does not respond; one that stops may not respond any more. */
export function isNotResponding({ state, notResponding }: Pick<ServerStatus, 'state' | 'notResponding'>): boolean {
  return state === 'online' && notResponding !== undefined
}

export function isCrash({ reason }: LastExit): boolean {
  return reason === 'crashed' || reason === 'outOfMemory'
}

/**
 * CPU in percent of one core with two decimals, memory in bytes, of the whole process tree; disk and network in bytes
 * per second. Values that the environment cannot measure are absent: a server in the host network has no network
 * values.
 */
export const ServerStats = z.object({
  cpu: z.number(),
  memory: z.number(),
  diskRead: z.optional(z.number()),
  diskWrite: z.optional(z.number()),
  networkIn: z.optional(z.number()),
  networkOut: z.optional(z.number()),
})
export type ServerStats = z.infer<typeof ServerStats>
