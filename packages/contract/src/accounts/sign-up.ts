import { z } from 'zod/mini'
import { endpoint } from '../api/endpoint.ts'
import { Email, Password, Username } from '../text/names.ts'
import { LoginResult } from './auth.ts'

/** Creates an account without permissions and logs it in. 404 while registration is disabled. */
export const register = endpoint('POST', '/auth/register', {
  access: 'public',
  audit: 'account.register',
  body: z.object({ username: Username, email: Email, password: Password }),
  /** `token` is the session; existing clients know it by this name. */
  response: z.extend(LoginResult, { success: z.literal(true), token: z.string(), scopes: z.array(z.string()) }),
  errorStatuses: [404],
})

/** Creates the first administrator. `code` is the one-time setup code that the panel printed to its terminal. */
export const setup = endpoint('POST', '/auth/setup', {
  access: 'public',
  audit: 'panel.setup',
  body: z.object({
    code: z.string().check(z.maxLength(100)),
    username: Username,
    email: Email,
    password: Password,
    /** Whether users may register themselves; off by default. */
    registrationEnabled: z.optional(z.boolean()),
  }),
  response: LoginResult,
})
