import type { StepFields } from '@innkeeper/contract/definitions/operations'
import type { PreparedStep } from '../context/step-context.ts'

/** Writes a line to the running server's stdin. */
export function sendLine({ command }: StepFields<'stdin'>): PreparedStep {
  return async (context) => context.send(command)
}
