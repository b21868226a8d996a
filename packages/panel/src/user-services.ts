import type { Logger } from 'pino'
import { accessService } from './access/access.ts'
import { accountService } from './account/account.ts'
import { userSettingsService } from './account/user-settings.ts'
import type { AlertsService } from './alerts/alerts.ts'
import { authService } from './auth/auth.ts'
import { emailConfirmation } from './auth/email-confirmation.ts'
import { passwordVerifier } from './auth/password-verifier.ts'
import { type HashCost, passwords } from './auth/passwords.ts'
import { pendingLogins } from './auth/pending-logins.ts'
import { PrincipalCache } from './auth/principal-cache.ts'
import { reauthentication } from './auth/reauthentication.ts'
import { secondFactorPolicy } from './auth/second-factor-policy.ts'
import { sessionsService } from './auth/sessions.ts'
import { setupService } from './auth/setup.ts'
import { signInService } from './auth/sign-in.ts'
import { signInLinks } from './auth/sign-in-links.ts'
import { twoFactorService } from './auth/two-factor.ts'
import type { Database } from './database/schema.ts'
import { inviteAcceptance } from './invites/accept-invite.ts'
import { invitesService } from './invites/invites.ts'
import { serverInvitesService } from './invites/server-invites.ts'
import type { MailService } from './mail/mail.ts'
import { clientNetworks } from './oauth2/client-networks.ts'
import { clientsService } from './oauth2/clients.ts'
import { grantsService } from './oauth2/grants.ts'
import { tokenResolver } from './oauth2/token-resolver.ts'
import { oidcClient } from './oidc/client.ts'
import { identitiesService } from './oidc/identities.ts'
import { oidcProviders } from './oidc/providers.ts'
import { oidcSignIn } from './oidc/sign-in.ts'
import { passkeySignIn } from './passkeys/passkey-sign-in.ts'
import { passkeysService } from './passkeys/passkeys.ts'
import { passkeyVerification } from './passkeys/verification.ts'
import { passwordReset } from './password-reset/password-reset.ts'
import { rolesService } from './roles/roles.ts'
import { userRolesService } from './roles/user-roles.ts'
import type { RateLimiter } from './security/rate-limiter.ts'
import { serverUsersService } from './server-users/server-users.ts'
import type { SettingsService } from './settings/settings.ts'
import { sftpService } from './sftp/sftp.ts'
import { sshKeysService } from './ssh-keys/ssh-keys.ts'
import { userAdminService } from './users/user-admin.ts'
import { userPermissionsService } from './users/user-permissions.ts'
import { userQueries } from './users/user-queries.ts'

interface Options {
  readonly passwordCost?: HashCost | undefined
  readonly oidcAllow?: readonly string[]
  readonly version: string
}

interface Deps {
  readonly db: Database
  readonly limiter: RateLimiter
  readonly settings: SettingsService
  readonly mail: MailService
  readonly alerts: AlertsService
  readonly log: Logger
  readonly now: () => number
}

/** Users, their credentials, and authorization. */
export function userServices(
  { passwordCost, oidcAllow = [], version }: Options,
  { db, limiter, settings, mail, alerts, log, now }: Deps,
) {
  const principalCache = new PrincipalCache(now)
  const policy = secondFactorPolicy({ settings })
  const sessions = sessionsService({ db, now, cache: principalCache, policy })
  const hashing = passwords({ cost: passwordCost })
  const verification = reauthentication({ db, passwords: hashing, limiter, now })
  const clients = clientsService({
    db,
    cache: principalCache,
    mail,
    passwords: hashing,
    reauthentication: verification,
    networks: clientNetworks({ db, alerts, mail, now }),
    now,
  })
  const { resolve, resolveUncached } = tokenResolver({ sessions, clients })
  const deps = {
    db,
    sessions,
    limiter,
    passwords: hashing,
    passwordVerifier: passwordVerifier({ db, limiter, passwords: hashing }),
    twoFactor: twoFactorService({ db, limiter, mail, issuer: settings.companyName, now }),
    mail,
    policy,
    emailConfirmation: emailConfirmation({ db, mail, sessions, limiter, now }),
    reauthentication: verification,
    now,
  }
  const pending = pendingLogins({ db, now })
  const signIns = signInService({ ...deps, alerts, pending })
  const passkeyChecks = passkeyVerification({ db, settings, now })
  const client = oidcClient({ allow: oidcAllow, version, now })
  const providers = oidcProviders({ db, client, settings, now })
  const invites = invitesService({ db, mail, now })
  return {
    auth: authService({ ...deps, signIns, pending, settings }),
    passkeys: passkeysService({ ...deps, verification: passkeyChecks, settings }),
    passkeySignIn: passkeySignIn({ ...deps, verification: passkeyChecks, signIns, pending }),
    oidcProviders: providers,
    oidcSignIn: oidcSignIn({ ...deps, client, providers, signIns }),
    identities: identitiesService({ db }),
    signInLinks: signInLinks({ ...deps, signIns }),
    sessions,
    passwords: hashing,
    clients,
    resolveUncached,
    reauthentication: verification,
    access: accessService({ db, resolveToken: resolve, now }),
    accounts: accountService(deps),
    emailConfirmation: deps.emailConfirmation,
    grants: grantsService({ clients, limiter }),
    setup: setupService({ db, signIns, limiter, passwords: hashing, settings, now }),
    invites,
    inviteAcceptance: inviteAcceptance({ db, mail, passwords: hashing, limiter, sessions, signIns, now }),
    passwordReset: passwordReset({ db, mail, passwords: hashing, sessions, limiter, log, now }),
    serverUsers: serverUsersService({ ...deps, invites: serverInvitesService({ db, invites, now }) }),
    sftp: sftpService(deps),
    sshKeys: sshKeysService(deps),
    userAdmin: userAdminService(deps),
    userPermissions: userPermissionsService(deps),
    roles: rolesService(deps),
    userRoles: userRolesService(deps),
    userQueries: userQueries(deps),
    userSettings: userSettingsService({ db }),
  }
}
