import { Refusal } from '@innkeeper/contract/refusals'
import { parsePath, type SafePath } from '../../files/path/safe-path.ts'
import { isTemporary } from '../../files/write/temporary.ts'

/**
 * Where a name from an archive leads below the folder that it is unpacked to: `undefined` when it leads out of it, or is
 * one that no file should have. `.` and doubled separators mean nothing; a name that is nothing else is the folder itself.
 */
export function entryPath(name: string): SafePath | undefined {
  if (isAbsolute(name) || hasParentSegment(name)) return undefined
  try {
    const path = parsePath(name)
    return path.some(isTemporary) ? undefined : path
  } catch (error) {
    if (error instanceof Refusal) return undefined
    throw error
  }
}

/** `/a`, `\a`, `\\host\a`, `C:\a`, `C:a`, whichever system it was meant for. */
const isAbsolute = (name: string) => /^(?:[\\/]|[A-Za-z]:(?:[\\/]|$))/.test(name)

const hasParentSegment = (name: string) => name.split(/[\\/]/).includes('..')

/** A name as it can be shown. */
export function printableName(name: string): string {
  return name
    .toWellFormed()
    .replace(/[\x00-\x1f\x7f-\x9f]/g, '\ufffd')
    .slice(0, 300)
}
