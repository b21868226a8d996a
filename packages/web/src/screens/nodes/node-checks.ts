import type { Node, NodeState } from '@innkeeper/contract/nodes/nodes'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'

/** How many checks of a node are kept. */
export const maxChecks = 20

/** The latest states that this browser saw of each node, oldest first, by node id. */
export type NodeChecks = ReadonlyMap<number, readonly NodeState[]>

const noChecks: NodeChecks = new Map()
const queryKey = ['node-checks']

/** Returns the checks with one more of each node. */
export function addChecks(checks: NodeChecks, nodes: readonly Node[]): NodeChecks {
  const added = nodes.map(({ id, health }) => {
    const states = [...(checks.get(id) ?? []), health?.state ?? 'waiting']
    return [id, states.slice(-maxChecks)] as const
  })
  return new Map([...checks, ...added])
}

interface Fetched {
  /** When the nodes were fetched. */
  readonly dataUpdatedAt: number
}

/** Adds a check each time the nodes are fetched. The checks outlive the page, as long as the window is open. */
export function useNodeChecks(nodes: readonly Node[], { dataUpdatedAt }: Fetched): NodeChecks {
  const client = useQueryClient()
  const { data = noChecks } = useQuery({
    queryKey,
    queryFn: () => noChecks,
    enabled: false,
    gcTime: Number.POSITIVE_INFINITY,
    structuralSharing: false,
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: one check for each time they were fetched
  useEffect(() => {
    if (nodes.length > 0) client.setQueryData<NodeChecks>(queryKey, (before = noChecks) => addChecks(before, nodes))
  }, [client, dataUpdatedAt])
  return data
}
