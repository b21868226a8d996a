import * as calls from '@innkeeper/contract/password-reset'
import type { Serve } from '../access/serve.ts'
import { acceptedLanguage } from '../auth/accepted-language.ts'
import type { PasswordReset } from './password-reset.ts'

export function passwordResetRoutes(serve: Serve, reset: PasswordReset): void {
  serve(calls.forgotPassword, ({ body, from }) => reset.ask(body.email, from.address, acceptedLanguage(from.languages)))
  serve(calls.resetPassword, ({ body, from, acting }) => reset.set(body.token, body.password, from.address, acting))
}
