import { limits } from '@innkeeper/contract/limits'
import { isRefusal } from '../../api/request.ts'
import { getRequestDetails } from '../../api/request-details.ts'

/** What is done about a failure: wait for the way to the panel, give the node a while, or leave it to a person. */
export type Verdict = 'waitForNetwork' | 'waitForNode' | 'giveUp'

const passing: ReadonlySet<number> = new Set([423, 429, 502, 503, 504])

export function verdictOn(error: unknown): Verdict {
  const status = getRequestDetails(error)?.status
  if (status === 0) return 'waitForNetwork'
  if (status !== undefined && passing.has(status)) return 'waitForNode'
  // The node has more or less of it than we thought, or let go of it because it restarts: asking it anew tells.
  return isRefusal(error, 'ErrUploadOffset', 'ErrCancelled') ? 'waitForNode' : 'giveUp'
}

interface Patience {
  readonly signal: AbortSignal
  /** Nothing gets through at the moment. */
  readonly onCutOff: () => void
  /** Why trying again cannot help, if there is a reason. */
  readonly hopeless?: () => Promise<Error | undefined>
}

/**
 * Tries until it succeeds or cannot. Without a network that is as long as it takes, without an answer of the node
 * `limits.uploadGiveUpMs`; `onHeard` given to the attempt says that something got through, and patience begins anew.
 */
export async function persist<T>(attempt: (onHeard: () => void) => Promise<T>, how: Patience): Promise<T> {
  const { signal, onCutOff, hopeless } = how
  let failures = 0
  let since: number | undefined
  const onHeard = () => {
    failures = 0
    since = undefined
  }
  for (;;) {
    try {
      return await attempt(onHeard)
    } catch (error) {
      signal.throwIfAborted()
      const verdict = verdictOn(error)
      if (verdict === 'giveUp') throw error
      const reason = await hopeless?.()
      if (reason) throw reason
      since = verdict === 'waitForNode' ? (since ?? Date.now()) : undefined
      if (since !== undefined && Date.now() - since > limits.uploadGiveUpMs) throw error
      onCutOff()
      await pause(limits.uploadRetryMs[Math.min(failures++, limits.uploadRetryMs.length - 1)] ?? 0, signal)
    }
  }
}

/** Waits, but not when the network comes back meanwhile. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
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
