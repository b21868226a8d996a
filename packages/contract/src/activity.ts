import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { ServerId } from './names.ts'
import { PageQuery, Paging } from './paging.ts'

/** Result of an action: successful, refused with an error code, or failed with an internal error. */
export const activityResults = ['done', 'refused', 'failed'] as const
export type ActivityResult = (typeof activityResults)[number]

/** An audit log entry. */
export const ActivityEntry = z.object({
  id: z.string(),
  /** ISO 8601. */
  at: z.string(),
  /** The user, with the name at that time. Absent for anonymous requests. */
  user: z.object({ id: z.number(), username: z.string() }).optional(),
  /** The OAuth2 client that acted on behalf of the user. */
  client: z.string().optional(),
  /** A stable name: `server.start`, `user.delete`; see `auditActions`. */
  action: z.string(),
  /** ID of the affected server. */
  server: z.string().optional(),
  /** Any other affected object: name and ID of a user, name of a template, an address. */
  target: z.string().optional(),
  /** IP address of the request. */
  from: z.string(),
  result: z.enum(activityResults),
  /** The code of the refusal. */
  code: z.string().optional(),
  /**
   * Number of actions that this entry sums up because there were too many in a minute to list each. Absent for a single
   * action.
   */
  count: z.number().optional(),
})
export type ActivityEntry = z.infer<typeof ActivityEntry>

/** A date or time in a query, ISO 8601. A date means midnight UTC. */
const DateTimeText = z
  .string()
  .max(40)
  .refine((text) => /^\d{4}-\d\d-\d\d/.test(text) && !Number.isNaN(Date.parse(text)), {
    params: { code: 'ErrFieldInvalid' },
  })

const Filter = PageQuery.extend({
  /** User name or user ID. */
  user: z.string().max(100).optional(),
  /** An action, or a prefix with `*`: `server.*`. */
  action: z.string().max(100).optional(),
  result: z.enum(activityResults).optional(),
  /** Start (inclusive) and end (exclusive). */
  from: DateTimeText.optional(),
  to: DateTimeText.optional(),
})

const Page = z.object({ activity: z.array(ActivityEntry), paging: Paging })

/** The audit log, newest first. */
export const listActivity = endpoint({
  method: 'GET',
  path: '/api/activity',
  access: { scope: 'servers.admin' },
  query: Filter.extend({ server: ServerId.optional() }),
  response: Page,
})

/** The audit log of one server, newest first. */
export const listServerActivity = endpoint({
  method: 'GET',
  path: '/api/servers/:id/activity',
  access: { onServer: 'editServerUsers' },
  params: z.object({ id: ServerId }),
  query: Filter,
  response: Page,
})
