import { limits } from '@innkeeper/contract/limits'
import { closeCodes } from '@innkeeper/contract/live'

/** Where the live connection of a server page is in its life. */
export type Connection =
  /** `failures` are the tries that failed since the connection last held. */
  | { readonly is: 'connecting'; readonly failures: number }
  | { readonly is: 'open'; readonly failures: number }
  /** Lost; the next try begins by itself. Meanwhile plain calls do the work. */
  | { readonly is: 'closed'; readonly failures: number; readonly retryInMs: number }
  /** Given up (`ErrSocketFailed`): plain calls do the work until a person, or the network's return, asks again. */
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
      return now.is === 'connecting' || now.is === 'open' ? lost(now.failures, happening.code) : now
    case 'due':
      return now.is === 'closed' ? { is: 'connecting', failures: now.failures } : now
    case 'reconnect':
      return now.is === 'failed' || now.is === 'closed' ? { is: 'connecting', failures: 0 } : now
    case 'leave':
      return { is: 'ended', because: 'left' }
  }
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
