import * as calls from '@innkeeper/contract/accounts/password-reset'
import { acceptedLanguage } from '../auth/accepted-language.ts'
import type { RegisterRoute } from '../routing/route-context.ts'
import type { PasswordReset } from './password-reset.ts'

export function passwordResetRoutes(registerRoute: RegisterRoute, reset: PasswordReset): void {
  registerRoute(calls.forgotPassword, ({ body, client }) =>
    reset.requestLink(body.email, client.address, acceptedLanguage(client.languages)),
  )
  registerRoute(calls.resetPassword, ({ body, client, audit }) =>
    reset.reset(body.token, body.password, client.address, audit),
  )
}
