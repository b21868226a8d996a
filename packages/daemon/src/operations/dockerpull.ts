import type { StepFields } from '@innkeeper/contract/operations'
import type { ReadyStep } from './step-context.ts'

/** Fetches an image anew, also when the engine has one of that name. */
export function pullImage({ imageName }: StepFields<'dockerpull'>): ReadyStep {
  return async (room) => {
    if (!room.pullImage) return room.say('No image to download: this server does not run in a container')
    await room.pullImage(imageName.trim())
  }
}
