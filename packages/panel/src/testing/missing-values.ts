/** What of a written value is not in the read one, as paths. A value may have got its type; nothing may be gone. */
export function missingValues(written: unknown, read: unknown, path = ''): string[] {
  // Nothing, an empty type and an empty list of environments say the same as leaving them out.
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
