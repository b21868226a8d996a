import { z } from 'zod/mini'
import { endpoint, ifMatch } from '../api/endpoint.ts'
import type { AuthPage } from '../http/auth-pages.ts'
import { LoginResponse } from './auth.ts'

/**
 * Sign-in with OpenID Connect: the panel is a client of identity providers such as Keycloak. An identity is the issuer and the
 * subject; an address never finds an account.
 */

/** The page to which providers redirect, below the master URL. It sends its query to the panel. */
export const oidcPage = '/auth/oidc' satisfies AuthPage

/** What a redirect back from a provider is for: `state` begins with it. */
export const oidcPurposes = ['signIn', 'link'] as const
export type OidcPurpose = (typeof oidcPurposes)[number]

/** The purpose in the `state` of a redirect; undefined when a panel has not made it. */
export function getOidcPurpose(state: string | null): OidcPurpose | undefined {
  return oidcPurposes.find((purpose) => state?.startsWith(`${purpose}.`))
}

const isIssuer = (text: string) => {
  const url = URL.parse(text)
  if (!url || !['https:', 'http:'].includes(url.protocol)) return false
  return url.search === '' && url.hash === '' && url.username === '' && url.password === ''
}

const Text = (max: number) => z.string().check(z.trim(), z.minLength(1), z.maxLength(max))

/** What administrators edit, without the secret. */
const OidcSettings = z.object({
  name: Text(100),
  /** The issuer URL: the panel finds everything else below it. */
  issuer: Text(500).check(z.refine(isIssuer)),
  clientId: Text(255),
  /** Separated by spaces; `openid` is always asked for. */
  scopes: z.string().check(z.trim(), z.maxLength(500), z.regex(/^[\x21\x23-\x5b\x5d-\x7e ]*$/)),
  /** Whether an unknown identity gets a new account, if the provider has verified its address. */
  createsAccounts: z.boolean(),
  /** Whether a sign-in counts as two factors, so that the panel does not ask for its own second one. */
  isTwoFactor: z.boolean(),
})

export const OidcProvider = z.extend(OidcSettings, {
  id: z.string(),
  /** The address that the provider must redirect to; missing without a master URL. */
  redirectUrl: z.optional(z.string()),
  version: z.string(),
})
export type OidcProvider = z.infer<typeof OidcProvider>

const Secret = Text(1000)
export const OidcProviderInput = z.extend(OidcSettings, { clientSecret: Secret })
export type OidcProviderInput = z.infer<typeof OidcProviderInput>

/** Without a secret the stored one is kept. */
export const OidcProviderChange = z.extend(OidcSettings, { clientSecret: z.optional(Secret) })
export type OidcProviderChange = z.infer<typeof OidcProviderChange>

/** Who changes a provider decides who can sign in. */
const access = { scope: 'servers.admin', by: 'recentUser' } as const
const OnProvider = z.object({ id: z.uuid() })

/** By name, without secrets. */
export const listOidcProviders = endpoint('GET', '/api/oidc/providers', {
  access: { scope: 'servers.admin', by: 'user' },
  response: z.array(OidcProvider),
})

/** ErrFieldInvalid for an issuer that has no HTTPS or is not on the public internet, unless INNKEEPER_OIDC_ALLOW has it. */
export const createOidcProvider = endpoint('POST', '/api/oidc/providers', {
  access,
  audit: 'oidc.provider.create',
  body: OidcProviderInput,
  response: OidcProvider,
})

/** ErrFieldRequired without a secret when the issuer or the client ID is another one. */
export const putOidcProvider = endpoint('PUT', '/api/oidc/providers/:id', {
  access,
  audit: 'oidc.provider.edit',
  params: OnProvider,
  body: OidcProviderChange,
  headers: ifMatch,
})

/** Identities of the issuer stay linked, for a provider with the same issuer. */
export const deleteOidcProvider = endpoint('DELETE', '/api/oidc/providers/:id', {
  access,
  audit: 'oidc.provider.delete',
  params: OnProvider,
})

/** The address at the provider that the browser must open. */
const Authorization = z.object({ url: z.string() })

/** The query of the redirect from the provider. */
const Callback = z.object({ query: z.string().check(z.minLength(1), z.maxLength(8_000)) })

/** Begins a sign-in, which the browser must complete within ten minutes, with the cookie of this response. */
export const startOidcLogin = endpoint('POST', '/auth/oidc/:id', {
  access: 'public',
  audit: false,
  params: OnProvider,
  response: Authorization,
  errorStatuses: [400, 404, 502],
})

/**
 * Completes a sign-in. With `otpNeeded` the second factor must follow, see `otp`. ErrOidcExpired when it was used or is too
 * old, ErrOidcUnknown when no account is linked, ErrOidcUnverified and ErrOidcEmailTaken when no account can be created,
 * ErrOidcRefused, ErrOidcInvalid, ErrOidcClock and ErrOidcUnavailable for what went wrong at the provider.
 */
export const completeOidcLogin = endpoint('POST', '/auth/oidc', {
  access: 'public',
  audit: 'session.oidc',
  body: Callback,
  response: LoginResponse,
  errorStatuses: [403, 409, 502],
})

/** An identity that the user signs in with. */
export const LinkedIdentity = z.object({
  id: z.string(),
  issuer: z.string(),
  /** The name of the provider; missing when it was removed. */
  provider: z.optional(z.string()),
  /** The name or address at the provider, when it was linked. */
  label: z.string(),
  /** ISO 8601. */
  createdAt: z.string(),
  usedAt: z.optional(z.string()),
})
export type LinkedIdentity = z.infer<typeof LinkedIdentity>

/** The user's own identities, oldest first. */
export const listIdentities = endpoint('GET', '/api/self/identities', {
  access: 'user',
  response: z.array(LinkedIdentity),
})

/** Begins linking an identity of this provider with the own account. */
export const startIdentityLink = endpoint('POST', '/api/self/identities/oidc/:id', {
  access: 'recentUser',
  audit: false,
  params: OnProvider,
  response: Authorization,
  errorStatuses: [400, 404, 502],
})

/** Links the identity, for the session that began it. ErrIdentityTaken when another account has it. Others as of a sign-in. */
export const linkIdentity = endpoint('POST', '/api/self/identities', {
  access: 'recentUser',
  audit: 'identity.link',
  body: Callback,
  errorStatuses: [409, 502],
})

/** ErrLastIdentity when the account has no password and no passkey, and this is its last identity. */
export const unlinkIdentity = endpoint('DELETE', '/api/self/identities/:id', {
  access: 'recentUser',
  audit: 'identity.unlink',
  params: z.object({ id: z.string().check(z.regex(/^[0-9a-f]{64}$/)) }),
  errorStatuses: [409],
})
