import { z } from 'zod/mini'
import { endpoint } from '../api/endpoint.ts'
import { Password } from '../text/names.ts'

/**
 * The page that the password reset link opens. The token is in the URL fragment, which browsers do not send to servers.
 */
export const resetPage = '/auth/reset'

/**
 * Sends a link to reset the password. The response and its timing are the same whether the account exists or not.
 * ErrEmailNotConfigured when the panel sends no mail.
 */
export const forgotPassword = endpoint('POST', '/auth/forgot', {
  access: 'public',
  audit: 'password.forgot',
  body: z.object({ email: z.string().check(z.minLength(1), z.maxLength(320)) }),
})

/** Sets a new password with the token of the link, which works once, and ends all sessions of the account. */
export const resetPassword = endpoint('POST', '/auth/reset', {
  access: 'public',
  audit: 'password.reset',
  body: z.object({ token: z.string().check(z.minLength(1), z.maxLength(200)), password: Password }),
})
