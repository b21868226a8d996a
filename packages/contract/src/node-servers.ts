import { z } from 'zod'
import { ifMatch, nodeCall } from './call.ts'
import { Definition, ServerDefinition, VariableGroup } from './definition.ts'
import { limits } from './limits.ts'
import { ServerId } from './names.ts'
import { PortInUse } from './node-ports.ts'
import { QueryFlag } from './query-flag.ts'
import { ServerUsage } from './servers.ts'
import { ServerStats, ServerStatus } from './status.ts'
import { Variables, VariableValues } from './variables.ts'

/** The calls on one server that its node serves; asked of the panel under `/proxy`. */

const OnServer = z.object({ id: ServerId })

/** With `wait`, the answer comes when the action has ended. */
export const Wait = z.object({ wait: QueryFlag })

/** The full definition; its version is in the `ETag` header. */
export const getDefinition = nodeCall({
  method: 'GET',
  path: '/daemon/server/:id',
  access: { onServer: 'admin' },
  params: OnServer,
  answer: ServerDefinition,
})

/**
 * Replaces all but the id. With `If-Match` an outdated version is refused with ErrStaleVersion, a ready pattern that is none
 * with ErrFieldInvalid.
 */
export const putDefinition = nodeCall({
  method: 'POST',
  path: '/daemon/server/:id',
  access: { onServer: 'admin' },
  params: OnServer,
  body: ServerDefinition,
  headers: ifMatch,
})

/** The variables of a server, and the groups in which they stand. */
export const ServerData = z.object({
  data: Variables,
  /** In their order, with the names of variables that are in `data`; older nodes send none. */
  groups: z.array(VariableGroup).optional(),
})
export type ServerData = z.infer<typeof ServerData>

/**
 * The variables; people who are no administrators get those they may edit. The version of the whole definition is in the
 * `ETag` header; older nodes send none.
 */
export const getData = nodeCall({
  method: 'GET',
  path: '/daemon/server/:id/data',
  access: { onServer: 'editServerData' },
  params: OnServer,
  answer: ServerData,
})

/** Takes over each `value`. Unknown names are added for administrators only. With `If-Match` ErrStaleVersion. */
export const putData = nodeCall({
  method: 'POST',
  path: '/daemon/server/:id/data',
  access: { onServer: 'editServerData' },
  params: OnServer,
  body: z.object({ data: VariableValues }),
  headers: ifMatch,
})

export const getStatus = nodeCall({
  method: 'GET',
  path: '/daemon/server/:id/status',
  access: { onServer: 'viewServer' },
  params: OnServer,
  answer: ServerStatus,
})

export const getStats = nodeCall({
  method: 'GET',
  path: '/daemon/server/:id/stats',
  access: { onServer: 'viewServerStats' },
  params: OnServer,
  answer: ServerStats,
})

/**
 * What the console printed from the position `from` on, or after the second `time` (epoch seconds); else all that is held.
 * A client that asks with the `to` of the last answer misses and doubles nothing. One that asks with the last `epoch` gets
 * each later second whole: what is printed in the present one comes with a later answer.
 */
export const getConsole = nodeCall({
  method: 'GET',
  path: '/daemon/server/:id/console',
  access: { onServer: 'viewServerConsole' },
  params: OnServer,
  query: z.object({ time: z.string().max(40).optional(), from: z.coerce.number().int().min(0).optional() }),
  answer: z.object({
    /** When the last of it was printed, whole epoch seconds. */
    epoch: z.number().int(),
    logs: z.string(),
    /** Positions as those of the live socket (`live.ts`): of the first byte, and behind the last. */
    from: z.number().int(),
    to: z.number().int(),
  }),
})

/** The body is the command itself, as plain text. */
export const sendCommand = nodeCall({
  method: 'POST',
  path: '/daemon/server/:id/console',
  access: { onServer: 'sendServerConsole' },
  params: OnServer,
  body: z.string().max(limits.commandBytes),
})

const withWait = { 204: 'Done, with `wait`.' } as const
/** With `wait` all of them answer 504 ErrPowerTooSlow after `powerWaitMs`, while the action goes on. */

const power = { method: 'POST', params: OnServer, query: Wait } as const

/** 202 at once; with `wait` 204 when the process runs, be it ready or not, its refusal otherwise. */
export const startServer = nodeCall({
  ...power,
  path: '/daemon/server/:id/start',
  access: { onServer: 'startServer' },
  status: 202,
  also: withWait,
})

/** 204; with `wait` when the server has ended. */
export const stopServer = nodeCall({ ...power, path: '/daemon/server/:id/stop', access: { onServer: 'stopServer' } })

/** Stop, then start; a server that is not running is started. Like start, 202 or 204. */
export const restartServer = nodeCall({
  ...power,
  path: '/daemon/server/:id/restart',
  access: { onServer: 'startServer' },
  status: 202,
  also: withWait,
})

export const killServer = nodeCall({ ...power, path: '/daemon/server/:id/kill', access: { onServer: 'stopServer' } })

export const installServer = nodeCall({
  ...power,
  path: '/daemon/server/:id/install',
  access: { onServer: 'installServer' },
  status: 202,
  also: withWait,
})

/** Reads the definition from disk again. */
export const reloadServer = nodeCall({
  method: 'POST',
  path: '/daemon/server/:id/reload',
  access: { onServer: 'admin' },
  params: OnServer,
})

/** The live socket of a server: see `live.ts`. */
export const liveSocketPath = '/daemon/socket/:id'

/** Calls that only the panel makes: its ticket is for the node (`nodeTicket`), not for a person's right on a server. */
export const forPanel = {
  features: { method: 'GET', path: '/daemon/features' },
  /** Checks requirements and writes the definition; refused when the id is taken. */
  create: { method: 'PUT', path: '/daemon/server/:id', body: Definition },
  /** Kills what runs, runs the uninstall steps, removes files and definition. */
  remove: { method: 'DELETE', path: '/daemon/server/:id' },
  /** `?ids=a,b`: status and stats of many servers; ids it does not have are left out. */
  usage: { method: 'GET', path: '/daemon/usage', answer: z.array(ServerUsage) },
  /** What listens on the machine now. */
  portsInUse: { method: 'GET', path: '/daemon/ports', answer: z.array(PortInUse) },
  /** Which of these entries of `requirements.binaries` no program of the machine meets. */
  missingPrograms: {
    method: 'POST',
    path: '/daemon/programs',
    body: z.strictObject({ programs: z.array(z.string().max(500)).max(limits.programsChecked) }),
    answer: z.object({ missing: z.array(z.string()) }),
  },
} as const
