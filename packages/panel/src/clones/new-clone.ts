import type { RequiredPermission } from '@innkeeper/contract/api/permissions'
import type { CloneRequest } from '@innkeeper/contract/clones/clones'
import type { Definition } from '@innkeeper/contract/definitions/definition'
import { getPortVariables } from '@innkeeper/contract/definitions/port-variables'
import { getDefinition } from '@innkeeper/contract/definitions/server-definition'
import { validateVariable } from '@innkeeper/contract/definitions/validate-variable'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { panelEndpoints } from '@innkeeper/contract/node-link/panel-to-node'
import { NewServer } from '@innkeeper/contract/servers/new-server'
import type { AccessService } from '../access/access.ts'
import type { AuditContext } from '../access/audit-context.ts'
import type { AuthorizedServer, Principal, PrincipalWithScope } from '../access/principal.ts'
import type { Database } from '../database/schema.ts'
import type { NodesService } from '../nodes/nodes.ts'
import type { PortsService } from '../nodes/ports.ts'
import { dropExtraPorts } from '../servers/extra-port-variables.ts'
import { createWithFreePorts } from '../servers/free-ports.ts'
import type { OnServerAdded } from '../servers/server-rows.ts'
import type { ServersService } from '../servers/servers.ts'
import type { CloneLeases } from './clone-leases.ts'
import type { LeasedClone } from './clone-rows.ts'

/** Timeout of reading a definition from the repository, which a busy node needs time to open. */
const definitionTimeoutMs = 60_000

export interface CreationDeps {
  readonly db: Database
  readonly nodes: Pick<NodesService, 'clientFor'>
  readonly access: Pick<AccessService, 'authorizeServer'>
  readonly servers: Pick<ServersService, 'create'>
  readonly ports: Pick<PortsService, 'reserve' | 'release'>
  readonly leases: Pick<CloneLeases, 'add' | 'remove'>
}

/** Creates the servers of clones, which are still empty and cannot be started. */
export function cloneCreation({ db, nodes, access, servers, ports, leases }: CreationDeps) {
  async function authorize(
    principal: Principal,
    id: string,
    { backup, users }: CloneRequest,
  ): Promise<AuthorizedServer<'viewServerBackups'>> {
    const more: readonly RequiredPermission[] = [
      ...(['viewServerFiles', 'editServerData'] as const),
      ...(backup === undefined ? (['createServerBackups'] as const) : []),
      ...(users ? (['editServerUsers'] as const) : []),
    ]
    for (const permission of more) await access.authorizeServer(principal, id, permission)
    return await access.authorizeServer(principal, id, 'viewServerBackups')
  }

  /** The definition in the backup; the current one without a backup, or when the backup has none. */
  async function readDefinition({ id, nodeId }: AuthorizedServer<'viewServerBackups'>, backup?: string) {
    const client = await nodes.clientFor(nodeId)
    if (backup !== undefined) {
      const stored = await client
        .call(panelEndpoints.getBackupDefinition, { params: { id, backup } }, { timeoutMs: definitionTimeoutMs })
        .catch((error: unknown) => {
          if (!(error instanceof Refusal && error.code === 'ErrBackupFailed')) throw error
        })
      if (stored) return stored
    }
    return await client.call(getDefinition, { params: { id } })
  }

  async function readTemplate(id: string): Promise<string | null> {
    const row = await db.selectFrom('servers').select('template').where('id', '=', id).executeTakeFirst()
    return row?.template ?? null
  }

  /** Creates the server, and the row of the clone with it. Throws what creating a server throws. */
  return async function create(
    principal: PrincipalWithScope<'servers.create'>,
    sourceId: string,
    request: CloneRequest,
    audit: AuditContext,
  ): Promise<LeasedClone> {
    const source = await authorize(principal, sourceId, request)
    audit.setSubject({ target: source.name })
    const { id: _, tasks, ...read } = await readDefinition(source, request.backup)
    // It takes its own.
    const definition = dropExtraPorts(read)
    const { name, node, backup, users: hasUsers } = request
    const data = withValues(principal, definition.data, request.data)
    const template = await readTemplate(source.id)
    const isDisabled = definition.run.disabled === true
    const clone = { nodeId: node, source: source.id, userId: principal.userId, backup, hasUsers, isDisabled, tasks }
    return await createWithFreePorts({ ports, node, data, requested: request.data }, async (free) => {
      const newServer = { ...definition, data: free, name, node, ...(template !== null && { template }) }
      let leased: LeasedClone | undefined
      try {
        const onAdd: OnServerAdded = async (transaction, id) => {
          leased = await leases.add(transaction, { ...clone, id }, { ...request, data: portsIn(request.data, data) })
        }
        await servers.create(principal, NewServer.parse(newServer), audit, { onAdd, isIncomplete: true })
      } catch (error) {
        if (leased) await leases.remove(leased)
        throw error
      }
      if (!leased) throw new Error('a clone was created without its row')
      return leased
    })
  }
}

/** The values of ports. Others may be secrets, which the panel does not store. */
function portsIn(values: CloneRequest['data'], data: Definition['data']): CloneRequest['data'] {
  const ports = getPortVariables(data).map(({ name }) => name)
  return Object.fromEntries(Object.entries(values).filter(([name]) => ports.includes(name)))
}

/** The variables with new values. Throws ErrFieldInvalid. */
function withValues(
  { isAdmin }: Principal,
  data: Definition['data'],
  values: CloneRequest['data'],
): Definition['data'] {
  const changed = Object.entries(values).map(([name, { value }]) => {
    const variable = Object.hasOwn(data, name) ? data[name] : undefined
    const field = `data.${name}`
    if (!variable || value === undefined || (variable.internal && !isAdmin))
      throw new Refusal('ErrFieldInvalid', { field })
    const problem = validateVariable(name, variable, value, field)
    if (problem) throw problem
    return [name, { ...variable, value }] as const
  })
  return { ...data, ...Object.fromEntries(changed) }
}
