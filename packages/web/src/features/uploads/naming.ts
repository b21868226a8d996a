/** The first of `a.zip`, `a (2).zip`, `a (3).zip` … that is not taken. What two endings make one kind stays together. */
export function freeName(name: string, taken: ReadonlySet<string>): string {
  if (!taken.has(name)) return name
  const [, stem = name, number, ending = ''] = /^(.+?)(?: \((\d+)\))?((?:\.tar)?\.[^./]+)?$/s.exec(name) ?? []
  for (let next = number === undefined ? 2 : Number(number) + 1; ; next++) {
    const candidate = `${stem} (${next})${ending}`
    if (!taken.has(candidate)) return candidate
  }
}

/** Two parts of a path as one; either may be empty. */
export function joined(folder: string, path: string): string {
  return [folder, path]
    .map((part) => part.replace(/^\/+|\/+$/g, ''))
    .filter(Boolean)
    .join('/')
}

/** The folder that something is in; empty for the server's folder. */
export function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')))
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}
