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
import * as nodePanel from '@innkeeper/contract/node-to-panel'
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
import type { RegisterFormRoute, RegisterRoute } from './route-context.ts'

const modules = {
  account,
  activity,
  auth,
  catalogue,
  consoleHistory,
  files,
  invites,
  mail,
  nodePanel,
  nodePorts,
  nodeServers,
  nodes,
  oauth2,
  panel,
  passwordReset,
  serverUsers,
  servers,
  settings,
  sshKeys,
  statsHistory,
  tasks,
  templates,
  themes,
  users,
}

/**
 * All HTTP endpoints by name, each with its authorization rule (`endpoint.access`). Permissions of live socket messages
 * are in `permissionOfMessage` of the contract.
 */
export const routeTable: ReadonlyMap<string, Endpoint> = new Map(
  Object.values(modules).flatMap((module) => Object.entries<unknown>(module).filter(isNamedCall)),
)

/**
 * Registers the handlers of the panel's endpoints. Throws when a handler has no endpoint in the table, or an endpoint
 * has no handler.
 */
export function registerRoutes(
  registerRoute: RegisterRoute,
  registerFormRoute: RegisterFormRoute,
  routes: (registerRoute: RegisterRoute, registerFormRoute: RegisterFormRoute) => void,
): void {
  const left = new Map(
    [...routeTable].filter(([, { via }]) => via === 'panel').map(([name, call]) => [call as unknown, name]),
  )
  const markRegistered = (call: Endpoint) => {
    if (!left.delete(call))
      throw new Error(`${call.method} ${call.path} is not in the route table, or is registered twice.`)
  }
  routes(
    (call, ...rest) => {
      markRegistered(call)
      registerRoute(call, ...rest)
    },
    (call, handler) => {
      markRegistered(call)
      registerFormRoute(call, handler)
    },
  )
  if (left.size > 0) throw new Error(`No handler for ${[...left.values()].join(', ')}.`)
}

function isNamedCall(entry: [string, unknown]): entry is [string, Endpoint] {
  const [, value] = entry
  return typeof value === 'object' && value !== null && 'via' in value && 'access' in value
}
