import { getRequestDetails, isRefusal } from '../../api/request.ts'

/** The last one is repeated. */
const backoffMs = [1_000, 2_000, 5_000, 10_000, 30_000] as const
/** An upload without a successful request fails after this time. */
const giveUpAfterMs = 10 * 60 * 1000

/** Whether to retry: until the network is back, for a limited time because of the node, or not at all. */
export type RetryDecision = 'waitForNetwork' | 'waitForNode' | 'fail'

const transientStatuses: ReadonlySet<number> = new Set([423, 429, 502, 503, 504])

export function getRetryDecision(error: unknown): RetryDecision {
  const status = getRequestDetails(error)?.status
  if (status === 0) return 'waitForNetwork'
  if (status !== undefined && transientStatuses.has(status)) return 'waitForNode'
  // The node has another offset, or is restarting: the next attempt asks it for the offset.
  return isRefusal(error, 'ErrUploadOffset', 'ErrCancelled') ? 'waitForNode' : 'fail'
}

interface RetryOptions {
  readonly signal: AbortSignal
  /** Called before each wait. */
  readonly onStalled: () => void
  /** The reason why a retry cannot succeed, if there is one. */
  readonly getFatalError?: () => Promise<Error | undefined>
}

/**
 * Retries transient errors: without a network for an unlimited time, without a response of the node for
 * {@link giveUpAfterMs}. The attempt calls `onResponse` when a request succeeded, which resets backoff and timeout.
 */
export async function withRetry<T>(
  attempt: (onResponse: () => void) => Promise<T>,
  { signal, onStalled, getFatalError }: RetryOptions,
): Promise<T> {
  let failures = 0
  let failingSince: number | undefined
  const onResponse = () => {
    failures = 0
    failingSince = undefined
  }
  for (;;) {
    try {
      return await attempt(onResponse)
    } catch (error) {
      signal.throwIfAborted()
      const decision = getRetryDecision(error)
      if (decision === 'fail') throw error
      const fatalError = await getFatalError?.()
      if (fatalError) throw fatalError
      failingSince = decision === 'waitForNode' ? (failingSince ?? Date.now()) : undefined
      if (failingSince !== undefined && Date.now() - failingSince > giveUpAfterMs) throw error
      onStalled()
      await waitForRetry(backoffMs[Math.min(failures++, backoffMs.length - 1)] ?? 0, signal)
    }
  }
}

/** Waits until the backoff is over or the browser is online again. */
function waitForRetry(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      window.clearTimeout(timer)
      window.removeEventListener('online', end)
      signal.removeEventListener('abort', end)
      if (signal.aborted) reject(signal.reason)
      else resolve()
    }
    const timer = window.setTimeout(end, ms)
    window.addEventListener('online', end)
    signal.addEventListener('abort', end)
    if (signal.aborted) end()
  })
}
