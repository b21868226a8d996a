/** A path from the server's folder: names with `/` between them, no `/` at either end; the folder itself is empty. */

/** Reads a path as it is written elsewhere: `/plugins//LandClaim/`, `plugins/x/../LandClaim`. It never leads above. */
export function parsePath(written: string): string {
  const names: string[] = []
  for (const name of written.split('/')) {
    if (name === '' || name === '.') continue
    if (name === '..') names.pop()
    else names.push(name)
  }
  return names.join('/')
}

export function joinPath(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`
}

/** The folder that something is in; that of the server's folder is itself. */
export function dirname(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')))
}

export function basename(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

export interface PathSegment {
  readonly name: string
  readonly path: string
}

/** The folders on the way, the last one being the path itself. */
export function pathSegments(path: string): readonly PathSegment[] {
  const names = path === '' ? [] : path.split('/')
  return names.map((name, index) => ({ name, path: names.slice(0, index + 1).join('/') }))
}

/** Whether a path is the folder or something below it. */
export function isWithin(folder: string, path: string): boolean {
  return folder === '' || path === folder || path.startsWith(`${folder}/`)
}

/** The first of `a.zip`, `a (2).zip`, `a (3).zip` … that is not taken. What two endings make one kind stays together. */
export function uniqueName(name: string, taken: Pick<ReadonlySet<string>, 'has'>): string {
  if (!taken.has(name)) return name
  const [, stem = name, number, ending = ''] = /^(.+?)(?: \((\d+)\))?((?:\.tar)?\.[^./]+)?$/is.exec(name) ?? []
  for (let next = number === undefined ? 2 : Number(number) + 1; ; next++) {
    const candidate = `${stem} (${next})${ending}`
    if (!taken.has(candidate)) return candidate
  }
}
