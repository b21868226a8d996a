/** Start of a control sequence: ESC, or CSI as one character (ECMA-48). */
const sequenceStart = /[\u001b\u009b]/g
const isBetween = (code: number, first: number, last: number) => code >= first && code <= last

/**
 * Removes terminal control sequences: CSI (colors, cursor), OSC (titles, links) and single escapes. Of an unterminated
 * sequence only the first characters are removed. Takes linear time on any text.
 */
export function stripControlSequences(text: string): string {
  const endOfString = stringTerminators(text)
  let remaining = ''
  let from = 0
  sequenceStart.lastIndex = 0
  for (let match = sequenceStart.exec(text); match; match = sequenceStart.exec(text)) {
    remaining += text.slice(from, match.index)
    from = endOfSequence(text, match.index, endOfString)
    sequenceStart.lastIndex = from
  }
  return remaining + text.slice(from)
}

function endOfSequence(text: string, start: number, endOfString: (from: number) => number | undefined): number {
  const type = text[start] === '\u009b' ? '[' : text[start + 1]
  const body = text[start] === '\u009b' ? start + 1 : start + 2
  if (type === ']') return endOfString(body) ?? body
  let at = type === '[' ? skip(text, body, 0x30, 0x3f) : start + 1
  at = skip(text, at, 0x20, 0x2f)
  const final = text.charCodeAt(at)
  return isBetween(final, type === '[' ? 0x40 : 0x30, 0x7e) ? at + 1 : at
}

/** The first position from `at` whose character is not in a range. */
function skip(text: string, at: number, first: number, last: number): number {
  let end = at
  while (isBetween(text.charCodeAt(end), first, last)) end++
  return end
}

/**
 * Finds terminators of OSC strings in order. Remembers what was found or is missing, so that the text is searched once.
 */
function stringTerminators(text: string): (from: number) => number | undefined {
  const terminators = ['\u0007', '\u001b\\', '\u009c'].map((mark) => ({ mark, next: 0 }))
  return (from) => {
    let first: number | undefined
    for (const terminator of terminators) {
      if (terminator.next < from) {
        const at = text.indexOf(terminator.mark, from)
        terminator.next = at < 0 ? Number.POSITIVE_INFINITY : at
      }
      const end = terminator.next + terminator.mark.length
      if (end < (first ?? Number.POSITIVE_INFINITY)) first = end
    }
    return first
  }
}
