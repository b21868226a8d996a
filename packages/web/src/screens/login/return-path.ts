/** A path of this app to go to after the login; `undefined` for anything that could lead elsewhere. */
export function pathToReturnTo(wanted: string | null, origin: string = location.origin): string | undefined {
  if (!wanted?.startsWith('/')) return undefined
  const url = URL.parse(wanted, origin)
  if (url?.origin !== origin || url.pathname.startsWith('/auth/')) return undefined
  return url.pathname + url.search
}
