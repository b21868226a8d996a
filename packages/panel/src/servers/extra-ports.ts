import type { ServerDefinition } from '@innkeeper/contract/definitions/definition'
import { getDefinition, putDefinition } from '@innkeeper/contract/definitions/server-definition'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import type { ExtraPort, ExtraPorts } from '@innkeeper/contract/servers/extra-ports'
import { getAddress } from '@innkeeper/contract/text/address'
import { type AuditContext, auditedTransaction } from '../access/audit-context.ts'
import type { Server } from '../access/principal.ts'
import { requireNotMoving } from '../database/moves.ts'
import type { Database } from '../database/schema.ts'
import type { NodesService } from '../nodes/nodes.ts'
import type { PortsService } from '../nodes/ports.ts'
import type { ClientInfo } from '../routing/route-context.ts'
import {
  bindPort,
  getBindableVariables,
  getExtraPorts,
  putExtraPort,
  removeExtraPort,
  type StoredPort,
  unbindPort,
} from './extra-port-variables.ts'

/** How often a change is repeated when others change the definition at the same time. */
const attempts = 5

interface Deps {
  readonly db: Database
  readonly nodes: Pick<NodesService, 'clientFor' | 'summaries'>
  readonly ports: Pick<PortsService, 'reserve' | 'reserveFree' | 'release'>
}

export interface PortChange {
  readonly note?: string | undefined
  /** `null` for none. */
  readonly variable?: string | null | undefined
}

export interface OnServer {
  readonly server: Server
  /** From where the addresses are asked. */
  readonly from: ClientInfo
  readonly audit: AuditContext
}

export type ExtraPortsService = ReturnType<typeof extraPortsService>

/**
 * Ports that the users of a server take beyond those of its template. They are variables of its definition on the node, so
 * that they are reserved, moved and passed to the program like its other ports; the panel stores only how many it may have.
 */
