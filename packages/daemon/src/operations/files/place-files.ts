import type { StepFields } from '@innkeeper/contract/definitions/operations'
import {
  findParent,
  formatPath,
  getChild,
  getName,
  isBelow,
  parsePath,
  parsePattern,
} from '../../files/path/safe-path.ts'
import type { PreparedStep } from '../context/step-context.ts'

/** Creates a directory and its parents; does nothing when it exists. */
export function makeFolder({ target }: StepFields<'mkdir'>): PreparedStep {
  const path = parsePath(target)

  return async (context) => {
    context.say(`Creating folder: ${formatPath(path)}`)
    await context.files.mkdirs(path)
  }
}

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

/**
 * Moves what matches `source`: into `target` if that is a directory or ends in `/`, else to that name. No match is
 * printed and allowed: templates move what only some versions have.
 */
export function moveFiles({ source, target }: StepFields<'move'>): PreparedStep {
  const pattern = parsePattern(source)
  const goal = parsePath(target)
  const isNamedFolder = target.endsWith('/')

  return async ({ files, say }) => {
    // A target directory that matches is not moved into itself.
    const found = (await files.glob(pattern)).filter((path) => path.length > 0 && formatPath(path) !== formatPath(goal))
    if (found.length === 0) return say(`Nothing to move: no file matches ${formatPath(pattern)}`)
    const isFolder = isNamedFolder || (await files.stat(goal))?.kind === 'folder'
    if (found.length > 1 && !isFolder) {
      throw new Error(`${found.length} files match ${formatPath(pattern)}, but ${formatPath(goal)} is not a folder`)
    }
    const folder = isFolder ? goal : findParent(goal)
    if (folder) await files.mkdirs(folder)

    for (const path of found) {
      const to = isFolder ? getChild(goal, getName(path)) : goal
      if (formatPath(to) === formatPath(path)) continue
      if (isBelow(to, path)) throw new Error(`${formatPath(path)} cannot be moved into itself`)
      say(`Moving: ${formatPath(path)} to ${formatPath(to)}`)
      if ((await files.lstat(to))?.kind === 'folder') throw new Error(`there is already a folder ${formatPath(to)}`)
      await files.rename(path, to)
    }
  }
}
