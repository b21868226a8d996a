import { z } from 'zod/mini'
import { endpoint } from '../api/endpoint.ts'
import { Definition } from '../definitions/definition.ts'
import { limits } from '../text/limits.ts'
import { ServerName, TemplateName } from '../text/names.ts'
import { ServerId } from '../text/server-id.ts'

/** A definition with the node to run on and the users with access. The default name is the ID. */
export const NewServer = z.looseObject({
  ...Definition.shape,
  name: z.optional(ServerName),
  node: z._default(z.coerce.number().check(z.int(), z.minimum(0)), 0),
  /** The ID of a reservation, which has the node: `node` is ignored. Its ports and limits replace those of the definition. */
  placement: z.optional(z.string().check(z.maxLength(50))),
  /** ID of the template that it is created from. Without it, the panel compares the definition with its templates. */
  template: z.optional(TemplateName),
  /** Whether it is installed and started as soon as it exists. A failure of that is on its console. */
  installAndStart: z.optional(z.boolean()),
  /** User names that get all permissions on the server. */
  users: z.nullish(
    z.array(z.string().check(z.maxLength(limits.usernameMax))).check(z.maxLength(limits.newServerUsers)),
  ),
})
export type NewServer = z.output<typeof NewServer>

export const createServer = endpoint('POST', '/api/servers', {
  access: { scope: 'servers.create' },
  audit: 'server.create',
  body: NewServer,
  response: z.object({ id: ServerId }),
  // A given user may not exist, and the node may be offline.
  errorStatuses: [404, 502],
})
