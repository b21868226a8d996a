/** Compares versions by their numbers; pre-releases come before the release. */
export function compareVersions(one: string, other: string): number {
  const [these, those] = [getParts(one), getParts(other)]
  for (let at = 0; at < Math.max(these.length, those.length); at++) {
    const [a, b] = [these[at] ?? 0, those[at] ?? 0]
    if (a === b) continue
    if (typeof a === 'number' && typeof b === 'number') return a - b
    // `1.0-beta` comes before `1.0`, and before `1.0.1`.
    if (typeof a !== typeof b) return typeof a === 'string' ? -1 : 1
    return a < b ? -1 : 1
  }
  return 0
}

/** Returns the newest version. */
export function findNewest(versions: readonly string[]): string | undefined {
  return versions.toSorted(compareVersions).at(-1)
}

const getParts = (version: string): (string | number)[] =>
  (version.toLowerCase().match(/\d+|[a-z]+/g) ?? []).map((part) => (/^\d/.test(part) ? Number(part) : part))
