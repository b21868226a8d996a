import { randomUUID } from 'node:crypto'
import { isDatabaseError } from '../database/errors.ts'
import { affectsRows } from '../database/rows.ts'
import type { Database, RowChanges } from '../database/schema.ts'

/** For each table the key of its rows, and the columns that a lease changes. */
const columnsOfTable = {
  mails: ['id', 'state', 'lease', 'next_at'],
  alert_deliveries: ['id', 'state', 'lease', 'next_at'],
  clones: ['server_id', 'state', 'lease', 'updated_at'],
  moves: ['server_id', 'state', 'lease', 'updated_at'],
  evacuations: ['id', 'state', 'lease', 'updated_at'],
  orders: ['id', 'state', 'lease', 'next_at'],
  dns_names: ['label', 'state', 'lease', 'next_at'],
} as const

type QueueTable = keyof typeof columnsOfTable
type Changes = { [Table in QueueTable]: RowChanges<Table> }[QueueTable]

/** A row that this panel has leased. */
type Leased<Row> = Row & { readonly lease: string }

/**
 * A table as a queue for all panels. A panel acquires a row by writing a lease to it. A lease has no lock: its end is a time in
 * the row, after which another panel may acquire the row, for example because the first one has crashed.
 */
export class LeasedQueue {
  readonly #db: Database
  readonly #table: QueueTable

  constructor(db: Database, table: QueueTable) {
    this.#db = db
    this.#table = table
  }

  /**
   * Leases rows, and returns those that no other panel has leased or changed since they were read. `changes` contains the
   * time at which the lease ends.
   */
  async acquire<Row extends object, C extends Changes>(
    rows: readonly Row[],
    changes: (row: Row) => C,
  ): Promise<Leased<Row & C>[]> {
    const acquired: Leased<Row & C>[] = []
    for (const row of rows) {
      const leased = { ...changes(row), lease: randomUUID() }
      try {
        if (await this.#replace(row, leased)) acquired.push({ ...row, ...leased })
      } catch (error) {
        // Otherwise acquired rows would wait for the end of their lease.
        if (acquired.length === 0 || !isDatabaseError(error)) throw error
        break
      }
    }
    return acquired
  }

  /** An update of a row that this panel has leased. It finds no row when another panel has leased it since. */
  updateLeased(id: string, lease: string, on = this.#db) {
    const [key] = columnsOfTable[this.#table]
    return on.updateTable(this.#table).where(key, '=', id).where('lease', '=', lease)
  }

  async #replace(row: object, changes: Changes): Promise<boolean> {
    const columns: readonly string[] = columnsOfTable[this.#table]
    const asRead = Object.fromEntries(Object.entries(row).filter(([column]) => columns.includes(column)))
    const update = this.#db.updateTable(this.#table).set(changes)
    return await affectsRows(update.where(({ and }) => and(asRead)))
  }
}
