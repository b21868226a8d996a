import { z } from 'zod/mini'
import { endpoint } from '../api/endpoint.ts'
import { PageQuery, Paging } from '../api/paging.ts'
import { OnServer } from '../api/params.ts'
import { ServerId } from '../text/server-id.ts'

/** Result of an action: successful, refused with an error code, or failed with an internal error. */
export const activityResults = ['done', 'refused', 'failed'] as const
export type ActivityResult = (typeof activityResults)[number]

/** An audit log entry. */
export const ActivityEntry = z.object({
  id: z.string(),
  /** ISO 8601. */
  at: z.string(),
  /** The user, with the name at that time. Absent for anonymous requests. */
  user: z.optional(z.object({ id: z.number(), username: z.string() })),
  /** The OAuth2 client that acted on behalf of the user. */
  client: z.optional(z.string()),
  /** A stable name: `server.start`, `user.delete`; see `auditActions`. */
  action: z.string(),
  /** ID of the affected server. */
  server: z.optional(z.string()),
  /** Any other affected object: name and ID of a user, name of a template, an address. */
  target: z.optional(z.string()),
  /** IP address of the request. */
  from: z.string(),
  result: z.enum(activityResults),
  /** The code of the refusal. */
  code: z.optional(z.string()),
  /**
   * Number of actions that this entry sums up because there were too many in a minute to list each. Absent for a single
   * action.
   */
  count: z.optional(z.number()),
})
export type ActivityEntry = z.infer<typeof ActivityEntry>

/** A date or time in a query, ISO 8601. A date means midnight UTC. */
const DateTimeText = z.string().check(
  z.maxLength(40),
  z.refine((text) => /^\d{4}-\d\d-\d\d/.test(text) && !Number.isNaN(Date.parse(text)), {
    params: { code: 'ErrFieldInvalid' },
  }),
)

const Filter = z.extend(PageQuery, {
  /** User name or user ID. */
  user: z.optional(z.string().check(z.maxLength(100))),
  /** An action, or a prefix with `*`: `server.*`. */
  action: z.optional(z.string().check(z.maxLength(100))),
  result: z.optional(z.enum(activityResults)),
  /** Start (inclusive) and end (exclusive). */
  from: z.optional(DateTimeText),
  to: z.optional(DateTimeText),
})

const Page = z.object({ activity: z.array(ActivityEntry), paging: Paging })

/** The audit log, newest first. */
export const listActivity = endpoint('GET', '/api/activity', {
  access: { scope: 'servers.admin' },
  query: z.extend(Filter, { server: z.optional(ServerId) }),
  response: Page,
})

/** The audit log of one server, newest first. */
export const listServerActivity = endpoint('GET', '/api/servers/:id/activity', {
  access: { onServer: 'editServerUsers' },
  params: OnServer,
  query: Filter,
  response: Page,
})
