import { Refusal } from '@innkeeper/contract/errors/refusals'
import { withTimeout } from '../concurrency/timeout.ts'
import type { PowerAction } from '../lifecycle/rules.ts'

interface PowerWaitOptions {
  readonly action: PowerAction
  readonly withinMs: number
  /** Rejects with the signal's reason when it aborts. */
  readonly signal?: AbortSignal
}

/** Waits for the end of a power action. Throws ErrPowerTooSlow after the timeout; the action itself continues. */
export async function waitForPower(
  ended: Promise<void>,
  { action, withinMs, signal }: PowerWaitOptions,
): Promise<void> {
  const error = () => new Refusal('ErrPowerTooSlow', { action, seconds: Math.round(withinMs / 1000) })
  await withTimeout(ended, { ms: withinMs, signal, error })
}
