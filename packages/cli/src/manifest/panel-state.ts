import { listServerUsers, type ServerUser } from '@innkeeper/contract/accounts/server-users'
import { getUser, getUserPermissions, listUsers } from '@innkeeper/contract/accounts/users'
import type { Paging } from '@innkeeper/contract/api/paging'
import type { GlobalPermission } from '@innkeeper/contract/api/permissions'
import type { ServerDefinition, Template } from '@innkeeper/contract/definitions/definition'
import { getDefinition } from '@innkeeper/contract/definitions/server-definition'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { listNodes, localNodeId, type NodeHealth } from '@innkeeper/contract/nodes/nodes'
import { getServer, type ListedServer, listServers } from '@innkeeper/contract/servers/servers'
import { listTasks, type TaskView } from '@innkeeper/contract/servers/tasks'
import { listCatalog } from '@innkeeper/contract/templates/catalog'
import { getTemplate, listTemplates } from '@innkeeper/contract/templates/templates'
import { limits } from '@innkeeper/contract/text/limits'
import { Semaphore } from '@innkeeper/daemon/concurrency/semaphore'
import { type PanelClient, PanelError } from './panel-client.ts'
import { globalPermissionNames } from './schema.ts'

/** Requests at the same time: the panel has other work. */
const concurrency = 4

export interface KnownTemplate {
  readonly template: Template
  readonly version: string | undefined
  /** It is as Innkeeper or the index of templates has it. */
  readonly isOfficial: boolean
}

export interface KnownUser {
  readonly id: number
  readonly username: string
  readonly email: string
  readonly isEmailConfirmed: boolean
  readonly version: string | undefined
  readonly permissions: readonly GlobalPermission[]
  readonly permissionsVersion: string | undefined
}

export interface KnownServer {
  readonly id: string
  readonly name: string
  /** Name of its node. */
  readonly node: string
  readonly template: string | undefined
  readonly tags: readonly string[]
  readonly definition: ServerDefinition
  readonly version: string | undefined
  /** With an account; invitations are not among them. */
  readonly users: readonly ServerUser[]
  readonly tasks: Readonly<Record<string, TaskView>>
}

/** What a panel has. Users are by address in lower case. */
export interface PanelState {
  readonly nodes: readonly { readonly id: number; readonly name: string; readonly isOnline: boolean }[]
  readonly localNode: string | undefined
  readonly templates: ReadonlyMap<string, KnownTemplate>
  readonly users: ReadonlyMap<string, KnownUser>
  readonly servers: ReadonlyMap<string, KnownServer>
  /** Servers that were not read. */
  readonly otherServers: readonly Pick<KnownServer, 'id' | 'name' | 'node'>[]
}

export const emailKey = (email: string): string => email.toLowerCase()

/**
 * Reads everything, or only the servers that `needsServer` selects by name: their nodes must be online.
 * @throws PanelError when a node does not respond
 */
export async function readPanelState(
  client: PanelClient,
  needsServer: (name: string) => boolean = () => true,
): Promise<PanelState> {
  const semaphore = new Semaphore(concurrency)
  const each = async <T, U>(items: readonly T[], read: (item: T) => Promise<U>): Promise<U[]> =>
    Promise.all(items.map((item) => semaphore.run(() => read(item))))
  const nodes = (await client.call(listNodes, {})).body
  const { entries } = (await client.call(listCatalog, {})).body
  const official = new Set(entries.filter(({ state }) => state === 'same').map(({ name }) => name))
  const summaries = (await client.call(listTemplates, {})).body
  const templates = await each(summaries, async ({ name }) => {
    const { body: template, version } = await client.call(getTemplate, { params: { name } })
    return [name, { template, version, isOfficial: official.has(name) }] as const
  })
  const accounts = await allPages(async (page) => {
    const { users, paging } = (await client.call(listUsers, { query: page })).body
    return { items: users, paging }
  })
  const users = await each(accounts, async ({ id }) => {
    const user = await readUser(client, id)
    return [emailKey(user.email), user] as const
  })
  const listed = await allPages(async (page) => {
    const { servers, paging } = (await client.call(listServers, { query: page })).body
    return { items: servers, paging }
  })
  const needed = listed.filter(({ name }) => needsServer(name))
  const servers = await each(needed, async (server) => [server.name, await readServer(client, server)] as const)
  return {
    nodes: nodes.map(({ id, name, health }) => ({ id, name, isOnline: id === localNodeId || isReachable(health) })),
    localNode: nodes.find(({ id }) => id === localNodeId)?.name,
    templates: new Map(templates),
    users: new Map(users),
    servers: new Map(servers),
    otherServers: listed
      .filter(({ name }) => !needsServer(name))
      .map(({ id, name, node }) => ({ id, name, node: node.name })),
  }
}

/** By its last report: a node that was stopped a moment ago counts as online. */
const isReachable = (health: NodeHealth | undefined): boolean =>
  (health?.state === 'online' || health?.state === 'degraded') && !health.problems.includes('unreachable')

async function readUser(client: PanelClient, id: number): Promise<KnownUser> {
  const params = { id }
  const { body: user, version } = await client.call(getUser, { params })
  const { body: granted, version: permissionsVersion } = await client.call(getUserPermissions, { params })
  const permissions = globalPermissionNames.filter((name) => granted[name] === true)
  const { username, email, emailConfirmed } = user
  return { id, username, email, isEmailConfirmed: emailConfirmed, version, permissions, permissionsVersion }
}

async function readServer(client: PanelClient, { id, name, node, tags }: ListedServer): Promise<KnownServer> {
  const params = { id }
  try {
    const { server } = (await client.call(getServer, { params, query: {} })).body
    const { body: definition, version } = await client.call(getDefinition, { params })
    const { tasks } = (await client.call(listTasks, { params })).body
    const everyone = (await client.call(listServerUsers, { params, query: { self: '' } })).body
    const users = everyone.filter(({ username }) => username !== '')
    return { id, name, node: node.name, template: server.template?.name, tags, definition, version, users, tasks }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    throw new PanelError(`The server ${name} on node ${node.name} cannot be read: ${error.message}.`, { cause: error })
  }
}

/** Reads a list page by page. */
async function allPages<T>(
  read: (page: { page: number; limit: number }) => Promise<{ items: readonly T[]; paging: Paging }>,
): Promise<T[]> {
  const all: T[] = []
  for (let page = 1; ; page++) {
    const { items, paging } = await read({ page, limit: limits.pageSizeMax })
    all.push(...items)
    if (items.length === 0 || all.length >= paging.total) return all
  }
}
