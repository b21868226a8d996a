import { Refusal } from '@innkeeper/contract/errors/refusals'
import { panelEndpoints } from '@innkeeper/contract/node-link/panel-to-node'
import type { NodesService } from '../nodes/nodes.ts'

/** Deleting a server runs its uninstall steps and removes all its files. */
const deleteTimeoutMs = 120_000

/** Deletes a server on its node; one that the node does not have is already deleted. */
export async function deleteOnNode(
  nodes: Pick<NodesService, 'clientFor'>,
  { id, nodeId }: { readonly id: string; readonly nodeId: number },
  timeoutMs: number = deleteTimeoutMs,
): Promise<void> {
  const client = await nodes.clientFor(nodeId)
  try {
    await client.call(panelEndpoints.deleteServer, { params: { id } }, { timeoutMs })
  } catch (error) {
    if (!(error instanceof Refusal && error.status === 404)) throw error
  }
}
