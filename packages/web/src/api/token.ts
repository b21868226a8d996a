import { sessionCookie } from '@innkeeper/contract/accounts/auth'
import { limits } from '@innkeeper/contract/text/limits'

/** The bearer token of this browser's session; `undefined` without a signed-in user. */
export function getSessionToken(): string | undefined {
  const pair = document.cookie.split('; ').find((entry) => entry.startsWith(`${sessionCookie}=`))
  const token = pair?.slice(sessionCookie.length + 1)
  return token ? decodeURIComponent(token) : undefined
}

/** Stores the token in a cookie, which the live socket's handshake sends and other tabs can read. */
export function storeToken(token: string): void {
  writeCookie(encodeURIComponent(token), limits.sessionLifeMs / 1000)
}

/** Removes the token for all tabs. */
export function clearToken(): void {
  writeCookie('', 0)
}

function writeCookie(value: string, maxAge: number): void {
  const secure = location.protocol === 'https:' ? '; Secure' : ''
  // biome-ignore lint/suspicious/noDocumentCookie: the cookie store API is absent on plain http, where many panels live
  document.cookie = `${sessionCookie}=${value}; Path=/; SameSite=Strict; Max-Age=${maxAge}${secure}`
}
