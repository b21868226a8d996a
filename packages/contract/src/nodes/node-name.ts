const maxLength = 100

/** A valid name of a node from that of its host, which no other node has. `taken` are names in lower case. */
export function getNodeName(host: string, taken: ReadonlySet<string>): string {
  const name = host.replace(/[^\w\-.]+/g, '-').slice(0, maxLength - 6) || 'node'
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? name : `${name}-${number}`
    if (!taken.has(candidate.toLowerCase())) return candidate
  }
}
