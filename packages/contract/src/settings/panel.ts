import { z } from 'zod/mini'
import { endpoint } from '../api/endpoint.ts'

/** Public configuration, available before login. */
export const PanelConfig = z.object({
  branding: z.object({ name: z.string() }),
  themes: z.object({ active: z.string(), available: z.array(z.string()) }),
  registrationEnabled: z.boolean(),
  /** Whether a forgotten password can be reset by mail. */
  passwordResetEnabled: z.optional(z.boolean()),
  /** The address that passkeys belong to: the master URL. Absent without one. */
  passkeyOrigin: z.optional(z.string()),
  /** True until the first administrator exists. */
  setupNeeded: z.boolean(),
  /** The page for translators; the default is the documentation in the app. */
  translationUrl: z.optional(z.string()),
  version: z.string(),
})
export type PanelConfig = z.infer<typeof PanelConfig>

export const getConfig = endpoint('GET', '/api/config', { access: 'public', response: PanelConfig })

/** `scopes` are the current ones; older panels send none. */
export const Self = z.object({
  id: z.number(),
  username: z.string(),
  email: z.string(),
  scopes: z.optional(z.array(z.string())),
  /**
   * Whether the owner opened a link sent to this address, or an administrator confirmed it. Older panels do not send
   * it.
   */
  emailConfirmed: z.optional(z.boolean()),
  /** Present while the account must get a second factor. */
  secondFactor: z.optional(
    z.object({
      /** ISO 8601. */
      from: z.string(),
      /** Whether this time has come: until the account has one, other requests are ErrSecondFactorRequired. */
      isRequired: z.boolean(),
    }),
  ),
})
export type Self = z.infer<typeof Self>

/** The version is in the `ETag` header. */
export const getSelf = endpoint('GET', '/api/self', { access: 'session', isForSetUp: true, response: Self })

export const getUserSettings = endpoint('GET', '/api/userSettings', {
  access: 'user',
  isForSetUp: true,
  response: z.array(z.object({ key: z.string(), value: z.string() })),
})

/**
 * Keys in use: `dark`, `preferredTheme`, `console`, `pinnedServers`, `savedCommands.<serverId>`, `serverFilters`,
 * `filesSort`, `firstSteps`, `serversPerPage`, and `language`, one of {@link languages}, which mails use too.
 */
export const putUserSetting = endpoint('PUT', '/api/userSettings/:key', {
  access: 'user',
  audit: false,
  params: z.object({ key: z.string().check(z.minLength(1), z.maxLength(100)) }),
  body: z.object({ value: z.string().check(z.maxLength(20_000)) }),
})

/** Liveness: the process responds. */
export const getHealth = endpoint('GET', '/healthz', {
  access: 'public',
  response: z.object({ alive: z.boolean() }),
})

/** Readiness: the database responds, and the local node, if there is one, is connected. */
export const getReadiness = endpoint('GET', '/readyz', {
  access: 'public',
  response: z.object({ ready: z.boolean() }),
  errorStatuses: [502],
})
