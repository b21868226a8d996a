/** The first of `a.zip`, `a (2).zip`, `a (3).zip` … that is not taken. What two endings make one kind stays together. */
export function freeName(name: string, taken: ReadonlySet<string>): string {
  if (!taken.has(name)) return name
  const [, stem = name, number, ending = ''] = /^(.+?)(?: \((\d+)\))?((?:\.tar)?\.[^./]+)?$/s.exec(name) ?? []
  for (let next = number === undefined ? 2 : Number(number) + 1; ; next++) {
    const candidate = `${stem} (${next})${ending}`
    if (!taken.has(candidate)) return candidate
  }
}
