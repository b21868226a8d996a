import { randomInt } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { type Kysely, type MigrationLockOptions, MysqlAdapter, type QueryExecutorProvider, sql } from 'kysely'
import { isDatabaseError } from './errors.ts'

/**
 * Lets one program at a time migrate a MySQL or MariaDB server. A single server has locks; nodes of a cluster do not
 * share them, so a row is used there. `open` opens connections in addition to the migrating one.
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

/** In a Galera cluster, commits are certified by all nodes. */
async function isInCluster(db: Kysely<unknown>): Promise<boolean> {
  const { rows } = await sql<{ Value: string }>`show variables like 'wsrep_on'`.execute(db)
  return rows[0]?.Value === 'ON'
}

type LockRow = Pick<MigrationLockOptions, 'lockTable' | 'lockRowId'>

interface Connections extends QueryExecutorProvider {
  destroy(): Promise<void>
}

/** Interval of the heartbeat of a running migration, and the silence after which its lease expires. */
interface Times {
  readonly heartbeatMs: number
  readonly leaseMs: number
}

const defaultTimes: Times = { heartbeatMs: 2_000, leaseMs: 30_000 }

/**
 * The lock row: 0 means unlocked; the holder writes a new number at each heartbeat. When it has not changed for long
 * enough, the holder has crashed and the next program takes over. No clocks are compared.
 */
export class MigrationLease {
  readonly #db: Connections
  readonly #row: LockRow
  readonly #ending = new AbortController()
  readonly #heartbeat: Promise<void>
  /** Values that may be ours: after a lost connection it is unknown whether a write was executed. */
  #values: number[]

  private constructor(db: Connections, row: LockRow, ownNonce: number, times: Times) {
    this.#db = db
    this.#row = row
    this.#values = [ownNonce]
    this.#heartbeat = this.#sendHeartbeats(times)
    // The error is reported to the caller of `end`.
    this.#heartbeat.catch(() => {})
  }

  /** Waits for the lock. The connections of `db` are closed at the end. */
  static async acquire(db: Connections, row: LockRow, times: Times = defaultTimes): Promise<MigrationLease> {
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

  async #sendHeartbeats({ heartbeatMs }: Times): Promise<void> {
    const { signal } = this.#ending
    for (;;) {
      await pause(heartbeatMs, undefined, { signal }).catch(() => {})
      if (signal.aborted) return
      const next = nonce()
      try {
        // False when another program took over because our heartbeats were missing.
        if (!(await compareAndSet(this.#db, this.#row, this.#values, next))) return
        this.#values = [next]
      } catch (error) {
        if (!isDatabaseError(error)) throw error
        // A schema change can block all other writes, also those of programs that wait for the lock.
        this.#values = [...this.#values, next]
      }
    }
  }
}

/** Resolves to the value that we wrote when we got the lock. */
async function waitForLock(db: Connections, row: LockRow, { heartbeatMs, leaseMs }: Times): Promise<number> {
  let lastNonce: number | undefined
  let since = 0
  for (;;) {
    const requestedAt = performance.now()
    const holder = await readHolder(db, row)
    const now = performance.now()
    // While our query was blocked, so were the heartbeats of the holder.
    if (holder === undefined || holder !== lastNonce || now - requestedAt > heartbeatMs)
      [lastNonce, since] = [holder, now]
    if (holder === 0 || now - since > leaseMs) {
      const ownNonce = nonce()
      if (await compareAndSet(db, row, [holder ?? 0], ownNonce)) return ownNonce
    }
    await pause(heartbeatMs / 4)
  }
}

/** The current value of the row; `undefined` when it cannot be read. */
async function readHolder(db: Connections, { lockTable, lockRowId }: LockRow): Promise<number | undefined> {
  try {
    const { rows } = await sql<{ holder: number }>`
      select is_locked as holder from ${sql.table(lockTable)} where id = ${lockRowId}`.execute(db)
    return rows[0]?.holder
  } catch (error) {
    if (isDatabaseError(error)) return undefined
    throw error
  }
}

/** False when the row had another value. */
async function compareAndSet(db: Connections, { lockTable, lockRowId }: LockRow, from: readonly number[], to: number) {
  const { numAffectedRows } = await sql`
    update ${sql.table(lockTable)} set is_locked = ${to}
    where id = ${lockRowId} and is_locked in (${sql.join(from)})`.execute(db)
  return numAffectedRows === 1n
}

function nonce(): number {
  return randomInt(1, 2 ** 31)
}
