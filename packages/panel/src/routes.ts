import { accountRoutes } from './account/routes.ts'
import { activityRoutes } from './activity/routes.ts'
import { alertRoutes } from './alerts/routes.ts'
import { authRoutes } from './auth/routes.ts'
import { cloneRoutes } from './clones/routes.ts'
import { downloadRoutes } from './downloads/routes.ts'
import { healthRoutes } from './http/health.ts'
import { inviteRoutes } from './invites/routes.ts'
import { mailRoutes } from './mail/routes.ts'
import { nodeRoutes } from './nodes/routes.ts'
import { oauth2Routes } from './oauth2/routes.ts'
import { passwordResetRoutes } from './password-reset/routes.ts'
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
  const { db, now, limiter, settings, mail, themes } = services
  const { auth, emailConfirmation: emails, nodes } = services

  authRoutes(registerRoute, { auth, setup: services.setup, reauthentication: services.reauthentication })
  accountRoutes(registerRoute, { accounts: services.accounts, settings: services.userSettings, auth, emails })
  userRoutes(registerRoute, {
    queries: services.userQueries,
    admin: services.userAdmin,
    permissions: services.userPermissions,
    emails,
  })
  oauth2Routes(registerRoute, registerFormRoute, services.clients, services.grants)
  const { servers, serverList, tags, usage } = services
  serverRoutes(registerRoute, { servers, list: serverList, tags, usage, unregistered: services.unregisteredServers })
  cloneRoutes(registerRoute, services.clones)
  serverUserRoutes(registerRoute, services.serverUsers)
  downloadRoutes(registerRoute, services.downloads)
  nodeRoutes(registerRoute, {
    nodes,
    admin: services.nodeAdmin,
    enrolment: services.enrolment,
    limiter,
    ports: services.ports,
    backupTargets: services.backupTargets,
    backupOverview: services.backupOverview,
    backupPlan: services.backupPlan,
    backupRetention: services.backupRetention,
    keys: services.keys,
    nodeEvents: services.nodeEvents,
    fileChanges: services.fileChanges,
    nodeAlerts: services.nodeAlerts,
    masterUrl: settings.lastMasterUrl,
    deleteServersBy: (by) => deleteServers({ mail, by }),
    now,
  })
  sftpRoutes(registerRoute, services.sftp)
  taskRoutes(registerRoute, services.taskPermissions)
  sshKeyRoutes(registerRoute, services.sshKeys)
  const { templates, catalog } = services
  templateRoutes(registerRoute, { templates, catalog, countServers: serverList.countByTemplate, nodes })
  const { setupNeeded } = services.setup
  const config = panelConfig({ settings, themes, version, translationUrl, setupNeeded, isMailReady: mail.isReady })
  settingsRoutes(registerRoute, { settings, themes, config, lastBackupAt: () => lastBackupAt(db) })
  themeRoutes(registerRoute, themes)
  mailRoutes(registerRoute, { mail, queuedMails: services.queuedMails })
  alertRoutes(registerRoute, { channels: services.alertChannels, db: services.db, limiter })
  inviteRoutes(registerRoute, { invites: services.invites, acceptance: services.inviteAcceptance, auth })
  passwordResetRoutes(registerRoute, services.passwordReset)
  activityRoutes(registerRoute, services.activity)
  healthRoutes(registerRoute, { db, nodes })
}
