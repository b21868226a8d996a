import { randomUUID } from 'node:crypto'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { type NewPlacement, type Placement, placementMs } from '@innkeeper/contract/nodes/placement'
import { type AuditContext, auditedTransaction } from '../access/audit-context.ts'
import type { Principal } from '../access/principal.ts'
import { affectsRows, countRows } from '../database/rows.ts'
import type { Database, Transaction } from '../database/schema.ts'
import { type Candidate, chooseNode } from './choose-node.ts'
import { type PlacementNodesDeps, readPlacementNodes } from './placement-nodes.ts'
import { findFreePorts, insertPortReservation, lockPortReservations, type PortRequest, settledMs } from './ports.ts'
import { getRoom } from './rooms.ts'

/** Reservations of one user at a time. */
const maxPlacementsPerUser = 100
const mebibyte = 1024 ** 2

interface Deps extends PlacementNodesDeps {
  readonly db: Database
  readonly now: () => number
}

/** A reservation that was not used yet. Memory and disk space are in MiB; 0 was not requested. */
export interface OpenPlacement {
  readonly id: string
  readonly nodeId: number
  readonly memory: number
  readonly disk: number
  readonly ports: readonly PortRequest[]
}

export type PlacementsService = ReturnType<typeof placementsService>

/** Chooses nodes for new servers, and reserves room and ports there. */
export function placementsService(deps: Deps) {
  const { db, now } = deps
  return {
    /** Throws ErrNoNodeFits, ErrNoNodes, ErrNoTemplate, or ErrTooMany. */
    async create(principal: Principal, request: NewPlacement, audit: AuditContext): Promise<Placement> {
      // Nodes are asked outside of the transaction.
      const nodes = await readPlacementNodes(deps, request)
      const [memory, disk] = [(request.memory ?? 0) * mebibyte, (request.disk ?? 0) * mebibyte]
      return await auditedTransaction(audit, db, async (transaction) => {
        await lockPortReservations(transaction, now())
        await transaction.deleteFrom('placements').where('expires_at', '<=', now()).execute()
        const own = transaction.selectFrom('placements').where('user_id', '=', principal.userId)
        if ((await countRows(own)) >= maxPlacementsPerUser)
          throw new Refusal('ErrTooMany', { max: maxPlacementsPerUser })
        const reserved = await transaction.selectFrom('placements').selectAll().execute()
        const candidates: Candidate[] = []
        for (const { resources, settings, taken, ...node } of nodes) {
          const onNode = reserved.filter(({ node_id }) => node_id === node.id)
          const free = await findFreePorts(transaction, { nodeId: node.id, taken, count: request.ports, now: now() })
          candidates.push({ ...node, ports: free, room: resources && getRoom(resources, settings, onNode) })
        }
        const { node, room, reason } = chooseNode(request, candidates)
        audit.setSubject({ target: node.name })
        const [id, expires_at] = [randomUUID(), now() + placementMs]
        const row = { id, node_id: node.id, user_id: principal.userId, memory, disk, server_id: null, expires_at }
        await transaction.insertInto('placements').values(row).execute()
        await insertPortReservation(transaction, { id, nodeId: node.id, ports: node.ports, expiresAt: expires_at })
        return {
          id,
          node: { id: node.id, name: node.name },
          reason,
          room,
          ports: node.ports.map(({ address, port }) => ({ address, port })),
          expiresAt: new Date(expires_at).toISOString(),
        }
      })
    },

    /** Throws ErrPlacementExpired, also for a reservation of another user or one that was used. */
    async find(id: string, { userId }: Principal): Promise<OpenPlacement> {
      const row = await db
        .selectFrom('placements')
        .selectAll()
        .where('id', '=', id)
        .where('user_id', '=', userId)
        .where('server_id', 'is', null)
        .where('expires_at', '>', now())
        .executeTakeFirst()
      if (!row) throw new Refusal('ErrPlacementExpired')
      const reservedPorts = await db
        .selectFrom('port_reservations')
        .select(['ip as address', 'port'])
        .where('id', '=', id)
        .orderBy('port')
        .execute()
      const { node_id: nodeId, memory, disk } = row
      return { id, nodeId, memory: memory / mebibyte, disk: disk / mebibyte, ports: reservedPorts }
    },

    /**
     * Uses a reservation for a server that is added in this transaction. It holds room and ports until the node has
     * reported the server. Throws ErrPlacementExpired.
     */
    async use(transaction: Transaction, id: string, server: string): Promise<void> {
      await lockPortReservations(transaction, now())
      const expires_at = now() + settledMs
      const using = transaction
        .updateTable('placements')
        .set({ server_id: server, expires_at })
        .where('id', '=', id)
        .where('server_id', 'is', null)
        .where('expires_at', '>', now())
      if (!(await affectsRows(using))) throw new Refusal('ErrPlacementExpired')
      await transaction.updateTable('port_reservations').set({ expires_at }).where('id', '=', id).execute()
    },
  }
}
