import { Refusal, type RefusalCode, type RefusalMetadata } from '@innkeeper/contract/errors/refusals'

/** The unique indexes with their columns, which SQLite names in its error. Add new indexes here. */
export const uniqueIndexes = {
  users_username_uq: 'users.username_key',
  users_email_uq: 'users.email_key',
  servers_name_uq: 'servers.name_key',
  invites_email_uq: 'invites.email_key',
  ssh_keys_fingerprint_uq: 'ssh_keys.fingerprint',
  nodes_name_uq: 'nodes.name_key',
  roles_name_uq: 'roles.name_key',
  orders_external_uq: 'orders.shop, orders.external_id',
  dns_names_server_uq: 'dns_names.server_id',
} as const
export type UniqueIndex = keyof typeof uniqueIndexes

/** Runs a statement and maps a unique violation to a refusal with this code. */
export async function mapUniqueViolation<T>(
  index: UniqueIndex,
  code: RefusalCode,
  statement: () => Promise<T>,
  metadata?: RefusalMetadata,
): Promise<T> {
  try {
    return await statement()
  } catch (error) {
    if (isUniqueViolation(error, index)) throw new Refusal(code, metadata, { cause: error })
    throw error
  }
}

const duplicate = new Set(['SQLITE_CONSTRAINT_UNIQUE', 'SQLITE_CONSTRAINT_PRIMARYKEY', '23505', 'ER_DUP_ENTRY'])
/** A Galera cluster reports conflicting writes of two nodes as a deadlock, possibly only at commit. */
const serializationErrors = new Set([
  ...['40001', '40P01', 'SQLITE_BUSY_SNAPSHOT'],
  ...['ER_LOCK_DEADLOCK', 'ER_LOCK_WAIT_TIMEOUT', 'ER_CHECKREAD'],
])

/** Whether the error is a unique violation, of any index or of the given one. */
export function isUniqueViolation(error: unknown, index?: UniqueIndex): boolean {
  const { code, message, constraint } = facts(error)
  if (!duplicate.has(code) || index === undefined) return duplicate.has(code)
  if (code === '23505') return constraint === index
  if (code === 'ER_DUP_ENTRY') return new RegExp(`for key '(?:\\w+\\.)?${index}'$`).test(message)
  return message.endsWith(`: ${uniqueIndexes[index]}`)
}

/** Whether the error is about a missing table. */
export function isMissingTable(error: unknown): boolean {
  const { code, message } = facts(error)
  return (
    ['42P01', 'ER_NO_SUCH_TABLE'].includes(code) || (code === 'SQLITE_ERROR' && message.startsWith('no such table'))
  )
}

/**
 * Whether the transaction had no effect and may be retried: it was rolled back because of a conflict, its connection
 * was lost before the commit, or its server is read-only.
 */
export function isRetryable(error: unknown): boolean {
  if (error instanceof DatabaseNotAvailable) return error.retryOnNewConnection
  return serializationErrors.has(facts(error).code)
}

/** The database cannot be reached or cannot work: down, overloaded, locked, full or damaged. */
export class DatabaseNotAvailable extends Error {
  override readonly name = 'DatabaseNotAvailable'
  /** The statement had no effect, and only its connection was to blame. */
  readonly retryOnNewConnection: boolean

  constructor(cause: unknown, { isWorthAnotherConnection = false } = {}) {
    super('The database is not available.', { cause })
    this.retryOnNewConnection = isWorthAnotherConnection
  }
}

/** Whether the error is a failure of the database. */
export function isDatabaseError(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof DatabaseNotAvailable) return true
  }
  return false
}

/**
 * Normalizes an error of a statement, connection or transaction: failures of the database become
 * `DatabaseNotAvailable`.
 */
