import { oidcCookie, pendingLoginCookie, sessionCookie } from '@innkeeper/contract/accounts/auth'
import { limits } from '@innkeeper/contract/text/limits'
import { parseCookie, stringifySetCookie } from 'cookie'
import { pendingLoginLifetimeMs } from '../auth/pending-logins.ts'
import { oidcRequestLifetimeMs } from '../oidc/requests.ts'
import type { ClientInfo, SessionCookies } from '../routing/route-context.ts'

/** The parts of a request that are used here. */
interface RequestHeaders {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
}

/** The bearer token of a request, the only credential of API calls. */
export function bearerToken({ headers }: RequestHeaders): string | undefined {
  return /^Bearer +(?<token>[\w.~+/=-]{1,512})$/i.exec(String(headers.authorization ?? ''))?.groups?.token
}

/**
 * The session cookie, accepted only for the live socket because browsers cannot set headers there. Browsers always send
 * `Origin` there and other clients do not: the cookie is accepted without one, or with our own. Other requests take the
 * session from a header, which no other site can set (CSRF).
 */
export function sameOriginSessionCookie(
  request: RequestHeaders,
  from: ClientInfo,
  masterUrl: string | undefined,
): string | undefined {
  const { origin } = request.headers
  if (origin !== undefined && !isOwn(String(origin), from, masterUrl)) return undefined
  return findCookie(request, sessionCookie)
}

function findCookie({ headers }: RequestHeaders, name: string): string | undefined {
  return parseCookie(String(headers.cookie ?? ''))[name] || undefined
}

function isOwn(origin: string, from: ClientInfo, masterUrl: string | undefined): boolean {
  const page = URL.parse(origin)
  if (!page || !['http:', 'https:'].includes(page.protocol)) return false
  if (masterUrl !== undefined && page.origin === URL.parse(masterUrl)?.origin) return true
  // A page of the same host over plain http is another origin than our https page.
  if (from.isSecure && page.protocol !== 'https:') return false
  return page.host === URL.parse(`${page.protocol}//${from.host}`)?.host
}

/** Sets and clears the session cookie, which the web app can read. */
export function sessionCookies(
  request: RequestHeaders,
  from: ClientInfo,
  masterUrl: string | undefined,
  setCookie: (value: string) => void,
): SessionCookies {
  // Behind an untrusted proxy that terminates TLS, only the master URL shows that the site uses https.
  const master = masterUrl === undefined ? undefined : URL.parse(masterUrl)
  const isSecure = from.isSecure || (master?.protocol === 'https:' && master.host === from.host)
  const write = (name: string, value: string, path: string, lifeMs: number) =>
    setCookie(
      stringifySetCookie({
        name,
        value,
        path,
        maxAge: lifeMs / 1000,
        sameSite: 'strict',
        httpOnly: name !== sessionCookie,
        secure: isSecure,
      }),
    )
  const pending = findCookie(request, pendingLoginCookie)
  return {
    pendingLogin: pending,
    setSession: (session) => {
      write(sessionCookie, session, '/', limits.sessionLifeMs)
      if (pending !== undefined) write(pendingLoginCookie, '', '/auth', 0)
    },
    clear: () => write(sessionCookie, '', '/', 0),
    oidc: findCookie(request, oidcCookie),
    setOidc: (token) => write(oidcCookie, token, '/auth', oidcRequestLifetimeMs),
    setPendingLogin: (token) => write(pendingLoginCookie, token, '/auth', pendingLoginLifetimeMs),
  }
}
