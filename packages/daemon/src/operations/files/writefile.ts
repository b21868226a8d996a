import type { StepFields } from '@innkeeper/contract/definitions/operations'
import { findParent, formatPath, parsePath } from '../../files/path/safe-path.ts'
import type { PreparedStep } from '../context/step-context.ts'

/** Writes a text to a file and creates its parent directories. */
export function writeFile({ target, text }: StepFields<'writefile'>): PreparedStep {
  const path = parsePath(target)
  const parent = findParent(path)
  if (!parent) throw new Error('target is not a file name')

  return async (context) => {
    context.say(`Writing file: ${formatPath(path)}`)
    await context.files.mkdirs(parent)
    await context.files.writeFile(path, text)
  }
}
