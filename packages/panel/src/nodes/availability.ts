import { Refusal } from '@innkeeper/contract/errors/refusals'
import {
  availabilityStates,
  type NewAvailability,
  type NodeAvailability,
} from '@innkeeper/contract/nodes/node-availability'
import { z } from 'zod'
import { type AuditContext, auditedTransaction } from '../access/audit-context.ts'
import { cachedValue } from '../caching/cached-value.ts'
import { upsert } from '../database/rows.ts'
import type { Database, Transaction } from '../database/schema.ts'
import { nodeCacheMs } from './node-repository.ts'

interface Deps {
  readonly db: Database
  /** The name of a node, unless it was deleted. Within a transaction it reads from there: SQLite has one connection. */
  readonly nodeName: (id: number, on?: Database) => Promise<string | undefined>
  readonly now: () => number
}

export type AvailabilityService = ReturnType<typeof availabilityService>

/** Which nodes take no new servers, or are in maintenance. A maintenance with an end is over when it has passed. */
export function availabilityService({ db, nodeName, now }: Deps) {
  const { get: all, forget } = cachedValue(async () => db.selectFrom('node_availability').selectAll().execute(), {
    maxAgeMs: nodeCacheMs,
    now,
  })
  const lasts = ({ until }: { readonly until: number | null }) => until === null || until > now()

  /** Not from the cache. */
  async function find(nodeId: number, on: Database): Promise<NodeAvailability | undefined> {
    const row = await on.selectFrom('node_availability').selectAll().where('node_id', '=', nodeId).executeTakeFirst()
    return row && lasts(row) ? toAvailability(row) : undefined
  }

  return {
    /** By node; active ones are omitted. */
    async read(): Promise<ReadonlyMap<number, NodeAvailability>> {
      return new Map((await all()).filter(lasts).map((row) => [row.node_id, toAvailability(row)]))
    },

    /** Throws ErrNodeDraining or ErrNodeInMaintenance for a node that takes no new servers. */
    async requireActive(nodeId: number, on: Database): Promise<void> {
      const found = await find(nodeId, on)
      if (!found || found.state === 'active') return
      const node = (await nodeName(nodeId, on)) ?? String(nodeId)
      if (found.state === 'draining') throw new Refusal('ErrNodeDraining', { node })
      throw new Refusal('ErrNodeInMaintenance', { node, reason: found.reason ?? '' })
    },

    async isInMaintenance(nodeId: number, on: Database = db): Promise<boolean> {
      return (await find(nodeId, on))?.state === 'maintenance'
    },

    /** Lets an active node take no new servers, in this transaction. The caller calls `forget` after it. */
    async drain(transaction: Transaction, nodeId: number): Promise<void> {
      if (await find(nodeId, transaction).then((found) => found && found.state !== 'active')) return
      const row = { node_id: nodeId, state: 'draining', reason: '', until: null }
      await upsert(transaction, 'node_availability', ['node_id'], row)
    },

    forget,

    async put(nodeId: number, availability: NewAvailability, audit: AuditContext): Promise<void> {
      const name = await nodeName(nodeId)
      if (name === undefined) throw new Refusal('ErrNotFound')
      audit.setSubject({ target: `${name}: ${availability.state}` })
      const { reason, until } = availability.state === 'maintenance' ? availability : { reason: '', until: undefined }
      const endsAt = until === undefined ? null : Date.parse(until)
      if (endsAt !== null && endsAt <= now()) throw new Refusal('ErrFieldNotFuture', { field: 'until' })
      const row = { node_id: nodeId, state: availability.state, reason, until: endsAt }
      await auditedTransaction(audit, db, async (transaction: Transaction) =>
        upsert(transaction, 'node_availability', ['node_id'], row),
      )
      forget()
    },
  }
}

function toAvailability(row: { state: string; reason: string; until: number | null }): NodeAvailability {
  return {
    state: z.enum(availabilityStates).parse(row.state),
    ...(row.reason !== '' && { reason: row.reason }),
    ...(row.until !== null && { until: new Date(row.until).toISOString() }),
  }
}
