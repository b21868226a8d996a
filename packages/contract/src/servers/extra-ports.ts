import { z } from 'zod/mini'
import { endpoint } from '../api/endpoint.ts'
import { OnServer } from '../api/params.ts'
import { limits } from '../text/limits.ts'
import { VariableName } from '../text/names.ts'

/** What its users use it for: one line. */
const PortNote = z.string().check(z.trim(), z.maxLength(limits.extraPortNoteMax), z.regex(/^[^\p{Cc}]*$/u))

/** A port of a server beyond those of its template, which its users have taken. */
export const ExtraPort = z.object({
  /** The variable that has its number: `extra_port_1`. */
  name: z.string(),
  port: z.number(),
  /** Host and port for players and programs: `play.example.org:25570`. */
  address: z.string(),
  note: z.string(),
  /** The variable of the template that has its number, too. */
  variable: z.optional(z.string()),
})
export type ExtraPort = z.infer<typeof ExtraPort>

export const ExtraPorts = z.object({
  /** How many the server may have. It keeps those beyond a limit that was lowered. */
  limit: z.number(),
  ports: z.array(ExtraPort),
  /** The variables of the template that can have the number of one. */
  variables: z.array(z.object({ name: z.string(), display: z.optional(z.string()) })),
})
export type ExtraPorts = z.infer<typeof ExtraPorts>

/** The extra ports of a server, by their variables. */
export const listExtraPorts = endpoint('GET', '/api/servers/:id/ports', {
  access: { onServer: 'editServerData' },
  params: OnServer,
  response: ExtraPorts,
  errorStatuses: [502],
})

const Variable = z.optional(z.nullable(VariableName))

/**
 * Takes a free port of the ranges of the node. The server has it as a variable, from its next start on. With `variable`
 * its number is also the value of that variable.
 */
export const takeExtraPort = endpoint('POST', '/api/servers/:id/ports', {
  access: { onServer: 'editServerData' },
  audit: 'server.port.take',
  params: OnServer,
  body: z.strictObject({ note: z._default(PortNote, ''), variable: Variable }),
  response: ExtraPort,
  errorStatuses: [502],
})

const OnPort = z.extend(OnServer, { name: z.string().check(z.maxLength(100)) })

/** Changes the note, or the variable of the template that has its number; `null` for none. */
export const editExtraPort = endpoint('PUT', '/api/servers/:id/ports/:name', {
  access: { onServer: 'editServerData' },
  audit: 'server.port.edit',
  params: OnPort,
  body: z.strictObject({ note: z.optional(PortNote), variable: Variable }),
  response: ExtraPort,
  errorStatuses: [502],
})

/** Gives the port back. A variable that has its number gets the one that it had before, or another free one. */
export const releaseExtraPort = endpoint('DELETE', '/api/servers/:id/ports/:name', {
  access: { onServer: 'editServerData' },
  audit: 'server.port.release',
  params: OnPort,
  errorStatuses: [502],
})

/** How many extra ports the server may have. */
export const putExtraPortLimit = endpoint('PUT', '/api/servers/:id/port-limit', {
  access: { scope: 'servers.edit.admin' },
  audit: 'server.port.limit',
  params: OnServer,
  body: z.strictObject({ limit: z.int().check(z.minimum(0), z.maximum(limits.extraPorts)) }),
})
