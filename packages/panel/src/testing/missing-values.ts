/**
 * Paths of values that are in `written` and not in `read`. A value may have been converted to another type, but none
 * may be lost.
 */
export function missingValues(written: unknown, read: unknown, path = ''): string[] {
  // Null, an empty type and an empty list of environments are equal to missing values.
  if (written === null || (path === '/environment' && isUnnamed(written))) return []
  if (Array.isArray(written)) {
    const others = Array.isArray(read) ? read : [read]
    if (path === '/supportedEnvironments' && written.length === 0) return []
    return written.length === others.length
      ? written.flatMap((one, at) => missingValues(one, others[at], `${path}/${at}`))
      : [path]
  }
  if (typeof written === 'object') {
    if (typeof read !== 'object' || read === null) return [path]
    return Object.entries(written).flatMap(([key, one]) =>
      missingValues(one, (read as Record<string, unknown>)[key], `${path}/${key}`),
    )
  }
  const others = Array.isArray(read) && read.length === 1 ? read[0] : read
  const isSame = String(others).toLowerCase() === String(written).toLowerCase() || (written === '' && others === 0)
  return isSame ? [] : [path]
}

const isUnnamed = (environment: unknown) => JSON.stringify(environment) === '{"type":""}'
