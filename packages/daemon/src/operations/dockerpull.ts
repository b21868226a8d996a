import type { StepFields } from '@innkeeper/contract/operations'
import type { PreparedStep } from './step-context.ts'

/** Fetches an image anew, also when the engine has one of that name. */
export function pullImage({ imageName }: StepFields<'dockerpull'>): PreparedStep {
  return async (context) => {
    if (!context.pullImage) return context.say('No image to download: this server does not run in a container')
    await context.pullImage(imageName.trim())
  }
}
