import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { serverPermissionNames } from '@innkeeper/contract/api/permissions'
import type { Logger } from 'pino'
import { formatPermissions } from '../access/access.ts'
import type { Server } from '../access/principal.ts'
import { isDatabaseError, isUniqueViolation, mapUniqueViolation } from '../database/errors.ts'
import { runTransaction } from '../database/rows.ts'
import type { Database, Transaction } from '../database/schema.ts'
import { nameColumns } from '../database/server-name.ts'
import type { NodesService } from '../nodes/nodes.ts'

/** Retry interval of the rollback while the database is unavailable. */
const rollbackRetryMs = 1_000
export const rollbackDeadlineMs = 120_000

interface Deps {
  readonly db: Database
  readonly nodes: Pick<NodesService, 'lockForNewServer'>
  readonly log: Logger
  readonly now: () => number
}

/** A server without its ID, which is also its name unless it has one. */
interface NewServerRow extends Omit<Server, 'id' | 'name'> {
  readonly name: string | undefined
  readonly template: string | undefined
}

/** Adds more rows for a new server in the same transaction, which may be repeated with another ID. */
export type OnServerAdded = (transaction: Transaction, id: string) => Promise<void>

const idAttempts = 5

/** Adds the row of a new server before its node creates the server, and deletes the row when that fails. */
export function serverRows({ db, nodes, log, now }: Deps) {
  /** Inserts the row and its users; retries with another ID when one is taken. */
  async function add(server: NewServerRow, users: readonly number[], onAdd?: OnServerAdded): Promise<string> {
    for (let tried = 1; ; tried++) {
      const id = randomBytes(4).toString('hex')
      const row = {
        id,
        ...nameColumns(server.name ?? id),
        node_id: server.nodeId,
        ip: server.ip,
        port: server.port,
        type: server.type,
        created_at: now(),
        template: server.template ?? null,
      }
      try {
        await runTransaction(db, async (transaction) => {
          await nodes.lockForNewServer(transaction, server.nodeId)
          const inserting = transaction.insertInto('servers').values(row)
          await mapUniqueViolation('servers_name_uq', 'ErrDuplicateServerName', () => inserting.execute())
          const permissions = formatPermissions(serverPermissionNames)
          const accounts = users.map((user) => ({ server_id: id, user_id: user, rights: permissions }))
          if (accounts.length > 0) await transaction.insertInto('server_users').values(accounts).execute()
          const creation = { server_id: id, node_id: server.nodeId, created_at: now() }
          await transaction.insertInto('unfinished_servers').values(creation).execute()
          await onAdd?.(transaction, id)
        })
        return id
      } catch (error) {
        // The insert may have succeeded although the response was lost.
        if (isDatabaseError(error)) await rollBack(id, { isAbsent: true })
        if (tried >= idAttempts || !isUniqueViolation(error)) throw error
      }
    }
  }

  /**
   * Deletes the row of a server that was not created; retries during a database outage. Unless it is certain that the
   * node has no such server, `unfinishedServers` continues the cleanup.
   */
  async function rollBack(id: string, { isAbsent }: { readonly isAbsent: boolean }): Promise<void> {
    const remove = () =>
      runTransaction(db, async (transaction) => {
        await transaction.deleteFrom('servers').where('id', '=', id).execute()
        if (isAbsent) await transaction.deleteFrom('unfinished_servers').where('server_id', '=', id).execute()
      })
    try {
      await remove()
    } catch (error) {
      if (!isDatabaseError(error)) throw error
      void retry(remove).catch((cause: unknown) =>
        log.warn({ err: cause, server: id }, 'a server that was not created is still in the database: delete it'),
      )
    }
  }

  return { add, rollBack }
}

/** Retries during a database outage, for a limited time. */
async function retry(work: () => Promise<unknown>): Promise<void> {
  const until = performance.now() + rollbackDeadlineMs
  for (;;) {
    // The timer does not keep the process alive.
    await pause(rollbackRetryMs, undefined, { ref: false })
    try {
      await work()
      return
    } catch (error) {
      if (!isDatabaseError(error) || performance.now() > until) throw error
    }
  }
}
