import { z } from 'zod'
import { call } from './call.ts'
import { Password } from './names.ts'

/** The page that a mail about a forgotten password leads to; the token is behind `#`, where no server sees it. */
export const resetPage = '/auth/reset'

/**
 * Sends a link to set a new password. Answers the same, and as fast, whether there is such an account or not;
 * ErrEmailNotConfigured when the panel sends no mail at all.
 */
export const forgotPassword = call({
  method: 'POST',
  path: '/auth/forgot',
  access: 'public',
  body: z.object({ email: z.string().min(1).max(320) }),
})

/** Sets the password with the token of the link, once, and ends every session of the account. */
export const resetPassword = call({
  method: 'POST',
  path: '/auth/reset',
  access: 'public',
  body: z.object({ token: z.string().min(1).max(200), password: Password }),
})
