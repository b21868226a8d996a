import * as account from './accounts/account.ts'
import * as auth from './accounts/auth.ts'
import * as invites from './accounts/invites.ts'
import * as oauth2 from './accounts/oauth2.ts'
import * as oidc from './accounts/oidc.ts'
import * as passkeys from './accounts/passkeys.ts'
import * as passwordReset from './accounts/password-reset.ts'
import * as roles from './accounts/roles.ts'
import * as serverUsers from './accounts/server-users.ts'
import * as signInLink from './accounts/sign-in-link.ts'
import * as signUp from './accounts/sign-up.ts'
import * as sshKeys from './accounts/ssh-keys.ts'
import * as users from './accounts/users.ts'
import * as activity from './activity/activity.ts'
import * as alerts from './alerts/alerts.ts'
import * as mail from './alerts/mail.ts'
import * as notifications from './alerts/notifications.ts'
import type { Endpoint } from './api/endpoint.ts'
import * as backupPlan from './backups/backup-plan.ts'
import * as backupTargets from './backups/backup-targets.ts'
import * as backups from './backups/backups.ts'
import * as nodeBackups from './backups/node-backups.ts'
import * as clones from './clones/clones.ts'
import * as serverDefinition from './definitions/server-definition.ts'
import * as evacuations from './moves/evacuations.ts'
import * as moves from './moves/moves.ts'
import * as nodeToPanel from './node-link/node-to-panel.ts'
import * as joinTokens from './nodes/join-tokens.ts'
import * as nodeAvailability from './nodes/node-availability.ts'
import * as nodePorts from './nodes/node-ports.ts'
import * as nodes from './nodes/nodes.ts'
import * as placement from './nodes/placement.ts'
import * as unregisteredServers from './nodes/unregistered-servers.ts'
import * as orders from './orders/orders.ts'
import * as plans from './orders/plans.ts'
import * as consoleHistory from './servers/console-history.ts'
import * as dnsNames from './servers/dns-names.ts'
import * as extraPorts from './servers/extra-ports.ts'
import * as files from './servers/files.ts'
import * as livenessReports from './servers/liveness-reports.ts'
import * as newServer from './servers/new-server.ts'
import * as nodeServers from './servers/node-servers.ts'
import * as playerActions from './servers/player-actions.ts'
import * as playerSessions from './servers/player-sessions.ts'
import * as players from './servers/players.ts'
import * as restartCountdown from './servers/restart-countdown.ts'
import * as servers from './servers/servers.ts'
import * as statsHistory from './servers/stats-history.ts'
import * as suspension from './servers/suspension.ts'
import * as tasks from './servers/tasks.ts'
import * as trash from './servers/trash.ts'
import * as panel from './settings/panel.ts'
import * as settings from './settings/settings.ts'
import * as themes from './settings/themes.ts'
import * as catalog from './templates/catalog.ts'
import * as templates from './templates/templates.ts'

/** Modules with endpoints by subject, in the order of the API documentation. */
const subjects = {
  Login: { ...auth, ...signUp, ...passwordReset, ...signInLink },
  Account: { ...account, ...passkeys, ...oidc, ...sshKeys },
  OAuth2: oauth2,
  Servers: { ...servers, ...suspension, ...extraPorts, ...dnsNames, ...newServer, ...clones, ...moves },
  'Server users': serverUsers,
  'Running servers': {
    ...serverDefinition,
    ...nodeServers,
    ...consoleHistory,
    ...statsHistory,
    ...livenessReports,
    ...restartCountdown,
  },
  Players: { ...players, ...playerActions, ...playerSessions },
  Files: { ...files, ...trash },
  Backups: { ...backups, ...backupTargets, ...backupPlan },
  Tasks: tasks,
  Nodes: {
    ...nodes,
    ...nodeAvailability,
    ...evacuations,
    ...placement,
    ...joinTokens,
    ...nodePorts,
    ...nodeBackups,
    ...unregisteredServers,
  },
  Orders: { ...plans, ...orders },
  Templates: { ...templates, ...catalog },
  Users: { ...users, ...roles },
  Invites: invites,
  Settings: { ...settings, ...themes },
  Mail: mail,
  Alerts: { ...alerts, ...notifications },
  Activity: activity,
  Panel: panel,
} as const

/** An endpoint with the name of its export. */
export interface NamedEndpoint {
  readonly name: string
  /** Its tag in the API documentation; absent for endpoints that only nodes call. */
  readonly subject: string | undefined
  readonly call: Endpoint
}

/**
 * All API endpoints. Routes, the proxy to nodes and the API documentation are derived from this list; authorization and
 * audit log from each endpoint.
 */
export const endpoints: readonly NamedEndpoint[] = [
  ...Object.entries(subjects).flatMap(([subject, exported]) => endpointsIn(exported, subject)),
  ...endpointsIn(nodeToPanel, undefined),
]

function endpointsIn(exported: Readonly<Record<string, unknown>>, subject: string | undefined): NamedEndpoint[] {
  return Object.entries(exported).flatMap(([name, value]) =>
    isEndpoint(value) ? [{ name, subject, call: value }] : [],
  )
}

function isEndpoint(value: unknown): value is Endpoint {
  return typeof value === 'object' && value !== null && 'via' in value && 'access' in value
}
