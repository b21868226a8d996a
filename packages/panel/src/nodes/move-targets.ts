import { randomUUID } from 'node:crypto'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { placementMs } from '@innkeeper/contract/nodes/placement'
import { runTransaction } from '../database/rows.ts'
import type { Database } from '../database/schema.ts'
import { chooseNode } from './choose-node.ts'
import type { NamedNode } from './named-nodes.ts'
import { type PlacementNode, type PlacementNodesDeps, readPlacementNodes } from './placement-nodes.ts'
import { lockPortReservations } from './ports.ts'
import { getRoom, type Reserved } from './rooms.ts'

const mebibyte = 1024 ** 2

interface Deps extends PlacementNodesDeps {
  readonly db: Database
  readonly now: () => number
}

/** A server that needs another node. */
export interface ServerToPlace {
  readonly id: string
  /** Its node. */
  readonly from: number
  /** The only node that may have it: then its labels do not matter. */
  readonly only: number | undefined
  readonly labels: readonly string[]
  /** Bytes, see `getNeed`. */
  readonly memory: number
  readonly disk: number
}

/** Why a node that has the room cannot have the server. */
export interface Rejection {
  readonly node: NamedNode
  readonly reason: Refusal
}

/** `isOffline`: a node that may fit does not respond, for example because it is restarted. */
export type Target<T> =
  | { readonly found: T; readonly refusal?: undefined }
  | { readonly found?: undefined; readonly refusal: Refusal; readonly isOffline: boolean }

export interface HeldRoom {
  /** Of the reservation. */
  readonly id: string
  readonly node: NamedNode
}

interface Reservation extends Reserved {
  readonly node_id: number
}

export type MoveTargets = ReturnType<typeof moveTargets>

/** Chooses nodes for servers that are moved, by the rule of placements. */
export function moveTargets(deps: Deps) {
  const { db, now } = deps
  const readNodes = () => readPlacementNodes(deps, { labels: [], ports: 0 })
  return {
    /** Chooses a node and reserves the room there until `release`, or until the node has reported the server. */
    async hold(server: ServerToPlace, rejections: readonly Rejection[], userId: number): Promise<Target<HeldRoom>> {
      const nodes = await readNodes()
      return await runTransaction(db, async (transaction) => {
        await lockPortReservations(transaction, now())
        await transaction.deleteFrom('placements').where('expires_at', '<=', now()).execute()
        const reserved = await transaction.selectFrom('placements').selectAll().execute()
        const { found: node, ...missing } = choose(server, { nodes, reserved, rejections })
        if (!node) return missing as Target<HeldRoom>
        const [id, { memory, disk }] = [randomUUID(), server]
        const row = { id, node_id: node.id, user_id: userId, memory, disk, server_id: server.id }
        await transaction
          .insertInto('placements')
          .values({ ...row, expires_at: now() + placementMs })
          .execute()
        return { found: { id, node } }
      })
    },

    async release(id: string): Promise<void> {
      await db.deleteFrom('placements').where('id', '=', id).execute()
    },

    /** Chooses nodes for several servers without a reservation: each takes its room from those after it. */
    async simulate() {
      const nodes = await readNodes()
      const reserved: Reservation[] = await db
        .selectFrom('placements')
        .selectAll()
        .where('expires_at', '>', now())
        .execute()
      return {
        choose: (server: ServerToPlace, rejections: readonly Rejection[]): Target<NamedNode> =>
          choose(server, { nodes, reserved, rejections }),
        take: ({ id, memory, disk }: ServerToPlace, node: number): void =>
          void reserved.push({ node_id: node, server_id: id, memory, disk }),
      }
    },
  }
}

interface Nodes {
  readonly nodes: readonly PlacementNode[]
  readonly reserved: readonly Reservation[]
  readonly rejections: readonly Rejection[]
}

function choose(server: ServerToPlace, { nodes, reserved, rejections }: Nodes): Target<NamedNode> {
  const { from, only, memory, disk } = server
  const labels = only === undefined ? server.labels : []
  const others = nodes.filter(({ id }) => id !== from && (only === undefined || id === only))
  const rejected = new Set(rejections.map(({ node }) => node.id))
  const candidates = others.flatMap(({ resources, settings, ...node }) => {
    if (rejected.has(node.id)) return []
    const onNode = reserved.filter(({ node_id }) => node_id === node.id)
    const hasLabels = labels.every((label) => settings.labels.includes(label))
    return [{ ...node, hasLabels, ports: [], room: resources && getRoom(resources, settings, onNode) }]
  })
  const request = { labels: [...labels], memory: toMebibytes(memory), disk: toMebibytes(disk), ports: 0 }
  const isOffline = candidates.some(({ state, hasLabels }) => state === 'offline' && hasLabels)
  try {
    if (others.length === 0) throw noNode('there is no other node')
    const { id, name } = chooseNode(request, candidates).node
    return { found: { id, name } }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return { refusal: withRejections(error, rejections, only), isOffline }
  }
}

const toMebibytes = (bytes: number): number => Math.ceil(bytes / mebibyte)

const noNode = (reason: string): Refusal => new Refusal('ErrNoNodeFits', { reason, missing: 'node' })

/** Nodes that cannot have the server are named with the reason, before what the others lack. */
function withRejections(error: Refusal, rejections: readonly Rejection[], only: number | undefined): Refusal {
  const [first] = rejections
  if (!first) return error
  if (only !== undefined) return first.reason
  const reasons = rejections.map(({ node, reason }) => `${node.name} cannot have the server: ${reason.message}`)
  const others = error.code === 'ErrNoNodeFits' ? [String(error.metadata.reason)] : []
  return noNode([...reasons, ...others].join('. '))
}
