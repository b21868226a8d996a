/** How the bytes of a file became text. `latin1` keeps every byte as one character; `binary` is only to be looked at. */
export type Encoding = 'utf8' | 'utf8bom' | 'latin1' | 'binary'

/** What ends its lines. With `mixed` the editor splits at LF, and a CR stays a character of its line. */
export type LineEnding = 'lf' | 'crlf' | 'mixed'

export interface TextFile {
  readonly lines: readonly string[]
  readonly encoding: Encoding
  readonly lineEnding: LineEnding
}

const bom = [0xef, 0xbb, 0xbf]

/** Reads bytes as text, so that `bytesOf` gives back the very same bytes. */
export function readText(bytes: Uint8Array): TextFile {
  const hasBom = bom.every((byte, index) => bytes[index] === byte)
  const rest = hasBom ? bytes.subarray(bom.length) : bytes
  const text = utf8Of(rest)
  if (text !== undefined) return split(text, hasBom ? 'utf8bom' : 'utf8')
  // Zero bytes are in no text of one byte per character: they say that this is something else.
  return split(latin1Of(bytes), bytes.includes(0) ? 'binary' : 'latin1')
}

/** The bytes of a text that was read so; `undefined` when a character cannot be written in that encoding. */
export function bytesOf({ lines, encoding, lineEnding }: TextFile): Uint8Array<ArrayBuffer> | undefined {
  const text = lines.join(separatorOf(lineEnding))
  if (encoding === 'utf8') return new TextEncoder().encode(text)
  if (encoding === 'utf8bom') return new TextEncoder().encode(`\ufeff${text}`)
  const bytes = new Uint8Array(text.length)
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code > 0xff) return undefined
    bytes[at] = code
  }
  return bytes
}

export function separatorOf(lineEnding: LineEnding): string {
  return lineEnding === 'crlf' ? '\r\n' : '\n'
}

export interface Indentation {
  readonly kind: 'spaces' | 'tabs'
  readonly width: number
}

/** What its lines are indented with; two spaces as long as none is. */
export function indentationOf(lines: readonly string[]): Indentation {
  let tabs = 0
  const steps = new Map<number, number>()
  let before = 0
  for (const line of lines.slice(0, 1_000)) {
    if (line.trim() === '') continue
    if (line.startsWith('\t')) tabs += 1
    const spaces = /^ */.exec(line)?.[0].length ?? 0
    const step = spaces - before
    if (step >= 2 && step <= 8) steps.set(step, (steps.get(step) ?? 0) + 1)
    before = spaces
  }
  const [width = 2, times = 0] = [...steps].sort((one, other) => other[1] - one[1])[0] ?? []
  return tabs > times ? { kind: 'tabs', width: 4 } : { kind: 'spaces', width }
}

function utf8Of(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    // Not an error: this is how a decoder says that the bytes are none.
    return undefined
  }
}

/** One character per byte. The platform's decoder of that name gives some bytes other characters. */
function latin1Of(bytes: Uint8Array): string {
  const parts: string[] = []
  for (let at = 0; at < bytes.length; at += 8_192) parts.push(String.fromCharCode(...bytes.subarray(at, at + 8_192)))
  return parts.join('')
}

function split(text: string, encoding: Encoding): TextFile {
  const lineEnding = lineEndingOf(text)
  return { lines: text.split(separatorOf(lineEnding)), encoding, lineEnding }
}

function lineEndingOf(text: string): LineEnding {
  const crlf = text.split('\r\n').length - 1
  const lf = text.split('\n').length - 1
  const cr = text.split('\r').length - 1
  if (cr === 0) return 'lf'
  return cr === crlf && lf === crlf ? 'crlf' : 'mixed'
}
