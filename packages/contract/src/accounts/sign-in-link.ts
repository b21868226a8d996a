import { z } from 'zod/mini'
import { endpoint } from '../api/endpoint.ts'
import type { AuthPage } from '../http/auth-pages.ts'
import { LoginResponse } from './auth.ts'

/** The page that a sign-in link opens. The token is in the URL fragment, which browsers do not send to servers. */
export const signInLinkPage = '/auth/link' satisfies AuthPage

/** Signs in with the token of a link, which works once. With `otpNeeded` the two-factor code must follow, see `otp`. */
export const signInByLink = endpoint('POST', '/auth/link', {
  access: 'public',
  audit: 'session.link',
  body: z.object({ token: z.string().check(z.minLength(1), z.maxLength(200)) }),
  response: LoginResponse,
  // The user has got permissions in the panel since.
  errorStatuses: [403],
})
