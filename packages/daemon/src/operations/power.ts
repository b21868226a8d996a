import type { StepFields } from '@innkeeper/contract/operations'
import type { ReadyStep } from './step-context.ts'

/** Starts or ends the server that the task belongs to. */
export function powerServer({ action, wait }: StepFields<'power'>): ReadyStep {
  return async (room) => {
    if (!room.power) throw new Error('only tasks may start and stop the server')
    await room.power(action, wait)
  }
}
