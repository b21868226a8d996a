import { z } from 'zod/mini'
import { endpoint } from '../api/endpoint.ts'
import { OnServer } from '../api/params.ts'
import { ServerId } from '../text/server-id.ts'

/** Credentials of a program; an empty name is displayed as an unnamed client. */
export const OAuth2Client = z.object({ client_id: z.string(), name: z.string(), description: z.string() })
export type OAuth2Client = z.infer<typeof OAuth2Client>

const NewClient = z.strictObject({
  name: z._default(z.string().check(z.trim(), z.maxLength(100)), ''),
  description: z._default(z.string().check(z.trim(), z.maxLength(500)), ''),
  /** The account's password; required when the last login is older than 10 minutes. */
  password: z.optional(z.string().check(z.minLength(1), z.maxLength(1024))),
})

/** The only response that contains the secret. */
export const ClientCredentials = z.object({ id: z.string(), secret: z.string() })
export type ClientCredentials = z.infer<typeof ClientCredentials>

const ClientId = z.string().check(z.minLength(1), z.maxLength(64))

/** Clients that act with all permissions of the account, except on the account itself. */
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
