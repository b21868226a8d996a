import { limits } from '@innkeeper/contract/limits'
import { closeCodes } from '@innkeeper/contract/live'

/** Where the live connection of a server page is in its life. */
export type Connection =
  /**
   * `failures` are the tries that failed since the connection last held. `isAfterFailure` marks a single try after the
   * connection was given up: it counts as failed until it opens.
   */
  | { readonly is: 'connecting'; readonly failures: number; readonly isAfterFailure?: true }
  | { readonly is: 'open'; readonly failures: number }
  /** Lost; the next try begins by itself. Meanwhile plain calls do the work. */
  | { readonly is: 'closed'; readonly failures: number; readonly retryInMs: number }
  /** Given up (`ErrSocketFailed`): plain calls do the work until another try succeeds. */
  | { readonly is: 'failed' }
  | { readonly is: 'ended'; readonly because: 'left' | 'revoked' | 'deleted' }

/** What can happen to it. */
export type Happening =
  | { readonly kind: 'opened' }
  /** It has been open for long enough to forget earlier failures. */
  | { readonly kind: 'held' }
  | { readonly kind: 'lost'; readonly code?: number }
  | { readonly kind: 'due' }
  | { readonly kind: 'reconnect' }
  /** Plain calls get through: one try, without counting as reconnecting. */
  | { readonly kind: 'tryOnce' }
  | { readonly kind: 'leave' }

/** The connection after something happened to it; what does not fit changes nothing. */
export function after(now: Connection, happening: Happening): Connection {
  if (now.is === 'ended') return now
  switch (happening.kind) {
    case 'opened':
      return now.is === 'connecting' ? { is: 'open', failures: now.failures } : now
    case 'held':
      return now.is === 'open' ? { is: 'open', failures: 0 } : now
    case 'lost':
      if (now.is !== 'connecting' && now.is !== 'open') return now
      return lost(now.is === 'connecting' && now.isAfterFailure ? limits.socketRetries : now.failures, happening.code)
    case 'due':
      return now.is === 'closed' ? { is: 'connecting', failures: now.failures } : now
    case 'reconnect':
      return now.is === 'failed' || now.is === 'closed' ? { is: 'connecting', failures: 0 } : now
    case 'tryOnce':
      return now.is === 'failed' ? { is: 'connecting', failures: 0, isAfterFailure: true } : now
    case 'leave':
      return { is: 'ended', because: 'left' }
  }
}

/** Whether the connection was given up and has not opened since. */
export function isGivenUp(now: Connection): boolean {
  return now.is === 'failed' || (now.is === 'connecting' && now.isAfterFailure === true)
}

function lost(failures: number, code: number | undefined): Connection {
  if (code === closeCodes.revoked) return { is: 'ended', because: 'revoked' }
  if (code === closeCodes.deleted) return { is: 'ended', because: 'deleted' }
  if (failures >= limits.socketRetries) return { is: 'failed' }
  return {
    is: 'closed',
    failures: failures + 1,
    retryInMs: limits.socketRetryBaseMs + failures * limits.socketRetryStepMs,
  }
}
