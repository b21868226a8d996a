import { PeriodicJob } from '@innkeeper/contract/jobs/periodic-job'
import { panelEndpoints } from '@innkeeper/contract/node-link/panel-to-node'
import { localNodeId } from '@innkeeper/contract/nodes/nodes'
import { limits } from '@innkeeper/contract/text/limits'
import type { Logger } from 'pino'
import { runTransaction } from '../database/rows.ts'
import type { Database } from '../database/schema.ts'
import type { NodesService } from '../nodes/nodes.ts'
import { deleteOnNode } from './delete-on-node.ts'

interface Deps {
  readonly db: Database
  readonly nodes: Pick<NodesService, 'clientFor'>
  readonly log: Logger
  readonly now: () => number
}

const everyMs = 60_000
/** Minimum age of an unfinished server: its node no longer accepts the request to create it, which had a timeout and a ticket. */
const minAgeMs = limits.nodeCallMs + limits.ticketLifeMs + limits.clockSkewMs + 20_000

/**
 * Finishes servers whose node did not respond: their creation was interrupted, or they were deleted while the node was
 * offline. A server that both sides have is kept; any other is deleted on both sides. Failures are retried later.
 */
export function unfinishedServers(deps: Deps): PeriodicJob {
  return new PeriodicJob({
    everyMs,
    run: () => finishAll(deps),
    onError: (err) => deps.log.warn({ err }, 'unfinished servers could not be read'),
  })
}

async function finishAll(deps: Deps): Promise<void> {
  const { db, now, log } = deps
  const isGone = db
    .deleteFrom('unfinished_servers')
    .where('node_id', '!=', localNodeId)
    .where('node_id', 'not in', db.selectFrom('nodes').select('id'))
  await isGone.execute()
  const rows = await db
    .selectFrom('unfinished_servers')
    .leftJoin('servers', 'servers.id', 'unfinished_servers.server_id')
    .select(['unfinished_servers.server_id as id', 'unfinished_servers.node_id as nodeId', 'servers.id as knownId'])
    .where('unfinished_servers.created_at', '<=', now() - minAgeMs)
    .execute()
  for (const { id, nodeId, knownId } of rows) {
    await finish(deps, { id, nodeId, isKnown: knownId !== null }).catch((error: unknown) => {
      log.warn({ err: error, server: id, nodeId }, 'finishing an unfinished server failed; retrying later')
    })
  }
}

interface UnfinishedServer {
  readonly id: string
  readonly nodeId: number
  /** Whether the panel has it. */
  readonly isKnown: boolean
}

async function finish({ db, nodes, log }: Deps, { id, nodeId, isKnown }: UnfinishedServer): Promise<void> {
  if (isKnown && (await isOnNode(nodes, id, nodeId))) {
    await db.deleteFrom('unfinished_servers').where('server_id', '=', id).execute()
    return
  }
  if (!isKnown) await deleteOnNode(nodes, { id, nodeId })
  await runTransaction(db, async (transaction) => {
    await transaction.deleteFrom('unfinished_servers').where('server_id', '=', id).execute()
    await transaction.deleteFrom('servers').where('id', '=', id).execute()
  })
  log.warn({ server: id, nodeId }, 'an unfinished server was deleted')
}

async function isOnNode(nodes: Deps['nodes'], id: string, nodeId: number): Promise<boolean> {
  const client = await nodes.clientFor(nodeId)
  const found = await client.call(panelEndpoints.getUsage, { query: { ids: id } })
  return found.length > 0
}
