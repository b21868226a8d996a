import { z } from 'zod/mini'
import { nodeEndpoint } from '../api/endpoint.ts'
import { limits } from '../text/limits.ts'

/**
 * Earlier output of a server, including output before restarts of the server or its node. Positions are those of the
 * live socket: see `live.ts`. The last `consoleLogFiles` files of `consoleLogFileBytes` are kept.
 */

const Position = z.coerce.number().check(z.int(), z.minimum(0))

/** The output directly before a position, oldest first (cursor pagination). Default: the end. */
export const getConsoleHistory = nodeEndpoint('GET', '/daemon/server/:id/console/history', {
  access: { onServer: 'viewServerConsole' },
  query: z.object({ before: z.optional(Position) }),
  response: z.object({
    /** Positions of the first byte of `logs` and of the byte after the last. */
    from: z.number(),
    to: z.number(),
    /** Whether there is no older output. */
    isOldest: z.boolean(),
    /** Raw text with ANSI sequences, split at any byte; `epoch` in whole seconds. */
    logs: z.array(z.object({ from: z.number(), epoch: z.int(), text: z.string() })),
  }),
})

/** Lines that contain a text, case-insensitive, newest first. */
export const searchConsole = nodeEndpoint('GET', '/daemon/server/:id/console/search', {
  access: { onServer: 'viewServerConsole' },
  query: z.object({
    text: z.string().check(z.minLength(1), z.maxLength(limits.consoleSearchTextMax)),
    before: z.optional(Position),
  }),
  response: z.object({
    /** `line` is plain text without colors. */
    found: z.array(z.object({ position: z.number(), epoch: z.int(), line: z.string() })),
    /** The `before` of the next page; absent when the whole log was searched. */
    next: z.optional(z.number()),
  }),
})

/** The whole log as a file of plain text without colors, oldest first. */
export const downloadConsole = nodeEndpoint('GET', '/daemon/server/:id/console/download', {
  access: { onServer: 'viewServerConsole' },
  response: z.unknown(),
  stream: 'response',
})
