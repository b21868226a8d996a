import { randomBytes } from 'node:crypto'
import type { ActivityEntry, ActivityResult } from '@innkeeper/contract/activity'
import { limits } from '@innkeeper/contract/limits'
import { type PageQuery, type Paging, pagingOf } from '@innkeeper/contract/paging'
import { matchesWildcard } from '../database/expressions.ts'
import type { ActivityRow, Database } from '../database/schema.ts'

interface Deps {
  readonly db: Database
  readonly now: () => number
}

/** Something that was done, or tried. */
export interface AuditEvent {
  /** Who, as they were called then; nobody when they had not logged in. */
  readonly user?: { readonly id: number; readonly username: string } | undefined
  /** The OAuth2 client that acted for them. */
  readonly client?: string | undefined
  readonly action: string
  readonly server?: string | undefined
  readonly target?: string | undefined
  /** The address it came from; `panel` and `command line` stand for themselves. */
  readonly from: string
  readonly result: ActivityResult
  readonly code?: string | undefined
  /** How many it sums up; absent for one. */
  readonly count?: number | undefined
}

type Wanted = PageQuery & {
  readonly user?: string | undefined
  readonly server?: string | undefined
  readonly action?: string | undefined
  readonly result?: ActivityResult | undefined
  readonly from?: string | undefined
  readonly to?: string | undefined
}

export interface ActivityLog {
  /** Writes it down; with a transaction, together with what was done. Returns the entry's id. */
  record(act: AuditEvent, within?: Database): Promise<string>
  /** Changes how many things an entry sums up. */
  setCount(id: string, count: number): Promise<void>
  list(wanted: Wanted): Promise<{ activity: ActivityEntry[]; paging: Paging }>
  /** Takes away what is too old, some at a time; several panels may do so at once. Answers how many. */
  purge(): Promise<number>
}

/** Who did what, to which object, from where, with what result. Entries are only added, and go when they are old. */
export function activityLog({ db, now }: Deps): ActivityLog {
  function matching({ user, server, action, result, from, to }: Wanted) {
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

  return {
    async record(act, within = db) {
      const at = now()
      const row: ActivityRow = {
        id: newId(at),
        at,
        user_id: act.user?.id ?? null,
        username: bounded(act.user?.username, 100),
        client_id: bounded(act.client, 36),
        action: bounded(act.action, 100),
        server_id: act.server ?? null,
        target: bounded(act.target, 255),
        address: bounded(act.from, 64),
        result: act.result,
        code: bounded(act.code, 50),
        count: act.count ?? null,
      }
      await within.insertInto('activity').values(row).execute()
      return row.id
    },

    async setCount(id, count) {
      await db.updateTable('activity').set({ count }).where('id', '=', id).execute()
    },

    async list(wanted) {
      const { total } = await matching(wanted)
        .select(({ fn }) => fn.countAll<number | bigint | string>().as('total'))
        .executeTakeFirstOrThrow()
      const rows = await matching(wanted)
        .selectAll()
        .orderBy('id', 'desc')
        .limit(wanted.limit)
        .offset((wanted.page - 1) * wanted.limit)
        .execute()
      return { activity: rows.map(entryOf), paging: pagingOf(wanted, Number(total)) }
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
          .limit(limits.activityPurgePage)
          .execute()
        if (old.length === 0) return purged
        const ids = old.map(({ id }) => id)
        const { numDeletedRows } = await db.deleteFrom('activity').where('id', 'in', ids).executeTakeFirst()
        purged += Number(numDeletedRows)
        if (old.length < limits.activityPurgePage) return purged
      }
    },
  }
}

/** Sorts by time as text does; two of one moment differ by chance. */
function newId(at: number): string {
  return at.toString(16).padStart(12, '0') + randomBytes(10).toString('hex')
}

/** On one line, and no longer than its column. */
function bounded(text: string | undefined, length: number): string {
  const line = (text ?? '').replace(/[\x00-\x1f\x7f-\x9f\u2028\u2029]+/g, ' ').toWellFormed()
  return [...line].slice(0, length).join('')
}

function entryOf(row: ActivityRow): ActivityEntry {
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
