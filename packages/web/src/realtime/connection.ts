import { limits } from '@innkeeper/contract/limits'
import { closeCodes } from '@innkeeper/contract/live'

/** Where the live connection of a server page is in its life. */
export type Connection =
  /**
   * `failures` are the tries that failed since the connection last held. `isAfterFailure` marks a single try after the
   * connection was given up: it counts as failed until it opens.
   */
  | { readonly status: 'connecting'; readonly failures: number; readonly isAfterFailure?: true }
  | { readonly status: 'open'; readonly failures: number }
  /** Lost; the next try begins by itself. Meanwhile plain calls do the work. */
  | { readonly status: 'closed'; readonly failures: number; readonly retryInMs: number }
  /** Given up (`ErrSocketFailed`): plain calls do the work until another try succeeds. */
  | { readonly status: 'failed' }
  | { readonly status: 'ended'; readonly because: 'left' | 'revoked' | 'deleted' }

/** What can happen to it. */
export type ConnectionEvent =
  | { readonly type: 'opened' }
  /** It has been open for long enough to forget earlier failures. */
  | { readonly type: 'stabilized' }
  | { readonly type: 'lost'; readonly code?: number }
  | { readonly type: 'due' }
  | { readonly type: 'reconnect' }
  /** Plain calls get through: one try, without counting as reconnecting. */
  | { readonly type: 'tryOnce' }
  | { readonly type: 'leave' }

/** The connection after something happened to it; what does not fit changes nothing. */
export function transition(connection: Connection, event: ConnectionEvent): Connection {
  if (connection.status === 'ended') return connection
  switch (event.type) {
    case 'opened':
      return connection.status === 'connecting' ? { status: 'open', failures: connection.failures } : connection
    case 'stabilized':
      return connection.status === 'open' ? { status: 'open', failures: 0 } : connection
    case 'lost':
      if (connection.status !== 'connecting' && connection.status !== 'open') return connection
      return lost(
        connection.status === 'connecting' && connection.isAfterFailure ? limits.socketRetries : connection.failures,
        event.code,
      )
    case 'due':
      return connection.status === 'closed' ? { status: 'connecting', failures: connection.failures } : connection
    case 'reconnect':
      return connection.status === 'failed' || connection.status === 'closed'
        ? { status: 'connecting', failures: 0 }
        : connection
    case 'tryOnce':
      return connection.status === 'failed' ? { status: 'connecting', failures: 0, isAfterFailure: true } : connection
    case 'leave':
      return { status: 'ended', because: 'left' }
  }
}

/** Whether the connection was given up and has not opened since. */
export function hasGivenUp(connection: Connection): boolean {
  return connection.status === 'failed' || (connection.status === 'connecting' && connection.isAfterFailure === true)
}

function lost(failures: number, code: number | undefined): Connection {
  if (code === closeCodes.revoked) return { status: 'ended', because: 'revoked' }
  if (code === closeCodes.deleted) return { status: 'ended', because: 'deleted' }
  if (failures >= limits.socketRetries) return { status: 'failed' }
  return {
    status: 'closed',
    failures: failures + 1,
    retryInMs: limits.socketRetryBaseMs + failures * limits.socketRetryStepMs,
  }
}
