import type { EvacuationOrder } from '@innkeeper/contract/moves/evacuations'
import { NodeLabels } from '@innkeeper/contract/nodes/placement'
import type { ServerUsage } from '@innkeeper/contract/servers/servers'
import { z } from 'zod'
import type { Database } from '../database/schema.ts'
import type { ServerToPlace } from '../nodes/move-targets.ts'
import type { NodeReports } from '../nodes/reports.ts'
import { getNeed } from '../nodes/rooms.ts'

interface Deps {
  readonly db: Database
  readonly reports: Pick<NodeReports, 'readResources'>
}

interface Wanted extends Pick<ServerToPlace, 'from' | 'only' | 'labels'> {
  readonly ids: readonly string[]
}

/** What servers of a node need elsewhere, in the order of `ids`: the labels of their plans too, when they belong to orders. */
export async function findServersToPlace(
  { db, reports }: Deps,
  { from, only, labels, ids }: Wanted,
): Promise<readonly ServerToPlace[]> {
  if (ids.length === 0) return []
  const reported = (await reports.readResources([from])).get(from)
  const orders = await db
    .selectFrom('orders')
    .select(['server_id', 'plan_body'])
    .where('server_id', 'in', ids)
    .execute()
  const labelsOfPlan = new Map(orders.map((order) => [order.server_id, PlanLabels.parse(JSON.parse(order.plan_body))]))
  return ids.map((id) => {
    const planned = labelsOfPlan.get(id)?.labels ?? []
    const need = reported ? getNeed(reported, id) : { memory: 0, disk: 0 }
    return { id, from, only, labels: [...new Set([...labels, ...planned])], ...need }
  })
}

const PlanLabels = z.object({ labels: z.optional(NodeLabels) })

interface NamedServer {
  readonly id: string
  readonly name: string
}

/** The servers of a node in the order in which they are moved, according to the last report of the node. */
export async function readInOrder(
  { db, reports }: Deps,
  node: number,
  order: EvacuationOrder,
): Promise<readonly NamedServer[]> {
  const byName = db.selectFrom('servers').select(['id', 'name']).where('node_id', '=', node).orderBy('name_sort')
  const servers = await byName.orderBy('id').execute()
  const reported = (await reports.readResources([node])).get(node)
  const usage = new Map(reported?.servers.map((server) => [server.id, server]))
  const keysOf = ({ id }: NamedServer) =>
    getSortKeys[order](usage.get(id), reported ? getNeed(reported, id) : { memory: 0 })
  // Servers with the same keys stay in the order of their names.
  return servers.toSorted((a, b) => compare(keysOf(a), keysOf(b)))
}

type GetSortKeys = (usage: ServerUsage | undefined, need: { readonly memory: number }) => readonly number[]

const isRunning = (usage: ServerUsage | undefined): number => (usage?.status?.running ? 1 : 0)

const getSortKeys: Readonly<Record<EvacuationOrder, GetSortKeys>> = {
  stopped: (usage, { memory }) => [isRunning(usage), memory],
  players: (usage, { memory }) => [usage?.players?.online ?? 0, isRunning(usage), memory],
  name: () => [],
}

function compare(a: readonly number[], b: readonly number[]): number {
  return a.map((key, index) => key - (b[index] ?? 0)).find((difference) => difference !== 0) ?? 0
}
