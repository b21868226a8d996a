import { accountRoutes } from './account/routes.ts'
import { activityRoutes } from './activity/routes.ts'
import { alertRoutes } from './alerts/routes.ts'
import { authRoutes } from './auth/routes.ts'
import { cloneRoutes } from './clones/routes.ts'
import { dnsRoutes } from './dns/routes.ts'
import { downloadRoutes } from './downloads/routes.ts'
import { healthRoutes } from './http/health.ts'
import { inviteRoutes } from './invites/routes.ts'
import { mailRoutes } from './mail/routes.ts'
import { evacuationRoutes, moveRoutes } from './moves/routes.ts'
import { nodeRoutes } from './nodes/routes.ts'
import { notificationRoutes } from './notifications/routes.ts'
import { oauth2Routes } from './oauth2/routes.ts'
import { oidcRoutes } from './oidc/routes.ts'
import { orderRoutes } from './orders/routes.ts'
import { passkeyRoutes } from './passkeys/routes.ts'
import { passwordResetRoutes } from './password-reset/routes.ts'
import { roleRoutes } from './roles/routes.ts'
import type { RegisterFormRoute, RegisterRoute } from './routing/route-context.ts'
import { serverUserRoutes } from './server-users/routes.ts'
import { deleteServers } from './servers/removal.ts'
import { serverRoutes } from './servers/routes.ts'
import type { Services } from './services.ts'
import { lastBackupAt } from './settings/last-backup.ts'
import { settingsRoutes } from './settings/routes.ts'
import { panelConfig } from './settings/settings.ts'
import { sftpRoutes } from './sftp/routes.ts'
import { sshKeyRoutes } from './ssh-keys/routes.ts'
import { taskRoutes } from './tasks/routes.ts'
import { templateRoutes } from './templates/routes.ts'
import { themeRoutes } from './themes/routes.ts'
import { userRoutes } from './users/routes.ts'

interface Options {
  readonly services: Services
  readonly version: string
  /** The page for translators; by default the documentation in the app. */
  readonly translationUrl: string | undefined
}

/** Registers all endpoints of the panel. */
export function panelRoutes(
  registerRoute: RegisterRoute,
  registerFormRoute: RegisterFormRoute,
  { services, version, translationUrl }: Options,
): void {
  const { mail, serverList, settings, setup, themes } = services
  authRoutes(registerRoute, services)
  accountRoutes(registerRoute, services)
  userRoutes(registerRoute, services)
  roleRoutes(registerRoute, services)
  oauth2Routes(registerRoute, registerFormRoute, services.clients, services.grants)
  serverRoutes(registerRoute, services)
  orderRoutes(registerRoute, services)
  cloneRoutes(registerRoute, services.clones)
  moveRoutes(registerRoute, services.moves)
  evacuationRoutes(registerRoute, services.evacuations)
  dnsRoutes(registerRoute, services.dnsNames)
  serverUserRoutes(registerRoute, services.serverUsers)
  downloadRoutes(registerRoute, services.downloads)
  nodeRoutes(registerRoute, {
    ...services,
    masterUrl: settings.lastMasterUrl,
    deleteServersBy: (by) => deleteServers({ mail, by }),
  })
  sftpRoutes(registerRoute, services.sftp)
  taskRoutes(registerRoute, services.taskPermissions)
  passkeyRoutes(registerRoute, services)
  oidcRoutes(registerRoute, services)
  sshKeyRoutes(registerRoute, services.sshKeys)
  templateRoutes(registerRoute, { ...services, countServers: serverList.countByTemplate })
  const { setupNeeded } = setup
  const isMailReady = mail.isReady
  const { oidcProviders } = services
  const config = panelConfig({ settings, themes, version, translationUrl, setupNeeded, isMailReady, oidcProviders })
  settingsRoutes(registerRoute, { settings, themes, config, lastBackupAt: () => lastBackupAt(services.db) })
  themeRoutes(registerRoute, themes)
  mailRoutes(registerRoute, services)
  alertRoutes(registerRoute, services)
  notificationRoutes(registerRoute, services)
  inviteRoutes(registerRoute, services)
  passwordResetRoutes(registerRoute, services.passwordReset)
  activityRoutes(registerRoute, services.activity)
  healthRoutes(registerRoute, services)
}