export function extraPortsService({ db, nodes, ports }: Deps) {
  /** Changes the definition, again when somebody else has changed it meanwhile. */
  async function change(
    { id, nodeId }: Server,
    apply: (definition: ServerDefinition) => Promise<ServerDefinition>,
  ): Promise<ServerDefinition> {
    await requireNotMoving(db, id)
    const client = await nodes.clientFor(nodeId)
    const params = { id }
    for (let attempt = 1; ; attempt++) {
      const { response: before, version } = await client.callVersioned(getDefinition, { params })
      const changed = await apply(before)
      try {
        await client.call(putDefinition, { params, body: changed }, { expectedVersion: version })
        return changed
      } catch (error) {
        const isRepeated = error instanceof Refusal && error.code === 'ErrStaleVersion' && attempt < attempts
        if (!isRepeated) throw error
      }
    }
  }

  /** The definition without the number of the port in a variable of the template. */
  async function unbind(
    definition: ServerDefinition,
    nodeId: number,
    stored: StoredPort,
  ): Promise<{ readonly definition: ServerDefinition; release(isCreated: boolean): Promise<void> }> {
    const { variable, replaced } = stored
    if (variable === undefined) return { definition, async release() {} }
    const reserved = await ports.reserve(nodeId, [replaced ?? stored.port], [], { keepsFree: true })
    const [free] = reserved.ports
    return {
      definition: unbindPort(definition, stored, free?.port ?? stored.port),
      release: (isCreated) => ports.release(reserved.id, { isCreated }),
    }
  }

  /** `change`, with a variable that may lose the number of the port. */
  async function changePort(
    server: Server,
    name: string,
    isUnbound: (stored: StoredPort) => boolean,
    apply: (definition: ServerDefinition, stored: StoredPort) => ServerDefinition,
  ): Promise<{ readonly definition: ServerDefinition; readonly port: number }> {
    let port = 0
    let release: ((isCreated: boolean) => Promise<void>) | undefined
    let isChanged = false
    try {
      const definition = await change(server, async (before) => {
        const stored = getExtraPorts(before.data).find((one) => one.name === name)
        if (!stored) throw new Refusal('ErrNotFound')
        port = stored.port
        await release?.(false)
        const unbound = isUnbound(stored) ? await unbind(before, server.nodeId, stored) : undefined
        release = unbound?.release
        return apply(unbound?.definition ?? before, stored)
      })
      isChanged = true
      return { definition, port }
    } finally {
      await release?.(isChanged)
    }
  }

  async function view(server: Server, from: ClientInfo, { data }: ServerDefinition): Promise<ExtraPort[]> {
    const node = (await nodes.summaries(from))(server.nodeId)
    return getExtraPorts(data).map(({ name, port, note, variable }) => ({
      ...{ name, port, note, address: getAddress({ ip: server.ip, port, node }) },
      ...(variable !== undefined && { variable }),
    }))
  }

  async function viewOne({ server, from }: OnServer, definition: ServerDefinition, name: string): Promise<ExtraPort> {
    const found = (await view(server, from, definition)).find((one) => one.name === name)
    if (!found) throw new Error(`${name} was not added`)
    return found
  }

  async function readLimit(id: string): Promise<number> {
    const row = await db.selectFrom('servers').select('extra_ports').where('id', '=', id).executeTakeFirst()
    if (!row) throw new Refusal('ErrServerNotFound')
    return row.extra_ports
  }

  return {
    async list(server: Server, from: ClientInfo): Promise<ExtraPorts> {
      const client = await nodes.clientFor(server.nodeId)
      const definition = await client.call(getDefinition, { params: { id: server.id } })
      const bindable = getBindableVariables(definition.data)
      return {
        limit: await readLimit(server.id),
        ports: await view(server, from, definition),
        variables: bindable.map(({ name, variable: { display } }) => ({ name, ...(display && { display }) })),
      }
    },

    /** Throws ErrTooMany, ErrNoFreePort, and ErrFieldInvalid for a variable that cannot have it. */
    async take(request: OnServer, { note = '', variable }: PortChange): Promise<ExtraPort> {
      const { server, audit } = request
      const limit = await readLimit(server.id)
      let reserved: { readonly id: string; readonly port: number } | undefined
      let name = ''
      let isTaken = false
      try {
        const definition = await change(server, async (before) => {
          const names = getExtraPorts(before.data).map((one) => one.name)
          if (names.length >= limit) throw new Refusal('ErrTooMany', { max: limit })
          reserved ??= await ports.reserveFree(server.nodeId, server.ip)
          name = firstFreeName(Object.keys(before.data))
          const added = putExtraPort(before, { name, port: reserved.port, note })
          return variable == null ? added : bindPort(added, name, variable)
        })
        isTaken = true
        audit.setSubject({ target: String(reserved?.port) })
        return await viewOne(request, definition, name)
      } finally {
        if (reserved) await ports.release(reserved.id, { isCreated: isTaken })
      }
    },

    /** Throws ErrNotFound. */
    async edit(request: OnServer, name: string, { note, variable }: PortChange): Promise<ExtraPort> {
      const isUnbound = (stored: StoredPort) => variable !== undefined && variable !== (stored.variable ?? null)
      const { definition, port } = await changePort(request.server, name, isUnbound, (before, stored) => {
        const noted = note === undefined ? before : putExtraPort(before, { ...stored, note })
        return variable == null || !isUnbound(stored) ? noted : bindPort(noted, name, variable)
      })
      request.audit.setSubject({ target: String(port) })
      return await viewOne(request, definition, name)
    },

    /** Throws ErrNotFound. */
    async release({ server, audit }: Omit<OnServer, 'from'>, name: string): Promise<void> {
      const remove = (before: ServerDefinition) => removeExtraPort(before, name)
      const { port } = await changePort(server, name, () => true, remove)
      audit.setSubject({ target: String(port) })
    },

    async putLimit(id: string, limit: number, audit: AuditContext): Promise<void> {
      audit.setSubject({ target: String(limit) })
      await auditedTransaction(audit, db, async (transaction) => setExtraPortLimit(transaction, id, limit))
    },
  }
}

/** Throws ErrServerNotFound. */
export async function setExtraPortLimit(db: Database, id: string, limit: number): Promise<void> {
  const server = await db.selectFrom('servers').select('id').where('id', '=', id).executeTakeFirst()
  if (!server) throw new Refusal('ErrServerNotFound')
  await db.updateTable('servers').set({ extra_ports: limit }).where('id', '=', id).execute()
}

function firstFreeName(names: readonly string[]): string {
  let at = 1
  while (names.includes(`extra_port_${at}`)) at++
  return `extra_port_${at}`
}
