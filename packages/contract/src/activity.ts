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
  /** A stable name: `server.start`, `user.delete`; see {@link activityActions}. */
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

/** Actions that exist only on the command line. */
export const commandActions = { rotateKey: 'panel.key.rotate' } as const

/** The audit action of each mutating API call, by method and path. `undefined`: the call is not audited. */
export const activityActions: Readonly<Record<string, string | undefined>> = {
  'POST /auth/login': 'session.open',
  'POST /auth/otp': 'session.otp',
  'POST /auth/logout': 'session.end',
  'POST /auth/reauth': undefined,
  'POST /auth/setup': 'panel.setup',
  'POST /auth/register': 'account.register',
  'POST /auth/invite': 'invite.accept',
  'POST /auth/invite/check': undefined,
  'POST /auth/forgot': 'password.forgot',
  'POST /auth/reset': 'password.reset',
  // Only failed attempts: clients request a token every hour or even every minute.
  'POST /oauth2/token': 'client.token',

  'PUT /api/self': 'account.edit',
  'POST /api/self/email/confirmation': undefined,
  'POST /api/self/email/confirm': 'account.email.confirm',
  'POST /api/self/invite': 'invite.accept',
  'POST /api/self/otp': 'otp.enrol',
  'PUT /api/self/otp': 'otp.enable',
  'DELETE /api/self/otp/:token': 'otp.disable',
  'POST /api/self/otp/recovery': 'otp.recovery',
  'POST /api/self/oauth2': 'client.create',
  'DELETE /api/self/oauth2/:id': 'client.delete',
  'DELETE /api/self/sessions/:id': 'session.end',
  'DELETE /api/self/sessions': 'session.end',
  'PUT /api/userSettings/:key': undefined,

  'POST /api/users': 'user.create',
  'POST /api/users/:id': 'user.edit',
  'DELETE /api/users/:id': 'user.delete',
  'POST /api/users/:id/email/confirm': 'user.email.confirm',
  'DELETE /api/users/:id/otp': 'user.otp.disable',
  'PUT /api/users/:id/perms': 'user.permissions',
  'POST /api/invites': 'invite.create',
  'DELETE /api/invites/:id': 'invite.revoke',

  'POST /api/servers': 'server.create',
  'DELETE /api/servers/:id': 'server.delete',
  'PUT /api/servers/:id/name/:name': 'server.rename',
  'PUT /api/servers/:id/tags': 'server.tags',
  'POST /api/servers/:id/tags': 'server.tags',
  'PUT /api/servers/:id/user/:email': 'server.user.edit',
  'DELETE /api/servers/:id/user/:email': 'server.user.remove',
  'POST /api/servers/:id/oauth2': 'server.client.create',
  'DELETE /api/servers/:id/oauth2/:clientId': 'server.client.delete',

  'POST /daemon/server/:id': 'server.definition',
  'POST /daemon/server/:id/data': 'server.data',
  'POST /daemon/server/:id/console': 'server.command',
  // Not an HTTP call: the first message on a live socket that resizes the terminal or types into it.
  'POST /daemon/server/:id/terminal': 'server.terminal',
  'POST /daemon/server/:id/start': 'server.start',
  'POST /daemon/server/:id/stop': 'server.stop',
  'POST /daemon/server/:id/restart': 'server.restart',
  'POST /daemon/server/:id/kill': 'server.kill',
  'POST /daemon/server/:id/install': 'server.install',
  'POST /daemon/server/:id/reload': 'server.reload',

  'POST /daemon/server/:id/tasks': 'server.task.create',
  'PUT /daemon/server/:id/tasks/:task': 'server.task.edit',
  'DELETE /daemon/server/:id/tasks/:task': 'server.task.delete',
  'POST /daemon/server/:id/tasks/:task/run': 'server.task.run',
  'POST /daemon/server/:id/tasks/:task/cancel': 'server.task.cancel',

  'PUT /daemon/server/:id/file/:path*': 'server.file.write',
  'DELETE /daemon/server/:id/file/:path*': 'server.file.delete',
  'POST /daemon/server/:id/archive/:path*': 'server.file.archive',
  'POST /daemon/server/:id/extract/:path*': 'server.file.extract',
  'GET /daemon/server/:id/extract/:path*': 'server.file.extract',
  'POST /daemon/server/:id/files/move': 'server.file.move',
  'POST /daemon/server/:id/files/jobs': 'server.file.work',
  'DELETE /daemon/server/:id/files/jobs/:job': 'server.file.cancel',
  'POST /daemon/server/:id/files/download': 'server.file.download',
  'POST /daemon/server/:id/uploads': 'server.file.upload',
  // Parts of an upload that was recorded when it started.
  'PATCH /daemon/server/:id/uploads/:upload': undefined,
  'DELETE /daemon/server/:id/uploads/:upload': undefined,
  'POST /api/servers/:id/downloads': 'server.file.download',

  'POST /api/self/sshkeys': 'account.key.add',
  'DELETE /api/self/sshkeys/:id': 'account.key.remove',
  'POST /api/node/sftp/login': 'server.sftp.login',
  'POST /api/node/sftp/rights': undefined,
  'POST /api/node/tasks/rights': undefined,

  'POST /api/nodes': 'node.create',
  'PUT /api/nodes/:id': 'node.edit',
  'DELETE /api/nodes/:id': 'node.delete',
  'PUT /api/nodes/:id/ports': 'node.ports',
  // Only when the response contains the join secret of the node.
  'GET /api/nodes/:id/deployment': 'node.secret.view',
  'POST /api/nodes/:id/deployment': 'node.secret',
  'POST /api/node/enrol': 'node.join',
  'POST /api/node/report': undefined,

  'PUT /api/templates/:name': 'template.edit',
  'DELETE /api/templates/:name': 'template.delete',
  'POST /api/templates/import': undefined,
  'POST /api/templates/import/:name': 'template.import',
  'POST /api/catalogue/templates/:name': 'template.import',

  'PUT /api/settings/:key': 'settings.edit',
  'POST /api/settings': 'settings.edit',
  'POST /api/settings/email/test': 'mail.test',
  'PUT /api/themes/:name': 'theme.upload',
  'PUT /api/themes/:name/name/:newName': 'theme.rename',
  'DELETE /api/themes/:name': 'theme.delete',
  'POST /api/mail/:id/retry': 'mail.retry',
  'DELETE /api/mail/:id': 'mail.delete',
}
