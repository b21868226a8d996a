import { randomUUID } from 'node:crypto'
import { canSeeAllServers } from '@innkeeper/contract/api/permissions'
import { portMax } from '@innkeeper/contract/definitions/variables'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { addressesOverlap } from '@innkeeper/contract/http/listen-address'
import { panelEndpoints } from '@innkeeper/contract/node-link/panel-to-node'
import { type NodePorts, type PortInUse, PortRange, type ReservedPort } from '@innkeeper/contract/nodes/node-ports'
import { localNodeId } from '@innkeeper/contract/nodes/nodes'
import type { Logger } from 'pino'
import { z } from 'zod'
import { type AuditContext, auditedTransaction } from '../access/audit-context.ts'
import type { Principal } from '../access/principal.ts'
import { lock, runTransaction, upsert } from '../database/rows.ts'
import type { Database, Transaction } from '../database/schema.ts'
import { requireCurrent } from '../database/versions.ts'
import type { NodeRepository } from './node-repository.ts'
import type { NodesService } from './nodes.ts'

interface Deps {
  readonly db: Database
  readonly nodes: Pick<NodesService, 'tryRead'>
  readonly repository: Pick<NodeRepository, 'find'>
  readonly log: Logger
  readonly now: () => number
}

export type PortRequest = Pick<PortInUse, 'address' | 'port'>

/** A reservation of a panel that ended before it created the server expires after this time. */
const reservationMs = 10 * 60 * 1000
/**
 * How long a reservation outlives the creation of its server: another panel may have asked the node for its ports just
 * before.
 */
export const settledMs = 60 * 1000

export type PortsService = ReturnType<typeof portsService>

