import type { StepFields } from '@innkeeper/contract/operations'
import type { PreparedStep } from './step-context.ts'

/** Types a line into the running server. What it answers is on the console, as for anybody who types there. */
export function sendLine({ command }: StepFields<'stdin'>): PreparedStep {
  return async (context) => context.send(command)
}
