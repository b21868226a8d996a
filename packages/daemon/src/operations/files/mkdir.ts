import type { StepFields } from '@innkeeper/contract/definitions/operations'
import { formatPath, parsePath } from '../../files/path/safe-path.ts'
import type { PreparedStep } from '../context/step-context.ts'

/** Creates a directory and its parents; does nothing when it exists. */
export function makeFolder({ target }: StepFields<'mkdir'>): PreparedStep {
  const path = parsePath(target)

  return async (context) => {
    context.say(`Creating folder: ${formatPath(path)}`)
    await context.files.mkdirs(path)
  }
}