/** Port ranges of nodes, allocated ports, and ports in use on the machine. */
export function portsService(deps: Deps) {
  const { db, repository, log, now } = deps
  return {
    async get(nodeId: number): Promise<NodePorts> {
      await requireNode(repository, nodeId)
      const [ranges, reserved] = await Promise.all([readRanges(db, nodeId), reservedOn(db, nodeId)])
      return { ranges, reserved }
    },

    async put(
      nodeId: number,
      ranges: readonly PortRange[],
      audit: AuditContext,
      expectedVersion?: string,
    ): Promise<void> {
      await requireNode(repository, nodeId)
      await auditedTransaction(audit, db, async (transaction) => {
        await lock(transaction, 'node ports')
        requireCurrent(expectedVersion, await readRanges(transaction, nodeId))
        await upsert(transaction, 'node_ports', ['node_id'], { node_id: nodeId, ranges: JSON.stringify(ranges) })
      })
    },

    /** The ports that a node says are taken. */
    async readTaken(nodeId: number): Promise<readonly PortRequest[]> {
      return (await takenOnNode(deps, nodeId)).taken
    },

    async free(nodeId: number, count: number) {
      await requireNode(repository, nodeId)
      const ranges = await readRanges(db, nodeId)
      if (ranges.length === 0) return { hasRanges: false, ports: [], isChecked: false }
      const { taken, isChecked } = await takenOn(deps, nodeId)
      return { hasRanges: true, ports: allocate(ranges, taken, count), isChecked }
    },

    /** Free ports for a copy of a server with these ports. */
    async replace(nodeId: number, ports: readonly number[]) {
      await requireNode(repository, nodeId)
      const [ranges, { taken, isChecked }] = await Promise.all([readRanges(db, nodeId), takenOn(deps, nodeId)])
      return { hasRanges: ranges.length > 0, ports: replacePorts(ranges, taken, ports), isChecked }
    },

    /** The ports of a server that is moved to the node: its own where they are free. */
    async keep(nodeId: number, ports: readonly number[]): Promise<readonly PortRequest[]> {
      await requireNode(repository, nodeId)
      const [ranges, { taken }] = await Promise.all([readRanges(db, nodeId), takenOn(deps, nodeId)])
      return keepPorts(ranges, taken, ports)
    },

    /**
     * Reserves free ports for a copy of a server with these ports, so that no other panel allocates them; `kept` are further
     * ones that it will have. With `keepsFree` it gets its own ports where they are free, see `keep`. With the `id` of a
     * placement both are extended and released together. The caller must call `release`.
     */
    async reserve(
      nodeId: number,
      ports: readonly number[],
      kept: readonly number[],
      { keepsFree = false, id = randomUUID() }: { readonly keepsFree?: boolean; readonly id?: string | undefined } = {},
    ): Promise<{ readonly id: string; readonly ports: readonly PortRequest[] }> {
      await requireNode(repository, nodeId)
      // Nodes are asked outside of the transaction.
      const { taken } = await takenOnNode(deps, nodeId)
      return await runTransaction(db, async (transaction) => {
        await lockPortReservations(transaction, now())
        const [ranges, allocated] = [
          await readRanges(transaction, nodeId),
          await allocatedOn(transaction, nodeId, now()),
        ]
        const own = kept.map((port) => ({ address: '', port }))
        const choose = keepsFree ? keepPorts : replacePorts
        const free = choose(ranges, [...taken, ...allocated, ...own], ports)
        const numbers = new Map([...free, ...own].map((reserved) => [reserved.port, reserved]))
        const expiresAt = now() + reservationMs
        await insertPortReservation(transaction, { id, nodeId, ports: [...numbers.values()], expiresAt })
        return { id, ports: free }
      })
    },

    /**
     * Reserves a free port of the ranges on this address. The caller must call `release`.
     * @throws ErrNoFreePort
     */
    async reserveFree(nodeId: number, address: string): Promise<{ readonly id: string; readonly port: number }> {
      await requireNode(repository, nodeId)
      // Nodes are asked outside of the transaction.
      const { taken } = await takenOnNode(deps, nodeId)
      const id = randomUUID()
      return await runTransaction(db, async (transaction) => {
        await lockPortReservations(transaction, now())
        const ranges = await readRanges(transaction, nodeId)
        const usable = ranges.filter((range) => addressesOverlap(range.address, address))
        const [free] = allocate(usable, [...taken, ...(await allocatedOn(transaction, nodeId, now()))], 1)
        if (!free) throw new Refusal('ErrNoFreePort')
        await insertPortReservation(transaction, { id, nodeId, ports: [free], expiresAt: now() + reservationMs })
        return { id, port: free.port }
      })
    },

    /** Keeps a reservation for longer work. */
    async extend(id: string): Promise<void> {
      await setExpiry(db, id, now() + reservationMs)
    },

    /** Ends a reservation: the node of a server that was created knows its ports. Never rejects. */
    async release(id: string, { isCreated }: { readonly isCreated: boolean }): Promise<void> {
      const shortening = setExpiry(db, id, now() + (isCreated ? settledMs : 0))
      await shortening.catch((err: unknown) => log.warn({ err }, 'reserved ports are not free yet'))
    },

    async check(nodeId: number, { address, port }: PortRequest, principal: Principal) {
      await requireNode(repository, nodeId)
      const [reserved, used] = await Promise.all([
        reservedOn(db, nodeId, port),
        deps.nodes.tryRead(nodeId, panelEndpoints.listPortsInUse, {}),
      ])
      const holder = reserved.find((binding) => addressesOverlap(binding.address, address))
      const using = (used ?? []).filter(
        (binding) => binding.port === port && addressesOverlap(binding.address, address),
      )
      return {
        isReserved: holder !== undefined,
        ...(holder && canSeeAllServers(principal.scopes) ? { server: holder.server } : {}),
        inUse: [...new Set(using.map(({ protocol }) => protocol))],
        isChecked: used !== undefined,
      }
    },
  }
}

/** Reservations are made one after another, in the whole cluster. Deletes those that have expired. */
export async function lockPortReservations(transaction: Transaction, now: number): Promise<void> {
  await lock(transaction, 'port reservations')
  await transaction.deleteFrom('port_reservations').where('expires_at', '<=', now).execute()
}

/** Of the ports, and of the room of the same ID. */
async function setExpiry(db: Database, id: string, expires_at: number): Promise<void> {
  for (const table of ['port_reservations', 'placements'] as const)
    await db.updateTable(table).set({ expires_at }).where('id', '=', id).execute()
}

interface FreePortsOptions {
  readonly nodeId: number
  /** What the node says is taken. */
  readonly taken: readonly PortRequest[]
  readonly count: number
  readonly now: number
}

/** Free ports of the ranges, at most `count`. */
export async function findFreePorts(
  transaction: Transaction,
  { nodeId, taken, count, now }: FreePortsOptions,
): Promise<PortRequest[]> {
  if (count === 0) return []
  const allocated = await allocatedOn(transaction, nodeId, now)
  return allocate(await readRanges(transaction, nodeId), [...taken, ...allocated], count)
}

interface PortReservation {
  readonly id: string
  readonly nodeId: number
  readonly ports: readonly PortRequest[]
  readonly expiresAt: number
}

export async function insertPortReservation(
  transaction: Transaction,
  { id, nodeId, ports, expiresAt }: PortReservation,
): Promise<void> {
  const rows = ports.map(({ address, port }) => ({ id, node_id: nodeId, ip: address, port, expires_at: expiresAt }))
  if (rows.length > 0) await transaction.insertInto('port_reservations').values(rows).execute()
}

