import { limits } from '@innkeeper/contract/limits'
import { Refusal } from '@innkeeper/contract/refusals'

declare const isChecked: unique symbol

/**
 * A place below a server's folder, as the names that lead there; none is the folder itself. Only the functions of this
 * file make one, and file functions accept nothing else.
 */
export type SafePath = readonly string[] & { readonly [isChecked]: 'path' }

/** A path in which `*` and `?` of each name stand for others. */
export type SafePattern = readonly string[] & { readonly [isChecked]: 'pattern' }

/** The folder of the server itself. */
export const rootPath = [] as readonly string[] as SafePath

/**
 * The gate for every path that someone typed. `/` at the start, or nothing, means the folder of the server; `.` and `..`
 * are worked out here, and nothing is decoded. Refuses what leaves the folder and what no file should be called.
 */
export function parsePath(text: string): SafePath {
  return namesOf(text) as SafePath
}

/** Like `parsePath`, for a path with `*` and `?`. */
export function parsePattern(text: string): SafePattern {
  return namesOf(text) as readonly string[] as SafePattern
}

/** The path of something in a folder. */
export function childOf(folder: SafePath, name: string): SafePath {
  if (name === '' || name === '.' || name === '..' || name.includes('/')) {
    throw new Refusal('ErrFieldInvalid', { field: 'name' })
  }
  return parsePath(`${folder.join('/')}/${name}`)
}

/** The path of what the file system itself shows in a folder. Only a name that is addressable leads back to it. */
export function listedPath(folder: SafePath, name: string | Buffer): SafePath {
  return listedPathBelow(folder, [name])
}

/** Like `shownIn`, for a way down from a folder. */
export function listedPathBelow(folder: SafePath, names: readonly (string | Buffer)[]): SafePath {
  return [...folder, ...names.map(String)] as readonly string[] as SafePath
}

/** The folder that something is in; the folder of the server is in none. */
export function parentOf(path: SafePath): SafePath | undefined {
  return path.length === 0 ? undefined : (path.slice(0, -1) as readonly string[] as SafePath)
}

/** The last name; empty for the folder of the server. */
export function nameOf(path: SafePath): string {
  return path.at(-1) ?? ''
}

/** `/plugins/a.jar`: how people see it, and what `parsePath` reads back. */
export function formatPath(path: SafePath | SafePattern): string {
  return `/${path.join('/')}`
}

/** Whether `path` is `folder` or somewhere below it. */
export function isBelow(path: SafePath, folder: SafePath): boolean {
  return folder.every((name, at) => path[at] === name)
}

/** Names after `.` and `..` are worked out; `undefined` when they lead out of the folder. */
export function resolveNames(names: readonly string[]): SafePath | undefined {
  const resolved: string[] = []
  for (const name of names) {
    if (name === '..') {
      if (resolved.pop() === undefined) return undefined
    } else if (name !== '' && name !== '.') {
      resolved.push(name)
    }
  }
  return resolved as readonly string[] as SafePath
}

/** Whether a name fits a pattern of one name. Takes time in proportion to both, whatever the pattern. */
export function fitsPattern(name: string, pattern: string): boolean {
  let [at, of] = [0, 0]
  let [star, resume] = [-1, 0]
  while (at < name.length) {
    if (pattern[of] === '*') {
      star = of++
      resume = at
    } else if (pattern[of] === '?' || pattern[of] === name[at]) {
      of++
      at++
    } else if (star !== -1) {
      of = star + 1
      at = ++resume
    } else {
      return false
    }
  }
  while (pattern[of] === '*') of++
  return of === pattern.length
}

/** Whether a name of a pattern stands for others than itself. */
export const hasWildcard = (name: string): boolean => /[*?]/.test(name)

function namesOf(text: string): SafePath {
  if (/[\x00-\x1f\x7f]/.test(text) || !text.isWellFormed()) throw new Refusal('ErrFieldInvalid', { field: 'path' })
  const bytes = Buffer.byteLength(text)
  if (bytes > limits.pathBytes) throw new Refusal('ErrFieldTooLarge', { field: 'path', max: limits.pathBytes })
  const names = resolveNames(text.split('/'))
  if (!names) throw new Refusal('ErrIllegalFileAccess')
  if (bytes > limits.nameBytes && names.some((name) => Buffer.byteLength(name) > limits.nameBytes)) {
    throw new Refusal('ErrFieldTooLarge', { field: 'path', max: limits.nameBytes })
  }
  return names
}
