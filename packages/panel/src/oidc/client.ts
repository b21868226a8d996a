import { Refusal } from '@innkeeper/contract/errors/refusals'
import type { ClientAuth, Configuration } from 'openid-client'
import type { OidcProviderRow } from '../database/schema.ts'
import { ProviderAddressError, type ProviderAddresses, providerAddresses, providerFetch } from './fetch.ts'

/** Per call. */
const timeoutSeconds = 10
/** By how much the clocks of panel and provider may differ. */
export const clockToleranceSeconds = 60

interface Deps {
  /** Private `host:port` that providers may have. */
  readonly allow: readonly string[]
  readonly version: string
  readonly now: () => number
}

/** What the redirect to the provider is bound to. */
export interface AuthorizationChecks {
  readonly state: string
  readonly nonce: string
  readonly codeVerifier: string
  readonly redirectUrl: string
}

/** Who has signed in at the provider. */
export interface ProviderIdentity {
  readonly issuer: string
  readonly subject: string
  readonly email: string | undefined
  readonly isEmailVerified: boolean
  readonly username: string | undefined
}

/** Loaded with the first sign-in: most panels have no provider. */
const openid = () => import('openid-client')

export type OidcClient = ReturnType<typeof oidcClient>

/** Calls providers. Metadata and keys are read for each sign-in, so that changed ones apply at once. */
export function oidcClient({ allow, version, now }: Deps) {
  const addresses: ProviderAddresses = providerAddresses(allow)
  const fetchOfProvider = providerFetch(addresses, version)

  async function discover(provider: OidcProviderRow): Promise<Configuration> {
    const client = await openid()
    const secret = provider.client_secret
    const [basic, post] = [client.ClientSecretBasic(secret), client.ClientSecretPost(secret)]
    // The default of the specification is `client_secret_basic`.
    const authenticate: ClientAuth = (server, ...rest) =>
      (server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']).includes('client_secret_basic')
        ? basic(server, ...rest)
        : post(server, ...rest)
    const metadata = {
      [client.clockTolerance]: clockToleranceSeconds,
      // The clock of the panel.
      [client.clockSkew]: Math.round((now() - Date.now()) / 1000),
    }
    const issuer = new URL(provider.issuer)
    const config = await client.discovery(issuer, provider.client_id, metadata, authenticate, {
      [client.customFetch]: fetchOfProvider,
      timeout: timeoutSeconds,
      // Which addresses may be without HTTPS is decided with each call.
      execute: [client.allowInsecureRequests],
    })
    client.enableNonRepudiationChecks(config)
    return config
  }

  return {
    /** Whether a provider may have this issuer. A name is checked on connecting. */
    mayHave: (issuer: URL): boolean =>
      addresses.mayBeAllowed(issuer) && (issuer.protocol === 'https:' || addresses.mayBeInsecure(issuer)),

    /** The address at the provider that the browser must open. */
    async authorize(provider: OidcProviderRow, checks: AuthorizationChecks): Promise<string> {
      return mapErrors(provider, async () => {
        const client = await openid()
        const config = await discover(provider)
        const scopes = new Set(['openid', ...provider.scopes.split(' ').filter(Boolean)])
        const url = client.buildAuthorizationUrl(config, {
          redirect_uri: checks.redirectUrl,
          scope: [...scopes].join(' '),
          code_challenge: await client.calculatePKCECodeChallenge(checks.codeVerifier),
          code_challenge_method: 'S256',
          state: checks.state,
          nonce: checks.nonce,
        })
        if (!['https:', 'http:'].includes(url.protocol)) throw new Error(`${url.protocol} is not an address of a page`)
        return url.href
      })
    },

    /** Exchanges the code of the redirect, and returns whose ID token it gives. */
    async identify(provider: OidcProviderRow, query: string, checks: AuthorizationChecks): Promise<ProviderIdentity> {
      return mapErrors(provider, async () => {
        const client = await openid()
        const config = await discover(provider)
        const callback = new URL(checks.redirectUrl)
        callback.search = query
        const tokens = await client.authorizationCodeGrant(config, callback, {
          pkceCodeVerifier: checks.codeVerifier,
          expectedState: checks.state,
          expectedNonce: checks.nonce,
          idTokenExpected: true,
        })
        const token = tokens.claims()
        if (!token) throw new Error('there is no ID token')
        const needsUserInfo = token.email === undefined && config.serverMetadata().userinfo_endpoint !== undefined
        const claims = needsUserInfo
          ? { ...(await client.fetchUserInfo(config, tokens.access_token, token.sub)), ...token }
          : token
        return {
          issuer: token.iss,
          subject: token.sub,
          email: typeof claims.email === 'string' ? claims.email : undefined,
          isEmailVerified: claims.email_verified === true,
          username: [claims.preferred_username, claims.nickname].find((name) => typeof name === 'string'),
        }
      })
    },
  }
}

/** What a provider says about an error, in the order of RFC 6749. */
function describe(error: Error): string {
  const { error: code, error_description: description } = error as { error?: unknown; error_description?: unknown }
  const [codeText, text] = [code, description].map((part) => (typeof part === 'string' ? part : ''))
  if (codeText) return text ? `${codeText}: ${text}` : codeText
  const { cause } = error
  const detail = cause instanceof Error ? cause.message || (cause as NodeJS.ErrnoException).code : undefined
  return detail && detail !== error.message ? `${error.message}: ${detail}` : error.message
}

/** The provider has answered with an error of the protocol. */
const refusedCodes = [
  'OAUTH_AUTHORIZATION_RESPONSE_ERROR',
  'OAUTH_RESPONSE_BODY_ERROR',
  'OAUTH_WWW_AUTHENTICATE_CHALLENGE',
]

/** @throws ErrOidcUnavailable, ErrOidcRefused, ErrOidcClock, ErrOidcInvalid */
async function mapErrors<T>(provider: OidcProviderRow, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof Error)) throw error
    const metadata = { provider: provider.name, reason: describe(error) }
    throw new Refusal(codeOf(error), metadata, { cause: error })
  }
}

function codeOf(error: Error) {
  const code = 'code' in error ? String(error.code) : ''
  if (refusedCodes.includes(code)) return 'ErrOidcRefused'
  if (code === 'OAUTH_JWT_TIMESTAMP_CHECK_FAILED') return 'ErrOidcClock'
  // The `fetch` of undici fails with a TypeError; a status other than 200 is no metadata.
  const isUnreachable =
    code === 'OAUTH_TIMEOUT' ||
    code === 'OAUTH_RESPONSE_IS_NOT_CONFORM' ||
    (error instanceof TypeError && error.message === 'fetch failed') ||
    error instanceof ProviderAddressError
  return isUnreachable ? 'ErrOidcUnavailable' : 'ErrOidcInvalid'
}
