import type { StepFields } from '@innkeeper/contract/definitions/operations'
import type { PreparedStep } from '../context/step-context.ts'

/** Prints a message on the console; the server does not see it. */
export function sayMessage({ message }: StepFields<'console'>): PreparedStep {
  return async ({ say }) => say(`Message: ${message}`)
}
