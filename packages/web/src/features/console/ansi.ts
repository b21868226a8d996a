/**
 * The little of a terminal that a console needs: colours and letter forms. Whatever else a program sends (titles,
 * clipboard, links, questions to the terminal, cursor moves) is dropped, and nothing is ever answered.
 */

/** A colour of the palette (0 to 15), or red, green and blue. */
export type Color = number | readonly [red: number, green: number, blue: number]

export interface Style {
  readonly color?: Color
  readonly background?: Color
  readonly bold?: true
  readonly dim?: true
  readonly italic?: true
  readonly underline?: true
  readonly strike?: true
  readonly inverse?: true
}

/** Text of one style; `start` is where it begins in the line's plain text. */
export interface Span {
  readonly text: string
  readonly style: Style
  readonly start: number
}

export const plain: Style = {}

/** Every sequence, whole or cut off at the end of the line, and every control character but tab. */
const sequence =
  /[\x1b\x9b]?(?:(?<=\x1b)\[|(?<=\x9b))([0-?]*)[ -/]*([@-~]|$)|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c\x18\x1a]*(?:[\x07\x9c\x18\x1a]|\x1b\\?)?|\x1b[ -/]*(?:[0-~]|$)|[\x00-\x08\x0a-\x1f\x7f-\x9f]/g

/** What can begin one: text without these needs no look. */
const control = /[\x00-\x08\x0a-\x1f\x7f-\x9f]/

/** The text as a person reads it: no sequences, what was written over is gone. */
export function textOf(line: string): string {
  if (!control.test(line)) return line
  return spansOf(line, plain)
    .spans.map((span) => span.text)
    .join('')
}

/** The line in pieces of one style each, and the style that the next line begins with. */
export function spansOf(line: string, style: Style): { readonly spans: readonly Span[]; readonly style: Style } {
  if (!control.test(line)) return { spans: line === '' ? [] : [{ text: line, style, start: 0 }], style }
  let pieces: { text: string; style: Style }[] = []
  let now = style
  let at = 0
  const write = (text: string) => {
    if (text !== '') pieces.push({ text, style: now })
  }
  for (const match of line.matchAll(sequence)) {
    write(line.slice(at, match.index))
    at = match.index + match[0].length
    const [whole, parameters = '', final] = match
    if (final === 'm') now = restyled(now, parameters)
    // To the first column: what follows is written over what stands there.
    else if ((whole === '\r' && at < line.length) || (final === 'G' && Number(parameters || 1) <= 1)) pieces = []
    else if (whole === '\b') pieces = withoutLast(pieces)
  }
  write(line.slice(at))
  return { spans: placed(pieces), style: now }
}

/** The style after a line, without reading its text. */
export function styleAfter(line: string, style: Style): Style {
  if (!line.includes('\x1b') && !line.includes('\x9b')) return style
  let now = style
  for (const match of line.matchAll(sequence)) if (match[2] === 'm') now = restyled(now, match[1] ?? '')
  return now
}

function withoutLast(pieces: { text: string; style: Style }[]): { text: string; style: Style }[] {
  const last = pieces.at(-1)
  if (!last) return pieces
  const text = [...last.text].slice(0, -1).join('')
  return text === '' ? pieces.slice(0, -1) : [...pieces.slice(0, -1), { ...last, text }]
}

function placed(pieces: readonly { text: string; style: Style }[]): Span[] {
  const spans: Span[] = []
  let start = 0
  for (const piece of pieces) {
    const last = spans.at(-1)
    if (last && last.style === piece.style) spans[spans.length - 1] = { ...last, text: last.text + piece.text }
    else spans.push({ ...piece, start })
    start += piece.text.length
  }
  return spans
}

const letterForms: Readonly<Record<number, Style>> = {
  1: { bold: true },
  2: { dim: true },
  3: { italic: true },
  4: { underline: true },
  7: { inverse: true },
  9: { strike: true },
  21: { underline: true },
  22: { bold: undefined, dim: undefined },
  23: { italic: undefined },
  24: { underline: undefined },
  27: { inverse: undefined },
  29: { strike: undefined },
  39: { color: undefined },
  49: { background: undefined },
}

/** The style after a sequence of select-graphic-rendition parameters. */
export function restyled(style: Style, parameters: string): Style {
  const codes = parameters.split(/[;:]/).map((code) => Number(code) || 0)
  let now = style
  for (let at = 0; at < codes.length; at++) {
    const code = codes[at] as number
    if (code === 0) now = plain
    else if (letterForms[code]) now = { ...now, ...letterForms[code] }
    else if (code >= 30 && code <= 37) now = { ...now, color: code - 30 }
    else if (code >= 40 && code <= 47) now = { ...now, background: code - 40 }
    else if (code >= 90 && code <= 97) now = { ...now, color: code - 82 }
    else if (code >= 100 && code <= 107) now = { ...now, background: code - 92 }
    else if (code === 38 || code === 48) {
      const { color, used } = extendedColor(codes.slice(at + 1))
      if (color !== undefined) now = { ...now, [code === 38 ? 'color' : 'background']: color }
      at += used
    }
  }
  return now
}

/** `5;n` of 256 colours, or `2;r;g;b`. */
function extendedColor(codes: readonly number[]): { color?: Color; used: number } {
  if (codes[0] === 5) return { color: indexedColor(codes[1] ?? 0), used: 2 }
  if (codes[0] !== 2) return { used: codes.length }
  const part = (at: number) => Math.min(codes[at] ?? 0, 255)
  return { color: [part(1), part(2), part(3)], used: 4 }
}

function indexedColor(index: number): Color | undefined {
  if (index < 16) return index
  if (index > 255) return undefined
  if (index >= 232) {
    const grey = 8 + (index - 232) * 10
    return [grey, grey, grey]
  }
  const level = (step: number) => (step === 0 ? 0 : 55 + step * 40)
  const cube = index - 16
  return [level(Math.floor(cube / 36)), level(Math.floor(cube / 6) % 6), level(cube % 6)]
}
