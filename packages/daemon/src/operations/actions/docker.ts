import type { StepFields } from '@innkeeper/contract/definitions/operations'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import type { PreparedStep } from '../context/step-context.ts'
import { commandError } from './command.ts'

/** Pulls an image, even if it exists. */
export function pullImage({ imageName }: StepFields<'dockerpull'>): PreparedStep {
  return async (context) => {
    if (!context.pullImage) return context.say('No image to pull: this server does not run in a container')
    await context.pullImage(imageName.trim())
  }
}

/** Runs a script in a container of its own. */
export function runContainerScript(script: StepFields<'dockerrun'>): PreparedStep {
  return async (context) => {
    if (!context.runScript) throw new Refusal('ErrDockerNotSupported')
    const failure = commandError(script.entrypoint, await context.runScript(script))
    if (failure) throw failure
  }
}
