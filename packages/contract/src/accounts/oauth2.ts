import { z } from 'zod/mini'
import { endpoint } from '../api/endpoint.ts'
import { OnServer } from '../api/params.ts'
import { panelScopes, serverPermissionNames } from '../api/permissions.ts'
import { ServerTag } from '../text/names.ts'
import { ServerId } from '../text/server-id.ts'

/** Limits of a list in `ClientLimits`. */
const maxServers = 200
const maxTags = 50
const maxNetworks = 50

/**
 * What a client may do at most; its owner's permissions at the time of the request always apply too. With `scopes` or
 * `permissions` it has only those, else all. With `servers` or `tags` it has access only to servers that are listed or
 * have one of the tags, and no scope for servers; then a scope must be listed.
 */
export const ClientLimits = z.strictObject({
  scopes: z.optional(z.array(z.enum(panelScopes)).check(z.maxLength(panelScopes.length))),
  permissions: z.optional(z.array(z.enum(serverPermissionNames)).check(z.maxLength(serverPermissionNames.length))),
  servers: z.optional(z.array(ServerId).check(z.maxLength(maxServers))),
  tags: z.optional(z.array(ServerTag).check(z.maxLength(maxTags))),
  /** Addresses, and networks in CIDR notation, that the client may be used from. */
  networks: z.optional(
    z.array(z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()])).check(z.minLength(1), z.maxLength(maxNetworks)),
  ),
})
export type ClientLimits = z.infer<typeof ClientLimits>

/** Credentials of a program; an empty name is displayed as an unnamed client. Times are ISO 8601. */
export const OAuth2Client = z.object({
  client_id: z.string(),
  name: z.string(),
  description: z.string(),
  limits: z.optional(ClientLimits),
  /** When it stops working by itself. */
  until: z.optional(z.string()),
  /** It does not work until it is continued. */
  isPaused: z.optional(z.boolean()),
  createdAt: z.optional(z.string()),
  /** Accurate to a minute. */
  lastUsedAt: z.optional(z.string()),
})
export type OAuth2Client = z.infer<typeof OAuth2Client>

/** A client that was not used for this time is shown as unused. */
export const unusedAfterMs = 90 * 24 * 3_600_000

const Until = z.iso.datetime({ offset: true })

const NewClient = z.strictObject({
  name: z._default(z.string().check(z.trim(), z.maxLength(100)), ''),
  description: z._default(z.string().check(z.trim(), z.maxLength(500)), ''),
  limits: z.optional(ClientLimits),
  until: z.optional(Until),
  /** The account's password; required when the last login is older than 10 minutes. */
  password: z.optional(z.string().check(z.minLength(1), z.maxLength(1024))),
})

/** The only response that contains the secret. */
export const ClientCredentials = z.object({ id: z.string(), secret: z.string() })
export type ClientCredentials = z.infer<typeof ClientCredentials>

/** All of it is replaced; without `limits` the client has no limits, without `until` it does not end. */
const ClientChange = z.strictObject({
  name: z.string().check(z.trim(), z.maxLength(100)),
  description: z.string().check(z.trim(), z.maxLength(500)),
  limits: z.optional(ClientLimits),
  until: z.optional(Until),
  isPaused: z._default(z.boolean(), false),
})

const ClientId = z.string().check(z.minLength(1), z.maxLength(64))

/** Clients that act with the permissions of the account within their limits, except on the account itself. */
export const listAccountClients = endpoint('GET', '/api/self/oauth2', {
  access: 'user',
  response: z.array(OAuth2Client),
})

/**
 * A client outlives the session, so the user must authenticate again: with a login of the last 10 minutes, or with the
 * `password` of the account. Otherwise ErrPasswordRequired.
 */
export const createAccountClient = endpoint('POST', '/api/self/oauth2', {
  access: 'user',
  audit: 'client.create',
  body: NewClient,
  response: ClientCredentials,
})

/** Tokens that the client has already follow within 5 seconds, on open connections too. */
export const putAccountClient = endpoint('PUT', '/api/self/oauth2/:id', {
  access: 'recentUser',
  audit: 'client.edit',
  params: z.object({ id: ClientId }),
  body: ClientChange,
})

export const deleteAccountClient = endpoint('DELETE', '/api/self/oauth2/:id', {
  access: 'recentUser',
  audit: 'client.delete',
  params: z.object({ id: ClientId }),
})

/** The user's clients that act with the account's permissions on this server only. */
export const listServerClients = endpoint('GET', '/api/servers/:id/oauth2', {
  access: { onServer: 'viewServer', by: 'user' },
  params: OnServer,
  response: z.array(OAuth2Client),
})

export const createServerClient = endpoint('POST', '/api/servers/:id/oauth2', {
  access: { onServer: 'viewServer', by: 'user' },
  audit: 'server.client.create',
  params: OnServer,
  body: NewClient,
  response: ClientCredentials,
})

/** As `putAccountClient`. Such a client has no other servers, tags or scopes (`ErrFieldInvalid`). */
export const putServerClient = endpoint('PUT', '/api/servers/:id/oauth2/:clientId', {
  access: { onServer: 'viewServer', by: 'recentUser' },
  audit: 'server.client.edit',
  params: z.object({ id: ServerId, clientId: ClientId }),
  body: ClientChange,
})

export const deleteServerClient = endpoint('DELETE', '/api/servers/:id/oauth2/:clientId', {
  access: { onServer: 'viewServer', by: 'recentUser' },
  audit: 'server.client.delete',
  params: z.object({ id: ServerId, clientId: ClientId }),
})

export const OAuth2Error = z.object({
  error: z.enum([
    'invalid_request',
    'invalid_client',
    'unsupported_grant_type',
    'temporarily_unavailable',
    'server_error',
  ]),
  error_description: z.optional(z.string()),
})
export type OAuth2Error = z.infer<typeof OAuth2Error>

/**
 * Client credentials grant: a token for one hour. The body is form-encoded; ID and secret may be sent with HTTP Basic
 * instead. Errors have the format of RFC 6749 (`OAuth2Error`), not the common error envelope.
 */
export const token = endpoint('POST', '/oauth2/token', {
  access: 'public',
  /** Only failed attempts: clients request a token every hour or even every minute. */
  audit: 'client.token',
  body: z.object({
    grant_type: z.literal('client_credentials'),
    client_id: z.optional(z.string().check(z.maxLength(255))),
    client_secret: z.optional(z.string().check(z.maxLength(1024))),
    scope: z.optional(z.string().check(z.maxLength(1024))),
  }),
  response: z.object({
    access_token: z.string(),
    token_type: z.literal('Bearer'),
    /** Seconds. */
    expires_in: z.number(),
    scope: z.string(),
  }),
  errorFormat: { statuses: [400, 401, 429], shape: OAuth2Error },
})
