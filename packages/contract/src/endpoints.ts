import * as account from './account.ts'
import * as activity from './activity.ts'
import * as alerts from './alerts.ts'
import * as auth from './auth.ts'
import * as backupPlan from './backup-plan.ts'
import * as backupTargets from './backup-targets.ts'
import * as backups from './backups.ts'
import * as catalog from './catalog.ts'
import * as clones from './clones.ts'
import * as consoleHistory from './console-history.ts'
import type { Endpoint } from './endpoint.ts'
import * as files from './files.ts'
import * as invites from './invites.ts'
import * as mail from './mail.ts'
import * as newServer from './new-server.ts'
import * as nodeBackups from './node-backups.ts'
import * as nodePorts from './node-ports.ts'
import * as nodeServers from './node-servers.ts'
import * as nodeToPanel from './node-to-panel.ts'
import * as nodes from './nodes.ts'
import * as oauth2 from './oauth2.ts'
import * as panel from './panel.ts'
import * as passwordReset from './password-reset.ts'
import * as serverDefinition from './server-definition.ts'
import * as serverUsers from './server-users.ts'
import * as servers from './servers.ts'
import * as settings from './settings.ts'
import * as sshKeys from './ssh-keys.ts'
import * as statsHistory from './stats-history.ts'
import * as tasks from './tasks.ts'
import * as templates from './templates.ts'
import * as themes from './themes.ts'
import * as trash from './trash.ts'
import * as unregisteredServers from './unregistered-servers.ts'
import * as users from './users.ts'

/** Modules with endpoints by subject, in the order of the API documentation. */
const subjects = {
  Login: { ...auth, ...passwordReset },
  Account: { ...account, ...sshKeys },
  OAuth2: oauth2,
  Servers: { ...servers, ...newServer, ...clones },
  'Server users': serverUsers,
  'Running servers': { ...serverDefinition, ...nodeServers, ...consoleHistory, ...statsHistory },
  Files: { ...files, ...trash },
  Backups: { ...backups, ...backupTargets, ...backupPlan },
  Tasks: tasks,
  Nodes: { ...nodes, ...nodePorts, ...nodeBackups, ...unregisteredServers },
  Templates: { ...templates, ...catalog },
  Users: users,
  Invites: invites,
  Settings: { ...settings, ...themes },
  Mail: mail,
  Alerts: alerts,
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
