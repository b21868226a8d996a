import { setTimeout as delay } from 'node:timers/promises'
import type { StepFields } from '@innkeeper/contract/definitions/operations'
import { parseDuration } from '@innkeeper/contract/text/duration'
import type { PreparedStep } from '../context/step-context.ts'

const maxSleepMs = 24 * 60 * 60 * 1000

/** Waits: `90s`, `1m30s`; a bare number is nanoseconds, as in Go. */
export function wait({ duration }: StepFields<'sleep'>): PreparedStep {
  const text = duration.trim()
  const ms = parseDuration(/^\d+$/.test(text) ? `${text}ns` : text)
  if (ms === undefined) throw new Error(`"${duration}" is not a duration: write it as 90s or 1m30s`)
  if (ms > maxSleepMs) throw new Error(`${text} is too long to wait: the limit is ${maxSleepMs / 3_600_000}h`)

  return async ({ signal, say }) => {
    say(`Waiting: ${ms < 1000 ? `${Math.round(ms)} ms` : `${Math.round(ms / 1000)} s`}`)
    await delay(ms, undefined, { signal })
  }
}
