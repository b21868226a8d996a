/** Returns the path to open after sign-in, or `undefined` when it would leave this app. */
export function getReturnPath(path: string | null, origin: string = location.origin): string | undefined {
  if (!path?.startsWith('/')) return undefined
  const url = URL.parse(path, origin)
  if (url?.origin !== origin || (url.pathname.startsWith('/auth/') && url.pathname !== '/auth/invite')) return undefined
  return url.pathname + url.search
}

/** Returns the URL hash of the page that redirected to sign-in, from the state of the location. */
export function getReturnHash(state: unknown): string {
  const hash = typeof state === 'object' && state !== null && 'hash' in state ? state.hash : ''
  return typeof hash === 'string' ? hash : ''
}
