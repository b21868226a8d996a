import { randomInt } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { limits } from '@innkeeper/contract/limits'
import { type Kysely, type MigrationLockOptions, MysqlAdapter, type QueryExecutorProvider, sql } from 'kysely'
import { isDatabaseError } from './errors.ts'

/**
 * Lets one program at a time change the tables of a MySQL or MariaDB. A single server has locks of its own; those of a
 * cluster know nothing of each other, there it is a row. `open` makes connections beside the one that migrates.
 */
export function lockedMigrations(open: () => Kysely<unknown>): MysqlAdapter {
  const adapter = new MysqlAdapter()
  const [acquire, release] = [adapter.acquireMigrationLock.bind(adapter), adapter.releaseMigrationLock.bind(adapter)]
  let isLockedByServer = false
  let lease: MigrationLease | undefined
  return Object.assign(adapter, {
    async acquireMigrationLock(db: Kysely<unknown>, options: MigrationLockOptions) {
      isLockedByServer = !(await isInCluster(db))
      if (isLockedByServer) await acquire(db, options)
      else lease = await MigrationLease.acquire(open(), options)
    },
    async releaseMigrationLock(db: Kysely<unknown>, options: MigrationLockOptions) {
      if (isLockedByServer) await release(db, options)
      else await lease?.end()
    },
  })
}

/** Galera: what is committed on one node is certified by all. */
async function isInCluster(db: Kysely<unknown>): Promise<boolean> {
  const { rows } = await sql<{ Value: string }>`show variables like 'wsrep_on'`.execute(db)
  return rows[0]?.Value === 'ON'
}

type LockRow = Pick<MigrationLockOptions, 'lockTable' | 'lockRowId'>

interface Connections extends QueryExecutorProvider {
  destroy(): Promise<void>
}

interface Times {
  readonly migrationHeartbeatMs: number
  readonly migrationLeaseMs: number
}

/**
 * A row that says that somebody migrates: 0 stands for nobody, and whoever holds it writes another number again and
 * again. When it stays the same for long enough its holder is gone, and the next one takes over. Nobody compares clocks.
 */
export class MigrationLease {
  readonly #db: Connections
  readonly #row: LockRow
  readonly #ending = new AbortController()
  readonly #heartbeat: Promise<void>
  /** What the row may hold of ours: of a write whose connection was lost nobody knows whether it was done. */
  #values: number[]

  private constructor(db: Connections, row: LockRow, mine: number, times: Times) {
    this.#db = db
    this.#row = row
    this.#values = [mine]
    this.#heartbeat = this.#sendHeartbeats(times)
    // Whoever ends it hears of it.
    this.#heartbeat.catch(() => {})
  }

  /** Waits for its turn. The connections of `db` are closed at the end. */
  static async acquire(db: Connections, row: LockRow, times: Times = limits): Promise<MigrationLease> {
    try {
      return new MigrationLease(db, row, await waitForLock(db, row, times), times)
    } catch (error) {
      await db.destroy()
      throw error
    }
  }

  async end(): Promise<void> {
    this.#ending.abort()
    await this.#heartbeat
    try {
      await compareAndSet(this.#db, this.#row, this.#values, 0)
    } finally {
      await this.#db.destroy()
    }
  }

  async #sendHeartbeats({ migrationHeartbeatMs }: Times): Promise<void> {
    const { signal } = this.#ending
    for (;;) {
      await pause(migrationHeartbeatMs, undefined, { signal }).catch(() => {})
      if (signal.aborted) return
      const next = nonce()
      try {
        // False when somebody took over, because nothing was heard of us.
        if (!(await compareAndSet(this.#db, this.#row, this.#values, next))) return
        this.#values = [next]
      } catch (error) {
        if (!isDatabaseError(error)) throw error
        // A change of a table can keep every other write waiting; those who wait for us wait as well.
        this.#values = [...this.#values, next]
      }
    }
  }
}

/** Resolves to what we wrote when the row became ours. */
async function waitForLock(
  db: Connections,
  row: LockRow,
  { migrationHeartbeatMs, migrationLeaseMs }: Times,
): Promise<number> {
  let seen: number | undefined
  let since = 0
  for (;;) {
    const asked = performance.now()
    const held = await readHolder(db, row)
    const now = performance.now()
    // While the answer was kept from us, so were the signs of life.
    if (held === undefined || held !== seen || now - asked > migrationHeartbeatMs) [seen, since] = [held, now]
    if (held === 0 || now - since > migrationLeaseMs) {
      const mine = nonce()
      if (await compareAndSet(db, row, [held ?? 0], mine)) return mine
    }
    await pause(migrationHeartbeatMs / 4)
  }
}

/** What the row holds; `undefined` while nobody can say. */
async function readHolder(db: Connections, { lockTable, lockRowId }: LockRow): Promise<number | undefined> {
  try {
    const { rows } = await sql<{ held: number }>`
      select is_locked as held from ${sql.table(lockTable)} where id = ${lockRowId}`.execute(db)
    return rows[0]?.held
  } catch (error) {
    if (isDatabaseError(error)) return undefined
    throw error
  }
}

/** False when the row held something else. */
async function compareAndSet(db: Connections, { lockTable, lockRowId }: LockRow, from: readonly number[], to: number) {
  const { numAffectedRows } = await sql`
    update ${sql.table(lockTable)} set is_locked = ${to}
    where id = ${lockRowId} and is_locked in (${sql.join(from)})`.execute(db)
  return numAffectedRows === 1n
}

function nonce(): number {
  return randomInt(1, 2 ** 31)
}
