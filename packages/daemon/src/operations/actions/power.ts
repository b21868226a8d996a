import type { StepFields } from '@innkeeper/contract/definitions/operations'
import { onlyInTasks, type PreparedStep } from '../context/step-context.ts'

/** Starts or stops the task's server. */
export function powerServer({ action, wait }: StepFields<'power'>): PreparedStep {
  return async (context) => {
    if (!context.power) throw new Error(onlyInTasks)
    await context.power(action, wait)
  }
}
