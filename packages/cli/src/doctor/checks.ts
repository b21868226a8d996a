import { errorMessage } from '@innkeeper/contract/errors/error-message'

/** `warning`: Innkeeper works, but does not keep one of its promises here. */
export type CheckState = 'ok' | 'warning' | 'failed'

export interface CheckResult {
  /** What was checked, for programs. */
  readonly name: string
  readonly state: CheckState
  readonly message: string
  /** What to do about it. */
  readonly advice?: string
}

/** Creates results of one check. */
export function getResults(name: string) {
  const result =
    (state: CheckState) =>
    (message: string, advice?: string): CheckResult => ({ name, state, message, ...(advice && { advice }) })
  return { ok: result('ok'), warning: result('warning'), failed: result('failed') }
}

/** One or several results that are found together. */
export interface Check {
  readonly name: string
  run(signal: AbortSignal): Promise<CheckResult | readonly CheckResult[]>
}

/** Runs all checks at the same time. One that fails or does not end in time is a result, too. */
export async function runChecks(checks: readonly Check[], timeoutMs: number): Promise<CheckResult[]> {
  return (await Promise.all(checks.map((check) => runCheck(check, timeoutMs)))).flat()
}

async function runCheck({ name, run }: Check, timeoutMs: number): Promise<readonly CheckResult[]> {
  const timeout = new AbortController()
  const { promise: isLate, resolve } = Promise.withResolvers<CheckResult>()
  const timer = setTimeout(() => {
    timeout.abort()
    resolve({ name, state: 'failed', message: `This was not known after ${timeoutMs / 1000} seconds.` })
  }, timeoutMs)
  const found = Promise.resolve()
    .then(() => run(timeout.signal))
    .catch((error: unknown): CheckResult => ({ name, state: 'failed', message: errorMessage(error) }))
  const results = await Promise.race([found, isLate]).finally(() => clearTimeout(timer))
  return [results].flat()
}

/** The worst state. */
export function overallState(results: readonly CheckResult[]): CheckState {
  const states = results.map(({ state }) => state)
  return (['failed', 'warning'] as const).find((state) => states.includes(state)) ?? 'ok'
}
