import type { VariableValues } from '@innkeeper/contract/definitions/variables'
import { ReportedError, refusalFrom } from '@innkeeper/contract/errors/refusal-envelope'
import type { Refusal } from '@innkeeper/contract/errors/refusals'
import type { Move } from '@innkeeper/contract/moves/moves'
import type { ActiveState } from '../database/moves.ts'
import type { StoredRow } from '../database/schema.ts'

/** Until then the server is on its node, and the move can be canceled. */
export const cancellableStates = ['waiting', 'copying', 'stopping', 'changes'] as const satisfies ActiveState[]

/** A move that this panel makes. */
export interface LeasedMove {
  /** Of the server. */
  readonly server: string
  /** Of the move, for the nodes. */
  readonly id: string
  readonly lease: string
  readonly from: number
  readonly to: number
  readonly userId: number
  readonly state: ActiveState
  readonly attempts: number
  readonly since: number
  readonly startedAt: number
  readonly wasRunning: boolean | undefined
  readonly isCancelled: boolean
  /** Why it is undone. */
  readonly error: Refusal | undefined
  readonly data: VariableValues
  readonly reservation: string
}

export function getMove(row: StoredRow<'moves'> & { readonly lease: string }): LeasedMove {
  return {
    server: row.server_id,
    id: row.id,
    lease: row.lease,
    from: row.from_node,
    to: row.to_node,
    userId: row.user_id,
    state: row.state as ActiveState,
    attempts: row.attempts,
    since: row.since,
    startedAt: row.started_at,
    wasRunning: row.was_running === null ? undefined : row.was_running === 1,
    isCancelled: row.is_cancelled === 1,
    error: row.error === null ? undefined : refusalFrom({ error: JSON.parse(row.error) }),
    data: JSON.parse(row.data) as VariableValues,
    reservation: row.reservation,
  }
}

/** Whether the former node still has the files. */
export const canGoBack = ({ state, copy_node, copy_until }: StoredRow<'moves'>, now: number): boolean =>
  state === 'starting' || (state === 'done' && copy_node !== null && (copy_until ?? 0) > now)

/** A move as users see it. */
export function getView(row: StoredRow<'moves'>, nodeName: (id: number) => string, now: number): Move {
  const { state, bytes, total_bytes, error, was_running, stopped_at, ready_at } = row
  const stoppedMs = was_running === 1 && stopped_at !== null && ready_at !== null ? ready_at - stopped_at : undefined
  return {
    state: state === 'startingBack' ? 'goingBack' : (state as Move['state']),
    from: { id: row.from_node, name: nodeName(row.from_node) },
    to: { id: row.to_node, name: nodeName(row.to_node) },
    startedAt: new Date(row.started_at).toISOString(),
    ...(bytes !== null && { bytes }),
    ...(total_bytes !== null && { totalBytes: total_bytes }),
    ...(stoppedMs !== undefined && { stoppedMs }),
    ...(state === 'done' && canGoBack(row, now) && { backUntil: new Date(row.copy_until ?? 0).toISOString() }),
    ...(error !== null && { error: ReportedError.parse(JSON.parse(error)) }),
  }
}
