import type { NodeRoom } from '@innkeeper/contract/nodes/node-room'
import type { PlacementSettings } from '@innkeeper/contract/nodes/placement'
import type { Database } from '../database/schema.ts'
import type { PlacementSettingsService } from './placement-settings.ts'
import type { NodeReports, ReportedResources } from './reports.ts'

/** Bytes of a reservation, and the server that was created with it. */
export interface Reserved {
  readonly memory: number
  readonly disk: number
  readonly server_id: string | null
}

interface Deps {
  readonly db: Database
  readonly reports: Pick<NodeReports, 'readResources'>
  readonly placementSettings: Pick<PlacementSettingsService, 'read'>
  readonly now: () => number
}

export type RoomsService = ReturnType<typeof roomsService>

/** How much room nodes have for new servers. */
export function roomsService({ db, reports, placementSettings, now }: Deps) {
  return {
    /** By node; nodes that have never reported are omitted. */
    async read(nodeIds: readonly number[]): Promise<ReadonlyMap<number, NodeRoom>> {
      const [resources, getSettings] = await Promise.all([reports.readResources(nodeIds), placementSettings.read()])
      const reserved = await db.selectFrom('placements').selectAll().where('expires_at', '>', now()).execute()
      return new Map(
        [...resources].map(([id, reported]) => {
          const onNode = reserved.filter(({ node_id }) => node_id === id)
          return [id, getRoom(reported, getSettings(id), onNode)]
        }),
      )
    },
  }
}

/** Bytes that a server may use, and that it uses. */
interface Limited {
  readonly limit: number
  readonly used: number
}

/**
 * The room of a node for new servers. A server with a limit counts with its limit, also while it is offline. Everything
 * else on the machine, and servers without a limit, count with what they use.
 */
export function getRoom(
  { machine, servers }: ReportedResources,
  { memoryFactor, diskFactor }: Pick<PlacementSettings, 'memoryFactor' | 'diskFactor'>,
  reservations: readonly Reserved[],
): NodeRoom {
  const reported = new Set(servers.map(({ id }) => id))
  // A server that the node has reported counts itself.
  const open = reservations.filter(({ server_id }) => server_id === null || !reported.has(server_id))
  const memory = servers.flatMap(({ memoryMax, stats }) =>
    // Without a limit the node reports the memory of its machine.
    memoryMax !== undefined && memoryMax < machine.memory.total ? [{ limit: memoryMax, used: stats?.memory ?? 0 }] : [],
  )
  const disk = servers.flatMap(({ disk: space }) => (space ? [{ limit: space.limitBytes, used: space.usedBytes }] : []))
  return {
    memory: roomOf(machine.memory, memoryFactor, memory, sum(open.map((one) => one.memory))),
    disk: roomOf(machine.disk, diskFactor, disk, sum(open.map((one) => one.disk))),
  }
}

/** Bytes that a server takes of a room elsewhere, by the same rule: its limits, or else what it uses as far as that is known. */
export function getNeed(
  { machine, servers }: ReportedResources,
  server: string,
): { readonly memory: number; readonly disk: number } {
  const { memoryMax = 0, stats, disk } = servers.find(({ id }) => id === server) ?? {}
  const isLimited = memoryMax > 0 && memoryMax < machine.memory.total
  return { memory: isLimited ? memoryMax : (stats?.memory ?? 0), disk: disk?.limitBytes ?? 0 }
}

function roomOf(
  machine: { readonly total: number; readonly used: number },
  factor: number,
  limited: readonly Limited[],
  reserved: number,
): NodeRoom['memory'] {
  const total = Math.floor(machine.total * factor)
  const unlimited = Math.max(0, machine.used - sum(limited.map(({ used }) => used)))
  const promised = sum(limited.map(({ limit, used }) => Math.max(limit, used)))
  return { total, free: Math.max(0, Math.floor(total - promised - unlimited - reserved)) }
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
