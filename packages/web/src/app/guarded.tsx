import { Navigate, Outlet, useLocation } from 'react-router'
import { useSession } from '../session/session.tsx'

/** Pages for people who are logged in; others log in first and come back. */
export function Guarded() {
  const { loggedIn, ended } = useSession()
  const { pathname, search } = useLocation()
  if (loggedIn) return <Outlet />
  // Who left on purpose begins anew; who was sent away returns to where they were.
  const back = ended === 'loggedOut' ? '' : `?return=${encodeURIComponent(pathname + search)}`
  return <Navigate to={`/auth/login${back}`} replace />
}
