import type { StepFields } from '@innkeeper/contract/definitions/operations'
import type { PreparedStep } from '../context/step-context.ts'

/** Pulls an image, even if it exists. */
export function pullImage({ imageName }: StepFields<'dockerpull'>): PreparedStep {
  return async (context) => {
    if (!context.pullImage) return context.say('No image to pull: this server does not run in a container')
    await context.pullImage(imageName.trim())
  }
}
