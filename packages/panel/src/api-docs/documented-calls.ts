import * as account from '@innkeeper/contract/account'
import * as activity from '@innkeeper/contract/activity'
import * as auth from '@innkeeper/contract/auth'
import * as catalogue from '@innkeeper/contract/catalogue'
import * as consoleHistory from '@innkeeper/contract/console-history'
import type { Endpoint } from '@innkeeper/contract/endpoint'
import * as files from '@innkeeper/contract/files'
import * as invites from '@innkeeper/contract/invites'
import * as mail from '@innkeeper/contract/mail'
import * as nodePorts from '@innkeeper/contract/node-ports'
import * as nodeServers from '@innkeeper/contract/node-servers'
import * as nodes from '@innkeeper/contract/nodes'
import * as oauth2 from '@innkeeper/contract/oauth2'
import * as panel from '@innkeeper/contract/panel'
import * as passwordReset from '@innkeeper/contract/password-reset'
import * as serverUsers from '@innkeeper/contract/server-users'
import * as servers from '@innkeeper/contract/servers'
import * as settings from '@innkeeper/contract/settings'
import * as sshKeys from '@innkeeper/contract/ssh-keys'
import * as statsHistory from '@innkeeper/contract/stats-history'
import * as tasks from '@innkeeper/contract/tasks'
import * as templates from '@innkeeper/contract/templates'
import * as themes from '@innkeeper/contract/themes'
import * as users from '@innkeeper/contract/users'

/** An endpoint with its name in the contract and its tag. */
export interface DocumentedCall {
  readonly name: string
  readonly subject: string
  readonly call: Endpoint
}

const subjects = {
  Login: { ...auth, ...passwordReset },
  Account: { ...account, ...sshKeys },
  OAuth2: oauth2,
  Servers: servers,
  'Server users': serverUsers,
  'Running servers': { ...nodeServers, ...consoleHistory, ...statsHistory },
  Files: files,
  Tasks: tasks,
  Nodes: { ...nodes, ...nodePorts },
  Templates: { ...templates, ...catalogue },
  Users: users,
  Invites: invites,
  Settings: { ...settings, ...themes },
  Mail: mail,
  Activity: activity,
  Panel: panel,
} as const

/** All endpoints for users and programs, by tag. */
export const documentedCalls: readonly DocumentedCall[] = Object.entries(subjects).flatMap(([subject, exported]) =>
  Object.entries<unknown>(exported).flatMap(([name, value]) => (isCall(value) ? [{ name, subject, call: value }] : [])),
)

function isCall(value: unknown): value is Endpoint {
  return typeof value === 'object' && value !== null && 'via' in value && 'method' in value && 'path' in value
}
