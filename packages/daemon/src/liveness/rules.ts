import type { LivenessCheck, LivenessCheckType } from '@innkeeper/contract/definitions/liveness'

/** What a check has found; nothing follows from `unknown`. */
export interface CheckResult {
  readonly outcome: 'succeeded' | 'failed' | 'unknown'
  /** In English: what the server has answered, or why the check failed. */
  readonly detail: string
}

/** What the checks of a process have shown so far. */
export interface LivenessState {
  /** Positions of the checks that have succeeded. */
  readonly proven: ReadonlySet<number>
  /** Rounds in a row with a failure. */
  readonly failures: number
  /** When the first of them was, in epoch milliseconds, and what failed in the last. */
  readonly failing: { readonly since: number; readonly type: LivenessCheckType; readonly detail: string } | undefined
}

export const initialState: LivenessState = { proven: new Set(), failures: 0, failing: undefined }

/**
 * Returns the state after a round of checks. A query or a command that has never succeeded since the process began cannot
 * fail: the game may still load, have queries turned off, or the check may not fit to it.
 */
export function advance(
  { proven: before, failures, failing }: LivenessState,
  checks: readonly LivenessCheck[],
  results: readonly CheckResult[],
  at: number,
): LivenessState {
  const succeeded = results.flatMap(({ outcome }, index) => (outcome === 'succeeded' ? [index] : []))
  const proven = new Set([...before, ...succeeded])
  for (const [index, { outcome, detail }] of results.entries()) {
    const type = checks[index]?.type
    if (outcome !== 'failed' || type === undefined) continue
    if (type !== 'output' && !proven.has(index)) continue
    return { proven, failures: failures + 1, failing: { since: failing?.since ?? at, type, detail } }
  }
  return succeeded.length > 0 ? { proven, failures: 0, failing: undefined } : { proven, failures, failing }
}
