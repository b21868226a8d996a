import { Refusal } from '@innkeeper/contract/errors/refusals'
import { localNodeId, type Node, type NodeChoice, type NodeSummary } from '@innkeeper/contract/nodes/nodes'
import type { JWK } from 'jose'
import type { ClientInfo } from '../routing/route-context.ts'
import type { AvailabilityService } from './availability.ts'
import type { NodeConnections } from './node-connections.ts'
import { type NodeRepository, toNode } from './node-repository.ts'
import type { PlacementSettingsService } from './placement-settings.ts'
import type { NodeReports } from './reports.ts'
import type { RoomsService } from './rooms.ts'

/** The node on the panel's machine. */
export interface LocalNode {
  readonly name: 'LocalNode'
  readonly socketPath: string
  readonly sftpPort: number
  /** Its public signing key. */
  readonly publicKey?: JWK | undefined
  /** The socket on which the panel listens for it. */
  readonly panelSocketPath?: string
}

interface Deps {
  readonly localNode: LocalNode | undefined
  /** The SFTP port of this panel. */
  readonly sftpPort?: number | undefined
  readonly repository: Pick<NodeRepository, 'all'>
  readonly reports: Pick<NodeReports, 'readHealth' | 'readTunnelled'>
  readonly availability: Pick<AvailabilityService, 'read'>
  readonly placementSettings: Pick<PlacementSettingsService, 'read'>
  readonly rooms: Pick<RoomsService, 'read'>
  readonly connections: Pick<NodeConnections, 'find' | 'readFeatures'>
  /** The configured URL of the panel. */
  readonly masterUrl: () => string | undefined
}

/** Nodes as users see them, with addresses that the requesting client can reach. */
export function nodeViews(deps: Deps) {
  const { localNode, sftpPort, repository, reports, availability, placementSettings, rooms, connections, masterUrl } =
    deps

  function localNodeFrom(from: ClientInfo): Node {
    const { host, port } = localAddress(masterUrl(), from)
    return {
      id: localNodeId,
      name: localNode?.name ?? 'LocalNode',
      publicHost: host,
      publicPort: port,
      privateHost: host,
      privatePort: port,
      sftpPort: localNode?.sftpPort ?? 5657,
      isLocal: true,
    }
  }

  /** All nodes; the local one first. */
  async function described(from: ClientInfo): Promise<Node[]> {
    const others = (await repository.all()).map(toNode)
    const nodes = localNode ? [localNodeFrom(from), ...others] : others
    const states = await availability.read()
    const getSettings = await placementSettings.read()
    return nodes.map((node) => {
      const [state, { labels }] = [states.get(node.id), getSettings(node.id)]
      return { ...node, ...(state && { availability: state }), ...(labels.length > 0 && { labels }) }
    })
  }

  async function list(from: ClientInfo): Promise<Node[]> {
    const all = await described(from)
    const health = await reports.readHealth(all.map(({ id }) => id))
    return all.map((node) => ({ ...node, health: health.get(node.id) ?? { state: 'waiting', problems: [] } }))
  }

  return {
    list,

    /** Nodes for users who see one of their servers. */
    async summaries(from: ClientInfo): Promise<(nodeId: number) => NodeSummary> {
      const [nodes, tunnelled] = await Promise.all([described(from), reports.readTunnelled()])
      // Users reach the SFTP port of a node behind NAT no more than panels reach the node.
      const throughPanel = sftpPort === undefined ? {} : { sftpHost: localAddress(masterUrl(), from).host, sftpPort }
      const summary = (node: Node): NodeSummary => ({
        ...getSummary(node),
        ...((node.privateHost === '' || tunnelled.has(node.id)) && throughPanel),
      })
      const known = new Map(nodes.map((node) => [node.id, summary(node)]))
      return (nodeId) => known.get(nodeId) ?? { ...getSummary(localNodeFrom(from)), id: nodeId, isLocal: false }
    },

    async get(nodeId: number, from: ClientInfo): Promise<Node> {
      const node = (await list(from)).find(({ id }) => id === nodeId)
      if (!node) throw new Refusal('ErrNotFound')
      return node
    },

    /** From the last report: lists do not wait for nodes. The local one may have just started, so it is requested. */
    async choices(from: ClientInfo): Promise<NodeChoice[]> {
      const nodes = await list(from)
      const roomOf = await rooms.read(nodes.map(({ id }) => id))
      const choices = nodes.map(async ({ health, ...node }) => {
        const local = node.isLocal ? await connections.find(localNodeId) : undefined
        const features = local ? await connections.readFeatures(local) : health?.features
        const online = local ? features !== undefined : health?.state === 'online' || health?.state === 'degraded'
        const { seenAt, servers } = health ?? {}
        const room = roomOf.get(node.id)
        return {
          ...getSummary(node),
          online,
          ...(features && online ? { features } : {}),
          ...(online && room && { room }),
          ...(node.labels && { labels: node.labels }),
          ...(seenAt !== undefined && { seenAt }),
          ...(servers && { servers }),
        }
      })
      return Promise.all(choices)
    },
  }
}

const getSummary = ({
  id,
  name,
  publicHost,
  publicPort,
  sftpPort,
  isLocal,
  availability,
}: NodeSummary): NodeSummary => ({
  id,
  name,
  publicHost,
  publicPort,
  sftpPort,
  isLocal,
  ...(availability && { availability }),
})

/** The public address of the local node: the host of the master URL, else of the request. */
function localAddress(masterUrl: string | undefined, from: ClientInfo): { host: string; port: number } {
  const url = URL.parse(masterUrl ?? `${from.isSecure ? 'https' : 'http'}://${from.host}`)
  if (!url?.hostname) return { host: '127.0.0.1', port: 8080 }
  const usual = url.protocol === 'https:' ? 443 : 80
  return { host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port) || usual }
}
