import type { StepFields } from '@innkeeper/contract/operations'
import { formatPath, parsePath } from '../files/path/safe-path.ts'
import type { ReadyStep } from './step-context.ts'

/** Makes a folder and those above it; one that is there already is fine. */
export function makeFolder({ target }: StepFields<'mkdir'>): ReadyStep {
  const path = parsePath(target)

  return async (room) => {
    room.say(`Creating folder: ${formatPath(path)}`)
    await room.files.mkdirs(path)
  }
}
