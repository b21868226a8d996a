import type { StepFields } from '@innkeeper/contract/operations'
import type { PreparedStep } from './step-context.ts'

/** Starts or stops the task's server. */
export function powerServer({ action, wait }: StepFields<'power'>): PreparedStep {
  return async (context) => {
    if (!context.power) throw new Error('only tasks may start and stop the server')
    await context.power(action, wait)
  }
}
