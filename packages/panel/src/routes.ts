import { accountService } from './account/account.ts'
import { accountRoutes } from './account/routes.ts'
import { userSettingsService } from './account/user-settings.ts'
import { activityRoutes } from './activity/routes.ts'
import { alertRoutes } from './alerts/routes.ts'
import { authRoutes } from './auth/routes.ts'
import { downloadRoutes } from './downloads/routes.ts'
import { healthRoutes } from './http/health.ts'
import { inviteRoutes } from './invites/routes.ts'
import { serverInvitesService } from './invites/server-invites.ts'
import { mailRoutes } from './mail/routes.ts'
import { nodeAdminService } from './nodes/node-admin.ts'
import { portsService } from './nodes/ports.ts'
import { nodeRoutes } from './nodes/routes.ts'
import { grantsService } from './oauth2/grants.ts'
import { oauth2Routes } from './oauth2/routes.ts'
import { passwordResetRoutes } from './password-reset/routes.ts'
import type { RegisterFormRoute, RegisterRoute } from './routing/route-context.ts'
import { serverUserRoutes } from './server-users/routes.ts'
import { serverUsersService } from './server-users/server-users.ts'
import { deleteServers } from './servers/removal.ts'
import { serverRoutes } from './servers/routes.ts'
import { tagsService } from './servers/tags.ts'
import type { Services } from './services.ts'
import { lastBackupAt } from './settings/last-backup.ts'
import { settingsRoutes } from './settings/routes.ts'
import { panelConfig } from './settings/settings.ts'
import { sftpRoutes } from './sftp/routes.ts'
import { sftpService } from './sftp/sftp.ts'
import { sshKeyRoutes } from './ssh-keys/routes.ts'
import { sshKeysService } from './ssh-keys/ssh-keys.ts'
import { taskRoutes } from './tasks/routes.ts'
import { taskPermissionsService } from './tasks/task-permissions.ts'
import { templateRoutes } from './templates/routes.ts'
import { themeRoutes } from './themes/routes.ts'
import { userRoutes } from './users/routes.ts'
import { userAdminService } from './users/user-admin.ts'
import { userPermissionsService } from './users/user-permissions.ts'
import { userQueries } from './users/user-queries.ts'

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
  const { db, now, limiter, settings, mail, themes, activity } = services
  const { people, auth, setup, clients, invites, inviteAcceptance, passwordReset } = services
  const { nodes, repository, enrolment, keys, templates, catalog, servers, serverList, usage, downloads } = services
  const emails = people.emailConfirmation

  authRoutes(registerRoute, auth, setup)
  accountRoutes(registerRoute, {
    accounts: accountService(people),
    settings: userSettingsService({ db }),
    auth,
    emails,
  })
  userRoutes(registerRoute, {
    queries: userQueries(people),
    admin: userAdminService(people),
    permissions: userPermissionsService(people),
    emails,
  })
  oauth2Routes(registerRoute, registerFormRoute, clients, grantsService({ clients, limiter }))
  serverRoutes(registerRoute, { servers, list: serverList, tags: tagsService({ db }), usage })
  const serverInvites = serverInvitesService({ db, invites, now })
  serverUserRoutes(registerRoute, serverUsersService({ db, invites: serverInvites, mail, sessions: people.sessions }))
  downloadRoutes(registerRoute, downloads)
  nodeRoutes(registerRoute, {
    nodes,
    admin: nodeAdminService({ db, repository, now }),
    enrolment,
    limiter,
    ports: portsService({ db, nodes, repository, log: services.log }),
    keys,
    alerts: services.alerts,
    masterUrl: settings.lastMasterUrl,
    deleteServersBy: (by) => deleteServers({ mail, by }),
    now,
  })
  sftpRoutes(registerRoute, sftpService(people))
  taskRoutes(registerRoute, taskPermissionsService({ db }))
  sshKeyRoutes(registerRoute, sshKeysService(people))
  templateRoutes(registerRoute, { templates, catalog, countServers: serverList.countByTemplate, nodes })
  const { setupNeeded } = setup
  const config = panelConfig({ settings, themes, version, translationUrl, setupNeeded, isMailReady: mail.isReady })
  settingsRoutes(registerRoute, { settings, themes, config, mail, lastBackupAt: () => lastBackupAt(db) })
  themeRoutes(registerRoute, themes)
  mailRoutes(registerRoute, services.queuedMails)
  alertRoutes(registerRoute, { channels: services.alertChannels, queue: services.alertQueue, limiter })
  inviteRoutes(registerRoute, { invites, acceptance: inviteAcceptance, auth })
  passwordResetRoutes(registerRoute, passwordReset)
  activityRoutes(registerRoute, activity)
  healthRoutes(registerRoute, { db, nodes })
}
