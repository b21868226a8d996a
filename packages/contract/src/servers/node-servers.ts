import { z } from 'zod/mini'
import { nodeEndpoint, QueryFlag } from '../api/endpoint.ts'
import { limits } from '../text/limits.ts'
import { ServerStats, ServerStatus } from './status.ts'

/** Endpoints for one server, handled by its node and proxied by the panel under `/proxy`. */

/** With `wait`, the response comes when the action has ended. */
export const WaitQuery = z.object({ wait: QueryFlag })

export const getStatus = nodeEndpoint('GET', '/daemon/server/:id/status', {
  access: { onServer: 'viewServer' },
  response: ServerStatus,
})

export const getStats = nodeEndpoint('GET', '/daemon/server/:id/stats', {
  access: { onServer: 'viewServerStats' },
  response: ServerStats,
})

/**
 * Console output from position `from`, or after the second `time` (epoch seconds); by default all that is buffered. A
 * client that sends the `to` of the last response gets every byte exactly once. One that sends the last `epoch` gets
 * every later second completely: output of the current second comes with a later response.
 */
export const getConsole = nodeEndpoint('GET', '/daemon/server/:id/console', {
  access: { onServer: 'viewServerConsole' },
  query: z.object({
    time: z.optional(z.string().check(z.maxLength(40))),
    from: z.optional(z.coerce.number().check(z.int(), z.minimum(0))),
  }),
  response: z.object({
    /** When the last line was printed, in whole epoch seconds. */
    epoch: z.int(),
    logs: z.string(),
    /** Positions as in the live socket (`live.ts`): of the first byte and of the byte after the last. */
    from: z.int(),
    to: z.int(),
  }),
})

/** The body is the command as plain text. */
export const sendCommand = nodeEndpoint('POST', '/daemon/server/:id/console', {
  access: { onServer: 'sendServerConsole' },
  audit: 'server.command',
  body: z.string().check(z.maxLength(limits.commandBytes)),
})

/** With `wait` all of them respond with 504 ErrPowerTooSlow after `powerWaitMs`, while the action continues. */
const withWait = { 204: 'Done, with `wait`.' } as const

/** 202 at once. With `wait`: 204 when the process runs, ready or not, else the error. */
export const startServer = nodeEndpoint('POST', '/daemon/server/:id/start', {
  query: WaitQuery,
  access: { onServer: 'startServer' },
  audit: 'server.start',
  status: 202,
  otherStatuses: withWait,
})

/** 204. With `wait`: when the server has stopped. */
export const stopServer = nodeEndpoint('POST', '/daemon/server/:id/stop', {
  query: WaitQuery,
  access: { onServer: 'stopServer' },
  audit: 'server.stop',
})

/** Stops and starts the server; starts it when it is not running. Responds like start with 202 or 204. */
export const restartServer = nodeEndpoint('POST', '/daemon/server/:id/restart', {
  query: WaitQuery,
  access: { onServer: 'startServer' },
  audit: 'server.restart',
  status: 202,
  otherStatuses: withWait,
})

export const killServer = nodeEndpoint('POST', '/daemon/server/:id/kill', {
  query: WaitQuery,
  access: { onServer: 'stopServer' },
  audit: 'server.kill',
})

export const installServer = nodeEndpoint('POST', '/daemon/server/:id/install', {
  query: WaitQuery,
  access: { onServer: 'installServer' },
  audit: 'server.install',
  status: 202,
  otherStatuses: withWait,
})

/** Reloads the definition from disk. */
export const reloadServer = nodeEndpoint('POST', '/daemon/server/:id/reload', {
  access: { onServer: 'admin' },
  audit: 'server.reload',
})

/** The live socket of a server: see `live.ts`. */
export const liveSocketPath = '/daemon/socket/:id'
