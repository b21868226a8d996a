import { Navigate, Outlet, useLocation } from 'react-router'
import { useSession } from '../session/session.tsx'
import { getSignInPath } from './sign-in-path.ts'

/** Renders the page for signed-in users. Others are sent to the sign-in page and return after it. */
export function RequireAuth() {
  const { isSignedIn, signOutReason } = useSession()
  const location = useLocation()
  return isSignedIn ? <Outlet /> : <Navigate to={getSignInPath(location, signOutReason)} replace />
}
