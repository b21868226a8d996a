import type { StepFields } from '@innkeeper/contract/operations'
import type { ReadyStep } from './step-context.ts'

/** Types a line into the running server. What it answers is on the console, as for anybody who types there. */
export function typeLine({ command }: StepFields<'stdin'>): ReadyStep {
  return async (room) => room.send(command)
}
