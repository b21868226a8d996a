const key = 'innkeeper.oidc.return'

/** Remembers in this tab which page to open after the provider. */
export function saveOidcReturnPath(path: string | undefined): void {
  if (path === undefined) sessionStorage.removeItem(key)
  else sessionStorage.setItem(key, path)
}

/** The page that was remembered. */
export const readOidcReturnPath = (): string | null => sessionStorage.getItem(key)
