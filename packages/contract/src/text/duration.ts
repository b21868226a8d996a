const part = /(?<count>\d+(?:\.\d*)?|\.\d+)(?<unit>ns|us|µs|μs|ms|s|m|h)/y

const unitMs: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
}

/** Parses a Go duration, `1h30m` or `1.5s`, to milliseconds. */
export function parseDuration(text: string): number | undefined {
  if (text === '0') return 0
  let ms = 0
  part.lastIndex = 0
  for (let at = 0; at < text.length; at = part.lastIndex) {
    const found = part.exec(text)?.groups
    if (!found) return undefined
    ms += Number(found.count) * (unitMs[found.unit ?? ''] ?? Number.NaN)
  }
  return text !== '' && Number.isFinite(ms) ? ms : undefined
}
