import { closeCodes } from '@innkeeper/contract/servers/live'
import { limits } from '@innkeeper/contract/text/limits'

export const maxRetries = 5
/** Each retry waits this much longer. */
export const retryStepMs = 500

/** The state of the live connection of a server page. */
export type Connection =
  /**
   * `failures` counts failed attempts since the connection was last stable. `isAfterFailure` marks a single attempt after
   * the connection was given up: it counts as failed until it opens.
   */
  | { readonly status: 'connecting'; readonly failures: number; readonly isAfterFailure?: true }
  | { readonly status: 'open'; readonly failures: number }
  /** Lost. The next attempt starts after `retryInMs`; until then HTTP calls are used. */
  | { readonly status: 'closed'; readonly failures: number; readonly retryInMs: number }
  /** Given up (`ErrSocketFailed`): HTTP calls are used until another attempt succeeds. */
  | { readonly status: 'failed' }
  | { readonly status: 'ended'; readonly because: 'left' | 'revoked' | 'deleted' }

export type ConnectionEvent =
  | { readonly type: 'opened' }
  /** It has been open for long enough to forget earlier failures. */
  | { readonly type: 'stabilized' }
  | { readonly type: 'lost'; readonly code?: number }
  | { readonly type: 'due' }
  | { readonly type: 'reconnect' }
  /** HTTP calls succeed: one attempt that does not count as reconnecting. */
  | { readonly type: 'tryOnce' }
  | { readonly type: 'leave' }

/** Returns the state after an event. An event that does not apply to the state changes nothing. */
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
        connection.status === 'connecting' && connection.isAfterFailure ? maxRetries : connection.failures,
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
  if (failures >= maxRetries) return { status: 'failed' }
  return {
    status: 'closed',
    failures: failures + 1,
    retryInMs: limits.socketRetryBaseMs + failures * retryStepMs,
  }
}
