import { randomBytes } from 'node:crypto'
import type { ActivityEntry, ActivityResult } from '@innkeeper/contract/activity/activity'
import type { AuditAction } from '@innkeeper/contract/api/audit-actions'
import { getPaging, type PageQuery, type Paging } from '@innkeeper/contract/api/paging'
import { limits } from '@innkeeper/contract/text/limits'
import { matchesWildcard } from '../database/expressions.ts'
import { countRows } from '../database/rows.ts'
import type { ActivityRow, Database } from '../database/schema.ts'

export const purgeBatchSize = 500

interface Deps {
  readonly db: Database
  readonly now: () => number
}

/** An audited action with its result. */
export interface AuditEvent {
  /** The user, with the name at the time; absent for anonymous requests. */
  readonly user?: { readonly id: number; readonly username: string } | undefined
  /** The OAuth2 client that acted on behalf of the user. */
  readonly client?: string | undefined
  readonly action: AuditAction
  readonly server?: string | undefined
  readonly target?: string | undefined
  /** IP address of the client, or `panel` or `command line`. */
  readonly from: string
  readonly result: ActivityResult
  readonly code?: string | undefined
  /** Number of combined actions; absent for one. */
  readonly count?: number | undefined
  /** Epoch milliseconds; now by default. */
  readonly at?: number | undefined
}

type ActivityQuery = PageQuery & {
  readonly user?: string | undefined
  readonly server?: string | undefined
  readonly action?: string | undefined
  readonly result?: ActivityResult | undefined
  readonly from?: string | undefined
  readonly to?: string | undefined
}

export interface ActivityLog {
  /** Writes an entry; with a transaction, as part of it. Returns the entry's ID. */
  record(event: AuditEvent, within?: Database): Promise<string>
  /** Updates the number of combined actions of an entry. */
  setCount(id: string, count: number): Promise<void>
  list(query: ActivityQuery): Promise<{ activity: ActivityEntry[]; paging: Paging }>
  /** Deletes a page of old entries and returns their number. Several panels may do this at the same time. */
  purge(): Promise<number>
}

/** The audit log. Entries are only added, and deleted after the retention time. */
export function activityLog({ db, now }: Deps): ActivityLog {
  function matching({ user, server, action, result, from, to }: ActivityQuery) {
    let query = db.selectFrom('activity')
    if (user) {
      const id = /^\d{1,15}$/.test(user) ? Number(user) : -1
      query = query.where((row) => row.or([matchesWildcard('username', user), row('user_id', '=', id)]))
    }
    if (server !== undefined) query = query.where('server_id', '=', server)
    if (action?.includes('*')) query = query.where(matchesWildcard('action', action))
    else if (action) query = query.where('action', '=', action)
    if (result !== undefined) query = query.where('result', '=', result)
    if (from !== undefined) query = query.where('at', '>=', Date.parse(from))
    if (to !== undefined) query = query.where('at', '<', Date.parse(to))
    return query
  }

  const newId = entryIds()

  return {
    async record(event, within = db) {
      const { at = now() } = event
      const row: ActivityRow = {
        id: newId(at),
        at,
        user_id: event.user?.id ?? null,
        username: bounded(event.user?.username, 100),
        client_id: bounded(event.client, 36),
        action: bounded(event.action, 100),
        server_id: event.server ?? null,
        target: bounded(event.target, 255),
        address: bounded(event.from, 64),
        result: event.result,
        code: bounded(event.code, 50),
        count: event.count ?? null,
      }
      await within.insertInto('activity').values(row).execute()
      return row.id
    },

    async setCount(id, count) {
      await db.updateTable('activity').set({ count }).where('id', '=', id).execute()
    },

    async list(query) {
      const total = await countRows(matching(query))
      const rows = await matching(query)
        .selectAll()
        .orderBy('id', 'desc')
        .limit(query.limit)
        .offset((query.page - 1) * query.limit)
        .execute()
      return { activity: rows.map(getEntry), paging: getPaging(query, total) }
    },

    async purge() {
      const before = now() - limits.activityKeptMs
      let purged = 0
      for (;;) {
        const old = await db
          .selectFrom('activity')
          .select('id')
          .where('at', '<', before)
          .orderBy('at')
          .limit(purgeBatchSize)
          .execute()
        if (old.length === 0) return purged
        const ids = old.map(({ id }) => id)
        const { numDeletedRows } = await db.deleteFrom('activity').where('id', 'in', ids).executeTakeFirst()
        purged += Number(numDeletedRows)
        if (old.length < purgeBatchSize) return purged
      }
    },
  }
}

/** Creates IDs that sort as text by time, and within a millisecond in the order in which this process made them. */
function entryIds(): (at: number) => string {
  let [last, count] = [0, 0]
  return (at) => {
    count = at === last ? count + 1 : 0
    last = at
    return at.toString(16).padStart(12, '0') + count.toString(16).padStart(4, '0') + randomBytes(8).toString('hex')
  }
}

/** Converts to one line and truncates to the size of the column. */
function bounded(text: string | undefined, length: number): string {
  const line = (text ?? '').replace(/[\x00-\x1f\x7f-\x9f\u2028\u2029]+/g, ' ').toWellFormed()
  return [...line].slice(0, length).join('')
}

function getEntry(row: ActivityRow): ActivityEntry {
  return {
    id: row.id,
    at: new Date(row.at).toISOString(),
    ...(row.user_id === null ? {} : { user: { id: row.user_id, username: row.username } }),
    ...(row.client_id === '' ? {} : { client: row.client_id }),
    action: row.action,
    ...(row.server_id === null ? {} : { server: row.server_id }),
    ...(row.target === '' ? {} : { target: row.target }),
    from: row.address,
    result: row.result as ActivityEntry['result'],
    ...(row.code === '' ? {} : { code: row.code }),
    ...(row.count === null ? {} : { count: row.count }),
  }
}
