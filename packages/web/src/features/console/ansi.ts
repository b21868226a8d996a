/**
 * The subset of ANSI escape sequences that the console supports: colors and text attributes (SGR). All other sequences
 * (window titles, clipboard, hyperlinks, device queries, cursor moves) are dropped and never answered.
 */

/** An index into the palette (0 to 15), or an RGB color. */
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

/** Text of one style; `start` is its offset in the plain text of the line. */
export interface Span {
  readonly text: string
  readonly style: Style
  readonly start: number
}

export const defaultStyle: Style = {}

/** Every escape sequence, complete or cut off at the end of the line, and every control character except tab. */
const sequence =
  /[\x1b\x9b]?(?:(?<=\x1b)\[|(?<=\x9b))([0-?]*)[ -/]*([@-~]|$)|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c\x18\x1a]*(?:[\x07\x9c\x18\x1a]|\x1b\\?)?|\x1b[ -/]*(?:[0-~]|$)|[\x00-\x08\x0a-\x1f\x7f-\x9f]/g

/** Control characters: text without them has no sequences and needs no parsing. */
const control = /[\x00-\x08\x0a-\x1f\x7f-\x9f]/

/** Returns the visible text of a line: without escape sequences and without overwritten characters. */
export function stripAnsi(line: string): string {
  if (!control.test(line)) return line
  return parseLine(line, defaultStyle)
    .spans.map((span) => span.text)
    .join('')
}

/** Splits a line into spans of one style each. Also returns the style that the next line starts with. */
export function parseLine(line: string, style: Style): { readonly spans: readonly Span[]; readonly style: Style } {
  if (!control.test(line)) return { spans: line === '' ? [] : [{ text: line, style, start: 0 }], style }
  let pieces: { text: string; style: Style }[] = []
  let current = style
  let offset = 0
  const write = (text: string) => {
    if (text !== '') pieces.push({ text, style: current })
  }
  for (const match of line.matchAll(sequence)) {
    write(line.slice(offset, match.index))
    offset = match.index + match[0].length
    const [whole, parameters = '', final] = match
    if (final === 'm') current = applySgr(current, parameters)
    // The cursor moves to the first column: the following text overwrites the line.
    else if ((whole === '\r' && offset < line.length) || (final === 'G' && Number(parameters || 1) <= 1)) pieces = []
    else if (whole === '\b') pieces = removeLastCharacter(pieces)
  }
  write(line.slice(offset))
  return { spans: mergeSpans(pieces), style: current }
}

/** Returns the style that the next line starts with, without parsing the text. */
export function getStyleAfter(line: string, style: Style): Style {
  if (!line.includes('\x1b') && !line.includes('\x9b')) return style
  let current = style
  for (const match of line.matchAll(sequence)) if (match[2] === 'm') current = applySgr(current, match[1] ?? '')
  return current
}

function removeLastCharacter(pieces: { text: string; style: Style }[]): { text: string; style: Style }[] {
  const last = pieces.at(-1)
  if (!last) return pieces
  const text = [...last.text].slice(0, -1).join('')
  return text === '' ? pieces.slice(0, -1) : [...pieces.slice(0, -1), { ...last, text }]
}

function mergeSpans(pieces: readonly { text: string; style: Style }[]): Span[] {
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

const sgrAttributes: Readonly<Record<number, Style>> = {
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

/** Applies the parameters of an SGR (select graphic rendition) sequence to a style. */
export function applySgr(style: Style, parameters: string): Style {
  const codes = parameters.split(/[;:]/).map((code) => Number(code) || 0)
  let current = style
  for (let index = 0; index < codes.length; index++) {
    const code = codes[index] as number
    if (code === 0) current = defaultStyle
    else if (sgrAttributes[code]) current = { ...current, ...sgrAttributes[code] }
    else if (code >= 30 && code <= 37) current = { ...current, color: code - 30 }
    else if (code >= 40 && code <= 47) current = { ...current, background: code - 40 }
    else if (code >= 90 && code <= 97) current = { ...current, color: code - 82 }
    else if (code >= 100 && code <= 107) current = { ...current, background: code - 92 }
    else if (code === 38 || code === 48) {
      const { color, used } = parseExtendedColor(codes.slice(index + 1))
      if (color !== undefined) current = { ...current, [code === 38 ? 'color' : 'background']: color }
      index += used
    }
  }
  return current
}

/** Parses `5;n` (256-color palette) or `2;r;g;b` (RGB). */
function parseExtendedColor(codes: readonly number[]): { color?: Color; used: number } {
  if (codes[0] === 5) return { color: fromPalette256(codes[1] ?? 0), used: 2 }
  if (codes[0] !== 2) return { used: codes.length }
  const channel = (index: number) => Math.min(codes[index] ?? 0, 255)
  return { color: [channel(1), channel(2), channel(3)], used: 4 }
}

function fromPalette256(index: number): Color | undefined {
  if (index < 16) return index
  if (index > 255) return undefined
  if (index >= 232) {
    const gray = 8 + (index - 232) * 10
    return [gray, gray, gray]
  }
  const level = (step: number) => (step === 0 ? 0 : 55 + step * 40)
  const cube = index - 16
  return [level(Math.floor(cube / 36)), level(Math.floor(cube / 6) % 6), level(cube % 6)]
}
