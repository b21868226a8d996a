import { Refusal } from '@innkeeper/contract/errors/refusals'
import { isTemporary } from '../../files/path/names.ts'
import { parsePath, type SafePath } from '../../files/path/safe-path.ts'

/**
 * Returns the path of an archive entry below the destination; undefined when it leads out or is not allowed. `.` and
 * repeated separators are ignored; a name without anything else is the destination itself. The defense against names that
 * overwrite other files (zip slip).
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

/** `/a`, `\a`, `\\host\a`, `C:\a`, `C:a`: absolute on any system. */
const isAbsolute = (name: string) => /^(?:[\\/]|[A-Za-z]:(?:[\\/]|$))/.test(name)

const hasParentSegment = (name: string) => name.split(/[\\/]/).includes('..')

/** A name in printable form. */
export function printableName(name: string): string {
  return name
    .toWellFormed()
    .replace(/[\x00-\x1f\x7f-\x9f]/g, '\ufffd')
    .slice(0, 300)
}
