import { Navigate, Outlet, useLocation } from 'react-router'
import { useSession } from '../session/session.tsx'

/** Renders the page for signed-in users. Others are sent to the sign-in page and return after it. */
export function RequireAuth() {
  const { isSignedIn, signOutReason } = useSession()
  const { pathname, search, hash } = useLocation()
  if (isSignedIn) return <Outlet />
  // After signing out on purpose, the next sign-in starts at the first page.
  const query = signOutReason === 'signedOut' ? '' : `?return=${encodeURIComponent(pathname + search)}`
  // The hash may be the token of a mailed link, which must not become part of another URL.
  return <Navigate to={`/auth/login${query}`} state={{ hash }} replace />
}
