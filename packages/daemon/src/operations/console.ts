import type { StepFields } from '@innkeeper/contract/operations'
import type { ReadyStep } from './step-context.ts'

/** Says something on the console; the server does not see it. */
export function sayMessage({ message }: StepFields<'console'>): ReadyStep {
  return async ({ say }) => say(`Message: ${message}`)
}
