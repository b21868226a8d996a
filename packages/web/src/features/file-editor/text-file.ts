/** `latin1` maps every byte to one character, so that saving keeps it; `binary` is read-only. */
export type Encoding = 'utf8' | 'utf8bom' | 'latin1' | 'binary'

/** With `mixed` the editor splits at LF, and CR stays a character of its line. */
export type LineEnding = 'lf' | 'crlf' | 'mixed'

export interface TextFile {
  readonly lines: readonly string[]
  readonly encoding: Encoding
  readonly lineEnding: LineEnding
}

const bom = [0xef, 0xbb, 0xbf]

/** Decodes a file so that `encodeText` returns the same bytes. */
export function decodeText(bytes: Uint8Array): TextFile {
  const hasBom = bom.every((byte, index) => bytes[index] === byte)
  const rest = hasBom ? bytes.subarray(bom.length) : bytes
  const text = decodeUtf8(rest)
  if (text !== undefined) return split(text, hasBom ? 'utf8bom' : 'utf8')
  // Text in an 8-bit encoding contains no zero bytes.
  return split(decodeLatin1(bytes), bytes.includes(0) ? 'binary' : 'latin1')
}

/** Encodes a text; returns `undefined` if the encoding lacks one of its characters. */
export function encodeText({ lines, encoding, lineEnding }: TextFile): Uint8Array<ArrayBuffer> | undefined {
  const text = lines.join(getSeparator(lineEnding))
  if (encoding === 'utf8') return new TextEncoder().encode(text)
  if (encoding === 'utf8bom') return new TextEncoder().encode(`\ufeff${text}`)
  const bytes = new Uint8Array(text.length)
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code > 0xff) return undefined
    bytes[index] = code
  }
  return bytes
}

export function isSameText(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((line, index) => line === b[index])
}

export function getSeparator(lineEnding: LineEnding): string {
  return lineEnding === 'crlf' ? '\r\n' : '\n'
}

export interface Indentation {
  readonly type: 'spaces' | 'tabs'
  readonly width: number
}

/** Detects the indentation from the first 1,000 lines; two spaces if none is indented. */
export function detectIndentation(lines: readonly string[]): Indentation {
  let tabs = 0
  const steps = new Map<number, number>()
  let previous = 0
  for (const line of lines.slice(0, 1_000)) {
    if (line.trim() === '') continue
    if (line.startsWith('\t')) tabs += 1
    const spaces = /^ */.exec(line)?.[0].length ?? 0
    const step = spaces - previous
    if (step >= 2 && step <= 8) steps.set(step, (steps.get(step) ?? 0) + 1)
    previous = spaces
  }
  const [width = 2, times = 0] = [...steps].sort((a, b) => b[1] - a[1])[0] ?? []
  return tabs > times ? { type: 'tabs', width: 4 } : { type: 'spaces', width }
}

function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    // The bytes are not valid UTF-8.
    return undefined
  }
}

/** One character per byte. `TextDecoder('latin1')` is windows-1252, which maps some bytes differently. */
function decodeLatin1(bytes: Uint8Array): string {
  const parts: string[] = []
  for (let start = 0; start < bytes.length; start += 8_192)
    parts.push(String.fromCharCode(...bytes.subarray(start, start + 8_192)))
  return parts.join('')
}

function split(text: string, encoding: Encoding): TextFile {
  const lineEnding = detectLineEnding(text)
  return { lines: text.split(getSeparator(lineEnding)), encoding, lineEnding }
}

function detectLineEnding(text: string): LineEnding {
  const crlf = text.split('\r\n').length - 1
  const lf = text.split('\n').length - 1
  const cr = text.split('\r').length - 1
  if (cr === 0) return 'lf'
  return cr === crlf && lf === crlf ? 'crlf' : 'mixed'
}
