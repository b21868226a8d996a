import { z } from 'zod'
import { nodeCall } from './call.ts'
import { limits } from './limits.ts'
import { ServerId } from './names.ts'

/**
 * What a server printed long ago, also before restarts of the server and its node. Positions are those of the live
 * socket: see `live.ts`. Kept are the last `consoleLogFiles` files of `consoleLogFileBytes`.
 */

const OnServer = z.object({ id: ServerId })
const Position = z.coerce.number().int().min(0)

/** The output right before a position (of the end when none is given), the oldest first. */
export const getConsoleHistory = nodeCall({
  method: 'GET',
  path: '/daemon/server/:id/console/history',
  access: { onServer: 'viewServerConsole' },
  params: OnServer,
  query: z.object({ before: Position.optional() }),
  answer: z.object({
    /** What `logs` holds: from the first byte to behind the last. */
    from: z.number(),
    to: z.number(),
    /** Whether nothing older is kept. */
    isOldest: z.boolean(),
    /** Raw text with ANSI, split anywhere; `epoch` in whole seconds. */
    logs: z.array(z.object({ from: z.number(), epoch: z.number().int(), text: z.string() })),
  }),
})

/** Lines that hold a text, whatever the case of its letters; the newest first. */
export const searchConsole = nodeCall({
  method: 'GET',
  path: '/daemon/server/:id/console/search',
  access: { onServer: 'viewServerConsole' },
  params: OnServer,
  query: z.object({ text: z.string().min(1).max(limits.consoleSearchText), before: Position.optional() }),
  answer: z.object({
    /** `line` is plain text without colours. */
    found: z.array(z.object({ position: z.number(), epoch: z.number().int(), line: z.string() })),
    /** Where to go on from (`before`) for older ones; absent when all was looked through. */
    next: z.number().optional(),
  }),
})

/** All of it, the oldest first, as plain text without colours: a file to keep. */
export const downloadConsole = nodeCall({
  method: 'GET',
  path: '/daemon/server/:id/console/download',
  access: { onServer: 'viewServerConsole' },
  params: OnServer,
  answer: z.unknown(),
  bytes: 'answered',
})
