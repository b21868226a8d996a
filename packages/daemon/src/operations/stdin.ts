import type { StepFields } from '@innkeeper/contract/operations'
import { Refusal } from '@innkeeper/contract/refusals'
import type { ReadyStep } from './step-room.ts'

/** Types a line into the running server. What it answers is on the console, as for anybody who types there. */
export function typeLine({ command }: StepFields<'stdin'>): ReadyStep {
  return async (room) => {
    if (!room.send) throw new Refusal('ErrServerOffline')
    room.send(command)
  }
}
