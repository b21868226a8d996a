import { z } from 'zod/mini'
import { etag, ifMatch, nodeEndpoint } from '../api/endpoint.ts'
import { ServerDefinition, VariableGroup } from './definition.ts'
import { Variables, VariableValues } from './variables.ts'

/** Definition and variables of a server, stored by its node and proxied by the panel under `/proxy`. */

/** The full definition; its version is in the `ETag` header. */
export const getDefinition = nodeEndpoint('GET', '/daemon/server/:id', {
  access: { onServer: 'admin' },
  response: ServerDefinition,
  responseHeaders: etag,
})

/**
 * Replaces everything except the ID. With `If-Match` an outdated version fails with ErrStaleVersion. An invalid ready
 * pattern fails with ErrFieldInvalid.
 */
export const putDefinition = nodeEndpoint('POST', '/daemon/server/:id', {
  access: { onServer: 'admin' },
  audit: 'server.definition',
  body: ServerDefinition,
  headers: ifMatch,
  responseHeaders: etag,
})

/** The variables of a server and their groups. */
export const ServerData = z.object({
  data: Variables,
  /** Sorted, with the names of variables in `data`; older nodes send none. */
  groups: z.optional(z.array(VariableGroup)),
})
export type ServerData = z.infer<typeof ServerData>

/**
 * The variables of a server. Users who are not administrators get only the ones they may see. The version of the whole
 * definition is in the `ETag` header; older nodes send none.
 */
export const getData = nodeEndpoint('GET', '/daemon/server/:id/data', {
  access: { onServer: 'editServerData' },
  response: ServerData,
  responseHeaders: etag,
})

/** Sets each `value`. Only administrators may add variables. With `If-Match` ErrStaleVersion. */
export const putData = nodeEndpoint('POST', '/daemon/server/:id/data', {
  access: { onServer: 'editServerData' },
  audit: 'server.data',
  body: z.object({ data: VariableValues }),
  headers: ifMatch,
  responseHeaders: etag,
})