export function normalizeError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof DatabaseNotAvailable) return error
  const { code, message } = facts(error)
  // Databases cannot store this text; only PostgreSQL says so.
  if (code === '22021' || code === '22P05') return new Refusal('ErrFieldInvalid', {}, { cause: error })
  const isUnavailable =
    unavailableCodes.test(code) ||
    unavailableMessages.test(message) ||
    (error instanceof AggregateError && error.errors.length > 0)
  return isUnavailable ? new DatabaseNotAvailable(error) : error
}

/**
 * Normalizes an error within a transaction before its commit: nothing was stored, so that it may be retried on another
 * connection.
 */
export function normalizeTransactionError(error: unknown): unknown {
  const isConnectionToBlame = isLostConnection(error) || isReadOnlyServer(error)
  return isConnectionToBlame
    ? new DatabaseNotAvailable(error, { isWorthAnotherConnection: true })
    : normalizeError(error)
}

/** Whether the connection was lost during a statement: it is unknown whether the statement was executed. */
export function isLostConnection(error: unknown): boolean {
  const { code, message } = facts(error)
  return (
    /^(57P0[123]|08...|ECONNRESET|EPIPE|PROTOCOL_CONNECTION_LOST|ER_(CONNECTION_KILLED|SERVER_SHUTDOWN))$/.test(code) ||
    lost.test(message)
  )
}
const lost = /^Connection terminated|connection is in closed state|Client has encountered a connection error/

/**
 * Whether the server rejected the statement because it is a read-only replica, or a cluster node without quorum.
 * Another connection may lead to another server.
 */
export function isReadOnlyServer(error: unknown): boolean {
  const { code, message } = facts(error)
  return (
    ['25006', 'ER_OPTION_PREVENTS_STATEMENT', 'ER_READ_ONLY_MODE'].includes(code) ||
    (code === 'ER_UNKNOWN_COM_ERROR' && message.includes('WSREP'))
  )
}

/**
 * Whether the connection cannot be reused: lost, still busy with a statement that timed out, or to a read-only server.
 */
export function isConnectionUnusable(error: unknown): boolean {
  const { code, message } = facts(error)
  const isLate = code === 'PROTOCOL_SEQUENCE_TIMEOUT' || message === 'Query read timeout'
  return isLate || isLostConnection(error) || isReadOnlyServer(error)
}

/** Error codes of SQLite, of sockets, of PostgreSQL (by class), and of MySQL and MariaDB. */
const unavailableCodes = new RegExp(
  `^(${[
    'SQLITE_(BUSY|LOCKED|IOERR|CANTOPEN|FULL|READONLY|CORRUPT|NOTADB|PROTOCOL|NOMEM|PERM).*',
    'E(CONNREFUSED|CONNRESET|PIPE|TIMEDOUT|HOSTUNREACH|NETUNREACH|NOTFOUND|AI_AGAIN|NOENT|ACCES|ADDRNOTAVAIL)',
    '08...|53...|57P0.|57014|58...|25006|28...|3D000',
    'PROTOCOL_\\w+|POOL_\\w+|ER_(CON_COUNT_ERROR|SERVER_SHUTDOWN|TOO_MANY_USER_CONNECTIONS|ACCESS_DENIED_ERROR)',
    'ER_(DBACCESS_DENIED_ERROR|BAD_DB_ERROR|OPTION_PREVENTS_STATEMENT|READ_ONLY_MODE|CONNECTION_KILLED|DISK_FULL)',
    // A Galera node without quorum, also in the middle of a commit.
    'ER_(UNKNOWN_COM_ERROR|ERROR_DURING_COMMIT|QUERY_INTERRUPTED)',
  ].join('|')})$`,
)
const unavailableMessages =
  /database connection is not open|driver has already been destroyed|Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error|Pool is closed|connection is in closed state|Cannot use a pool after calling end/i

function facts(error: unknown): { code: string; message: string; constraint: string } {
  if (!(error instanceof Error)) return { code: '', message: '', constraint: '' }
  const { code = '', constraint = '' } = error as { code?: unknown; constraint?: unknown }
  return { code: String(code), message: error.message, constraint: String(constraint) }
}
