import type { StepFields } from '@innkeeper/contract/operations'
import { formatPath, parentOf, parsePath } from '../files/path/safe-path.ts'
import type { ReadyStep } from './step-context.ts'

/** Writes a text into a file, making the folders above it. */
export function writeFile({ target, text }: StepFields<'writefile'>): ReadyStep {
  const path = parsePath(target)
  const parent = parentOf(path)
  if (!parent) throw new Error('target names no file')

  return async (room) => {
    room.say(`Writing file: ${formatPath(path)}`)
    await room.files.mkdirs(parent)
    await room.files.writeFile(path, text)
  }
}
