import { Refusal, type RefusalCode, type RefusalMetadata } from '@innkeeper/contract/refusals'

/** The unique indexes by name, with their columns: SQLite names those when it refuses a row. A new one is added here. */
export const uniqueIndexes = {
  users_username_uq: 'users.username_key',
  users_email_uq: 'users.email_key',
  servers_name_uq: 'servers.name',
  invites_email_uq: 'invites.email_key',
  ssh_keys_fingerprint_uq: 'ssh_keys.fingerprint',
  nodes_name_uq: 'nodes.name_key',
} as const
export type UniqueIndex = keyof typeof uniqueIndexes

/** Runs a statement whose uniqueness the database judges: a row that would be the second is refused with the code. */
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

/** Runs a statement that refers to other rows: when one of these is gone, it is refused with the code. */
export async function mapForeignKeyViolation<T>(
  code: RefusalCode,
  statement: () => Promise<T>,
  metadata?: RefusalMetadata,
): Promise<T> {
  try {
    return await statement()
  } catch (error) {
    if (missingReference.has(facts(error).code)) throw new Refusal(code, metadata, { cause: error })
    throw error
  }
}

const duplicate = new Set(['SQLITE_CONSTRAINT_UNIQUE', 'SQLITE_CONSTRAINT_PRIMARYKEY', '23505', 'ER_DUP_ENTRY'])
const missingReference = new Set(['SQLITE_CONSTRAINT_FOREIGNKEY', '23503', 'ER_NO_REFERENCED_ROW_2'])
/** A cluster whose nodes both wrote tells one of them of a deadlock, if only when it commits. */
const serializationErrors = new Set([
  ...['40001', '40P01', 'SQLITE_BUSY_SNAPSHOT'],
  ...['ER_LOCK_DEADLOCK', 'ER_LOCK_WAIT_TIMEOUT', 'ER_CHECKREAD'],
])

/** Whether a row was refused because there is one like it, in any way or by the index given. */
export function isUniqueViolation(error: unknown, index?: UniqueIndex): boolean {
  const { code, message, constraint } = facts(error)
  if (!duplicate.has(code) || index === undefined) return duplicate.has(code)
  if (code === '23505') return constraint === index
  if (code === 'ER_DUP_ENTRY') return new RegExp(`for key '(?:\\w+\\.)?${index}'$`).test(message)
  return message.endsWith(`: ${uniqueIndexes[index]}`)
}

/** Whether a statement named a table that is not there. */
export function isMissingTable(error: unknown): boolean {
  const { code, message } = facts(error)
  return (
    ['42P01', 'ER_NO_SUCH_TABLE'].includes(code) || (code === 'SQLITE_ERROR' && message.startsWith('no such table'))
  )
}

/**
 * Whether the database kept nothing of the work, and may do it when it is begun anew: it broke it off for the sake of
 * other work, or the connection of an open transaction was lost, or led to a server that only reads.
 */
export function isRetryable(error: unknown): boolean {
  if (error instanceof DatabaseNotAvailable) return error.retryOnNewConnection
  return serializationErrors.has(facts(error).code)
}

/** The database cannot be reached, or cannot work: gone, overloaded, locked, full, damaged. */
export class DatabaseNotAvailable extends Error {
  override readonly name = 'DatabaseNotAvailable'
  /** Nothing was done, and it was only this connection that could not do it. */
  readonly retryOnNewConnection: boolean

  constructor(cause: unknown, { isWorthAnotherConnection = false } = {}) {
    super('The database is not available.', { cause })
    this.retryOnNewConnection = isWorthAnotherConnection
  }
}

/** Whether the database itself failed. */
export function isDatabaseError(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof DatabaseNotAvailable) return true
  }
  return false
}

/** What a failed statement, connection or transaction is told as: a failure of the database is marked as one. */
export function normalizeError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof DatabaseNotAvailable) return error
  const { code, message } = facts(error)
  // No database text holds it; only PostgreSQL says so.
  if (code === '22021' || code === '22P05') return new Refusal('ErrFieldInvalid', {}, { cause: error })
  const isUnavailable =
    unavailableCodes.test(code) ||
    unavailableMessages.test(message) ||
    (error instanceof AggregateError && error.errors.length > 0)
  return isUnavailable ? new DatabaseNotAvailable(error) : error
}

/**
 * What failed within a transaction that nobody has committed yet: whatever it was, nothing of it is kept. On another
 * connection it may be done.
 */
export function normalizeTransactionError(error: unknown): unknown {
  const isConnectionToBlame = isLostConnection(error) || isReadOnlyServer(error)
  return isConnectionToBlame
    ? new DatabaseNotAvailable(error, { isWorthAnotherConnection: true })
    : normalizeError(error)
}

/** Whether the connection went away under a statement: nobody can say whether it was done. */
export function isLostConnection(error: unknown): boolean {
  const { code, message } = facts(error)
  return (
    /^(57P0[123]|08...|ECONNRESET|EPIPE|PROTOCOL_CONNECTION_LOST|ER_(CONNECTION_KILLED|SERVER_SHUTDOWN))$/.test(code) ||
    lost.test(message)
  )
}
const lost = /^Connection terminated|connection is in closed state|Client has encountered a connection error/

/**
 * Whether the server did nothing because it is not the one to ask: one that only follows, or a node of a cluster that is
 * cut off from the others. Another connection may lead to another server.
 */
export function isReadOnlyServer(error: unknown): boolean {
  const { code, message } = facts(error)
  return (
    ['25006', 'ER_OPTION_PREVENTS_STATEMENT', 'ER_READ_ONLY_MODE'].includes(code) ||
    (code === 'ER_UNKNOWN_COM_ERROR' && message.includes('WSREP'))
  )
}

/** Whether a connection is for nobody any more: gone, still busy with what it did not answer, or to the wrong server. */
export function isConnectionUnusable(error: unknown): boolean {
  const { code, message } = facts(error)
  const isLate = code === 'PROTOCOL_SEQUENCE_TIMEOUT' || message === 'Query read timeout'
  return isLate || isLostConnection(error) || isReadOnlyServer(error)
}

/** Of SQLite, of the system's sockets, of PostgreSQL (by class) and of MySQL and MariaDB. */
const unavailableCodes = new RegExp(
  `^(${[
    'SQLITE_(BUSY|LOCKED|IOERR|CANTOPEN|FULL|READONLY|CORRUPT|NOTADB|PROTOCOL|NOMEM|PERM).*',
    'E(CONNREFUSED|CONNRESET|PIPE|TIMEDOUT|HOSTUNREACH|NETUNREACH|NOTFOUND|AI_AGAIN|NOENT|ACCES|ADDRNOTAVAIL)',
    '08...|53...|57P0.|57014|58...|25006|28...|3D000',
    'PROTOCOL_\\w+|POOL_\\w+|ER_(CON_COUNT_ERROR|SERVER_SHUTDOWN|TOO_MANY_USER_CONNECTIONS|ACCESS_DENIED_ERROR)',
    'ER_(DBACCESS_DENIED_ERROR|BAD_DB_ERROR|OPTION_PREVENTS_STATEMENT|READ_ONLY_MODE|CONNECTION_KILLED|DISK_FULL)',
    // Of a node that lost its cluster, at once or in the middle of a commit.
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
