/** A path of this app to go to after the login; `undefined` for anything that could lead elsewhere. */
export function pathToReturnTo(wanted: string | null, origin: string = location.origin): string | undefined {
  if (!wanted?.startsWith('/')) return undefined
  const url = URL.parse(wanted, origin)
  if (url?.origin !== origin || (url.pathname.startsWith('/auth/') && url.pathname !== '/auth/invite')) return undefined
  return url.pathname + url.search
}

/** What stood behind `#` in the address of the page that led to the login. */
export function hashIn(state: unknown): string {
  const hash = typeof state === 'object' && state !== null && 'hash' in state ? state.hash : ''
  return typeof hash === 'string' ? hash : ''
}
