// Paths are relative to the server's folder: names separated by `/`, without `/` at either end. The root is empty.

/** Normalizes a path: `/plugins//LandClaim/`, `plugins/x/../LandClaim`. It cannot leave the root. */
export function parsePath(text: string): string {
  const names: string[] = []
  for (const name of text.split('/')) {
    if (name === '' || name === '.') continue
    if (name === '..') names.pop()
    else names.push(name)
  }
  return names.join('/')
}

export function joinPath(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`
}

/** The parent folder; that of the root is the root. */
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

/** The folders from the root to the path, which is the last one. */
export function pathSegments(path: string): readonly PathSegment[] {
  const names = path === '' ? [] : path.split('/')
  return names.map((name, index) => ({ name, path: names.slice(0, index + 1).join('/') }))
}

/** Whether a path is the folder or inside of it. */
export function isWithin(folder: string, path: string): boolean {
  return folder === '' || path === folder || path.startsWith(`${folder}/`)
}

/** The first free name of `a.zip`, `a (2).zip`, `a (3).zip` …; `.tar.gz` stays together. */
export function uniqueName(name: string, existing: Pick<ReadonlySet<string>, 'has'>): string {
  if (!existing.has(name)) return name
  const [, stem = name, number, extension = ''] = /^(.+?)(?: \((\d+)\))?((?:\.tar)?\.[^./]+)?$/is.exec(name) ?? []
  for (let next = number === undefined ? 2 : Number(number) + 1; ; next++) {
    const candidate = `${stem} (${next})${extension}`
    if (!existing.has(candidate)) return candidate
  }
}
