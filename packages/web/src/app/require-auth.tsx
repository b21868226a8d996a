import { Navigate, Outlet, useLocation } from 'react-router'
import { useSession } from '../session/session.tsx'

/** Pages for people who are logged in; others log in first and come back. */
export function RequireAuth() {
  const { loggedIn, logoutReason } = useSession()
  const { pathname, search, hash } = useLocation()
  if (loggedIn) return <Outlet />
  // Who left on purpose begins anew; who was sent away returns to where they were.
  const back = logoutReason === 'loggedOut' ? '' : `?return=${encodeURIComponent(pathname + search)}`
  // What stands behind `#` may be the token of a mailed link: it stays out of the address of the login.
  return <Navigate to={`/auth/login${back}`} state={{ hash }} replace />
}
