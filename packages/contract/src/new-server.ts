import { z } from 'zod'
import { Definition } from './definition.ts'
import { endpoint } from './endpoint.ts'
import { limits } from './limits.ts'
import { ServerId, ServerName, TemplateName } from './names.ts'

/** A definition with the node to run on and the users with access. The default name is the ID. */
export const NewServer = z.looseObject({
  ...Definition.shape,
  name: ServerName.optional(),
  node: z.coerce.number().int().min(0).default(0),
  /** ID of the template that it is created from. Without it, the panel compares the definition with its templates. */
  template: TemplateName.optional(),
  /** User names that get all permissions on the server. */
  users: z.array(z.string().max(limits.usernameMax)).max(limits.newServerUsers).nullish(),
})
export type NewServer = z.output<typeof NewServer>

export const createServer = endpoint({
  method: 'POST',
  path: '/api/servers',
  access: { scope: 'servers.create' },
  audit: 'server.create',
  body: NewServer,
  response: z.object({ id: ServerId }),
  // A given user may not exist, and the node may be offline.
  errorStatuses: [404, 502],
})
