import { Refusal, type RefusalCode } from '@innkeeper/contract/errors/refusals'
import { limits } from '@innkeeper/contract/text/limits'
import { getCode } from '../../errors/error-code.ts'

declare const isChecked: unique symbol

/**
 * A path inside a server's directory, as a list of names; the empty list is the directory itself. Only this file
 * creates one, and file functions accept nothing else.
 */
export type SafePath = readonly string[] & { readonly [isChecked]: 'path' }

/** A path with `*` and `?` wildcards in its names. */
export type SafePattern = readonly string[] & { readonly [isChecked]: 'pattern' }

/** The server's directory itself. */
export const rootPath = [] as readonly string[] as SafePath

/**
 * Validates every path from users. A leading `/` or an empty text means the server's directory; `.` and `..` are
 * resolved, and nothing is decoded. Refuses paths that lead out and names that no file should have.
 */
export function parsePath(text: string): SafePath {
  if (hasControlCharacter(text)) throw new Refusal('ErrFieldInvalid', { field: 'path' })
  return parseExistingPath(text)
}

/** Like `parsePath`, also with control characters: other programs create such names, as macOS does with `Icon\r`. */
export function parseExistingPath(text: string): SafePath {
  return parseNames(text) as SafePath
}

export const hasControlCharacter = (text: string): boolean => /[\x00-\x1f\x7f]/.test(text)

/** Like `parsePath`, for a path with `*` and `?`. */
export function parsePattern(text: string): SafePattern {
  return parsePath(text) as readonly string[] as SafePattern
}

/** The path of an entry in a directory. */
export function getChild(folder: SafePath, name: string): SafePath {
  if (name === '' || name === '.' || name === '..' || name.includes('/')) {
    throw new Refusal('ErrFieldInvalid', { field: 'name' })
  }
  return parseExistingPath(`${folder.join('/')}/${name}`)
}

/** The path of an entry listed by the file system. Only a reachable name leads back to it. */
export function listedPath(folder: SafePath, name: string | Buffer): SafePath {
  return listedPathBelow(folder, [name])
}

/** Like `listedPath`, for several levels. */
export function listedPathBelow(folder: SafePath, names: readonly (string | Buffer)[]): SafePath {
  return [...folder, ...names.map(String)] as readonly string[] as SafePath
}

/** The parent directory; undefined for the server's directory. */
export function findParent(path: SafePath): SafePath | undefined {
  return path.length === 0 ? undefined : (path.slice(0, -1) as readonly string[] as SafePath)
}

/** The last name; empty for the server's directory. */
export function getName(path: SafePath): string {
  return path.at(-1) ?? ''
}

/** Formats as `/plugins/a.jar`, which `parsePath` parses back. */
export function formatPath(path: SafePath | SafePattern): string {
  return `/${path.join('/')}`
}

/** Whether `path` is `folder` or below it. */
export function isBelow(path: SafePath, folder: SafePath): boolean {
  return folder.every((name, at) => path[at] === name)
}

/** Resolves `.` and `..`. Returns undefined when the names lead out. */
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

/** Whether a name matches a pattern. Takes time in proportion to both lengths, whatever the pattern. */
export function matchesPattern(name: string, pattern: string): boolean {
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

/** Whether a name of a pattern has wildcards. */
export const hasWildcard = (name: string): boolean => /[*?]/.test(name)

function parseNames(text: string): SafePath {
  if (text.includes('\0') || !text.isWellFormed()) throw new Refusal('ErrFieldInvalid', { field: 'path' })
  const bytes = Buffer.byteLength(text)
  if (bytes > limits.pathBytes) throw new Refusal('ErrFieldTooLarge', { field: 'path', max: limits.pathBytes })
  const names = resolveNames(text.split('/'))
  if (!names) throw new Refusal('ErrIllegalFileAccess')
  if (bytes > limits.nameBytes && names.some((name) => Buffer.byteLength(name) > limits.nameBytes)) {
    throw new Refusal('ErrFieldTooLarge', { field: 'path', max: limits.nameBytes })
  }
  return names
}

const codes = {
  ENOENT: 'ErrFileNotFound',
  ENOTDIR: 'ErrFileNotFound',
  ELOOP: 'ErrIllegalFileAccess',
  EEXIST: 'ErrFileExists',
  ENOTEMPTY: 'ErrFileExists',
  EISDIR: 'ErrNotAFile',
  ENXIO: 'ErrNotAFile',
  ENODEV: 'ErrNotAFile',
} as const satisfies Record<string, RefusalCode>

/** Runs `act` and turns expected errno codes into refusals, such as ENOENT into ErrFileNotFound. */
export async function withRefusals<T>(path: SafePath, act: () => Promise<T>): Promise<T> {
  try {
    return await act()
  } catch (error) {
    const code = getCode(error)
    if (!(error instanceof Refusal) && Object.hasOwn(codes, code)) {
      throw new Refusal(codes[code as keyof typeof codes], { path: formatPath(path) }, { cause: error })
    }
    throw error
  }
}

/** The refusal of paths that lead out of the server's directory. */
export function outsideRoot(path: SafePath): Refusal {
  return new Refusal('ErrIllegalFileAccess', { path: formatPath(path) })
}
