import type { SignOutReason } from '../session/store.ts'

interface Address {
  readonly pathname: string
  readonly search: string
  readonly hash: string
}

/** Returns the address of the sign-in page that leads back to a page. */
export function getSignInPath({ pathname, search, hash }: Address, signOutReason?: SignOutReason): string {
  // After signing out on purpose, the next sign-in starts at the first page.
  if (signOutReason === 'signedOut') return '/auth/login'
  // The hash may be the token of a mailed link: it stays behind `#`, where no server on the way sees it.
  return `/auth/login?return=${encodeURIComponent(pathname + search)}${hash}`
}
