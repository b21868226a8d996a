import type { StepFields } from '@innkeeper/contract/operations'
import { Refusal } from '@innkeeper/contract/refusals'
import { commandError } from './command.ts'
import type { PreparedStep } from './step-context.ts'

/** Runs a script in a container of its own. */
export function runContainerScript(script: StepFields<'dockerrun'>): PreparedStep {
  return async (context) => {
    if (!context.runScript) throw new Refusal('ErrDockerNotSupported')
    const failure = commandError(script.entrypoint, await context.runScript(script))
    if (failure) throw failure
  }
}
