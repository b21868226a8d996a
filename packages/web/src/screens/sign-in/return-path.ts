/** Returns the path to open after sign-in, or `undefined` when it would leave this app. */
export function getReturnPath(path: string | null, origin: string = location.origin): string | undefined {
  if (!path?.startsWith('/')) return undefined
  const url = URL.parse(path, origin)
  // A path such as `/.//example.net` becomes `//example.net`, which is another host.
  if (url?.origin !== origin || url.pathname.startsWith('//')) return undefined
  if (url.pathname.startsWith('/auth/') && url.pathname !== '/auth/invite') return undefined
  return url.pathname + url.search
}
