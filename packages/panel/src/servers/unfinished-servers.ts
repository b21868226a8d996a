import { limits } from '@innkeeper/contract/limits'
import { localNodeId } from '@innkeeper/contract/nodes'
import { panelEndpoints } from '@innkeeper/contract/panel-to-node'
import type { Logger } from 'pino'
import { runTransaction } from '../database/rows.ts'
import type { Database } from '../database/schema.ts'
import type { NodesService } from '../nodes/nodes.ts'
import { deleteOnNode } from './delete-on-node.ts'

interface Options {
  readonly db: Database
  readonly nodes: Pick<NodesService, 'clientFor'>
  readonly log: Logger
  readonly now: () => number
  readonly everyMs?: number
  /** Minimum age of an unfinished server: its node no longer accepts the request to create it. */
  readonly afterMs?: number
}

/** Our timeout for the node's response, and the lifetime of the request's ticket. */
const acceptedMs = limits.nodeCallMs + limits.ticketLifeMs + limits.clockSkewMs

/**
 * Finishes servers whose node did not respond: their creation was interrupted, or they were deleted while the node was
 * offline. A server that both sides have is kept; any other is deleted on both sides.
 */
export class UnfinishedServers {
  readonly #options: Options
  readonly #afterMs: number
  readonly #timer: NodeJS.Timeout
  #running: Promise<void> | undefined

  constructor(options: Options) {
    this.#options = options
    const { everyMs = 60_000, afterMs = acceptedMs + 20_000 } = options
    this.#afterMs = afterMs
    this.#timer = setInterval(() => void this.finish(), everyMs)
    this.#timer.unref()
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#running
  }

  /** Finishes the ones that are old enough; failures are retried later. */
  finish(): Promise<void> {
    this.#running ??= this.#finishAll().finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  async #finishAll(): Promise<void> {
    const { db, now, log } = this.#options
    try {
      const isGone = db
        .deleteFrom('unfinished_servers')
        .where('node_id', '!=', localNodeId)
        .where('node_id', 'not in', db.selectFrom('nodes').select('id'))
      await isGone.execute()
      const rows = await db
        .selectFrom('unfinished_servers')
        .leftJoin('servers', 'servers.id', 'unfinished_servers.server_id')
        .select(['unfinished_servers.server_id as id', 'unfinished_servers.node_id as nodeId', 'servers.id as knownId'])
        .where('unfinished_servers.created_at', '<=', now() - this.#afterMs)
        .execute()
      for (const { id, nodeId, knownId } of rows) {
        await this.#finish(id, nodeId, knownId !== null).catch((error: unknown) => {
          log.warn({ err: error, server: id, nodeId }, 'finishing an unfinished server failed; retrying later')
        })
      }
    } catch (error) {
      log.warn({ err: error }, 'unfinished servers could not be read')
    }
  }

  async #finish(id: string, nodeId: number, isKnown: boolean): Promise<void> {
    const { db, nodes, log } = this.#options
    if (isKnown && (await this.#isOnNode(id, nodeId))) {
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

  async #isOnNode(id: string, nodeId: number): Promise<boolean> {
    const client = await this.#options.nodes.clientFor(nodeId)
    const found = await client.call(panelEndpoints.getUsage, { query: { ids: id } })
    return found.length > 0
  }
}