async function requireNode(repository: Deps['repository'], nodeId: number): Promise<void> {
  if (nodeId !== localNodeId && !(await repository.find(nodeId))) throw new Refusal('ErrNotFound')
}

async function readRanges(db: Database, nodeId: number): Promise<PortRange[]> {
  const row = await db.selectFrom('node_ports').select('ranges').where('node_id', '=', nodeId).executeTakeFirst()
  return row ? Ranges.parse(JSON.parse(row.ranges)) : []
}

async function reservedOn(db: Database, nodeId: number, port?: number): Promise<ReservedPort[]> {
  let servers = db.selectFrom('servers').select(['id', 'name', 'ip', 'port']).where('node_id', '=', nodeId)
  servers = port === undefined ? servers.where('port', '>', 0) : servers.where('port', '=', port)
  const rows = await servers.orderBy('port').orderBy('id').execute()
  return rows.map(({ id, name, ip, port }) => ({ address: ip, port, server: { id, name } }))
}

/** According to the database: ports of servers, and of those that are being created. */
async function allocatedOn(db: Database, nodeId: number, now: number): Promise<readonly PortRequest[]> {
  const creating = await db
    .selectFrom('port_reservations')
    .select(['ip as address', 'port'])
    .where('node_id', '=', nodeId)
    .where('expires_at', '>', now)
    .execute()
  return [...(await reservedOn(db, nodeId)), ...creating]
}

interface TakenPorts {
  readonly taken: readonly PortRequest[]
  /** Whether the node has responded. */
  readonly isChecked: boolean
}

/** According to the node. */
async function takenOnNode(deps: Deps, nodeId: number): Promise<TakenPorts> {
  const [ofServers = [], used] = await Promise.all([
    // An older node does not know this endpoint.
    deps.nodes.tryRead(nodeId, panelEndpoints.listServerPorts, {}),
    deps.nodes.tryRead(nodeId, panelEndpoints.listPortsInUse, {}),
  ])
  return { taken: [...ofServers, ...(used ?? [])], isChecked: used !== undefined }
}

async function takenOn(deps: Deps, nodeId: number): Promise<TakenPorts> {
  const [allocated, { taken, isChecked }] = await Promise.all([
    allocatedOn(deps.db, nodeId, deps.now()),
    takenOnNode(deps, nodeId),
  ])
  return { taken: [...allocated, ...taken], isChecked }
}

/** Allocates the first free ports of the ranges. */
export function allocate(
  ranges: readonly PortRange[],
  usedPorts: readonly PortRequest[],
  count: number,
): PortRequest[] {
  const serversOnPorts = new Map<number, string[]>()
  const reserve = ({ address, port }: PortRequest) =>
    serversOnPorts.set(port, [...(serversOnPorts.get(port) ?? []), address])
  for (const binding of usedPorts) reserve(binding)

  const found: PortRequest[] = []
  for (const { address, from, to } of ranges) {
    for (let port = from; port <= to && found.length < count; port++) {
      if (serversOnPorts.get(port)?.some((holder) => addressesOverlap(holder, address))) continue
      found.push({ address, port })
      reserve({ address, port })
    }
  }
  return found
}

/** Allocates free ports of the ranges; when there are no more, these or the next ones, with an empty address. */
function replacePorts(
  ranges: readonly PortRange[],
  usedPorts: readonly PortRequest[],
  ports: readonly number[],
): PortRequest[] {
  const found = allocate(ranges, usedPorts, ports.length)
  const taken = new Set([...usedPorts, ...found].map(({ port }) => port))
  const others = ports.slice(found.length).map((port) => {
    let free = port
    while (taken.has(free) && free < portMax) free++
    taken.add(free)
    return { address: '', port: free }
  })
  return [...found, ...others]
}

/** Keeps the ports that are not taken, with the address of their range, and replaces the others. */
function keepPorts(
  ranges: readonly PortRange[],
  usedPorts: readonly PortRequest[],
  ports: readonly number[],
): PortRequest[] {
  const used = new Set(usedPorts.map(({ port }) => port))
  const [kept, others] = [ports.filter((port) => !used.has(port)), ports.filter((port) => used.has(port))]
  const keptPlaces = kept.map((port) => {
    const range = ranges.find(({ from, to }) => from <= port && port <= to)
    return { address: range?.address ?? '', port }
  })
  const replaced = replacePorts(ranges, [...usedPorts, ...keptPlaces], others)
  return ports.flatMap((port) => keptPlaces[kept.indexOf(port)] ?? replaced[others.indexOf(port)] ?? [])
}

const Ranges = z.array(PortRange)
