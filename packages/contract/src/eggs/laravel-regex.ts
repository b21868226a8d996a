const closing: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}', '<': '>' }

/**
 * Joins the pieces of a regular expression that contains `|`, which also separates rules. A piece without an end stays
 * as it is.
 */
export function joinSplitRegexes(rules: readonly string[]): string[] {
  const joined: string[] = []
  let at = 0
  while (at < rules.length) {
    const rule = rules[at] ?? ''
    const [, start = ''] = /^\s{0,100}(?:not_)?regex:(.*)$/is.exec(rule) ?? []
    const pieces = start === '' || splitRegex(start) ? 1 : (pieceCount(rules.slice(at), start) ?? 1)
    joined.push(rules.slice(at, at + pieces).join('|'))
    at += pieces
  }
  return joined
}

/** How many rules make up a whole regular expression. */
function pieceCount(rules: readonly string[], start: string): number | undefined {
  let text = start
  for (const [index, piece] of rules.entries()) {
    if (index === 0) continue
    text += `|${piece}`
    if (splitRegex(text)) return index + 1
  }
  return undefined
}

function splitRegex(text: string): { readonly body: string; readonly flags: string } | undefined {
  const regex = text.trim()
  const open = regex.charAt(0)
  if (open === '' || /[\w\\\s]/.test(open)) return undefined
  const end = regex.lastIndexOf(closing[open] ?? open)
  const flags = regex.slice(end + 1)
  return end > 0 && /^[a-z]{0,12}$/i.test(flags) ? { body: regex.slice(1, end), flags } : undefined
}

/** Converts a regular expression of PHP to a pattern; `undefined` when it has flags that a pattern has not. */
export function findPattern(text: string): string | undefined {
  const regex = splitRegex(text)
  // `u`, `D` and `S` do not matter for one line of text.
  if (!regex || /[^imsuUADS]/.test(regex.flags)) return undefined
  const flags = [...new Set(regex.flags)].filter((flag) => 'imsU'.includes(flag)).join('')
  const body = regex.body.replace(/\\(.)/gs, (pair, char: string) => (char === 'Z' ? '\\z' : pair))
  return `${flags && `(?${flags})`}${regex.flags.includes('A') ? `^(?:${body})` : body}`
}

/** A pattern that is one class of characters, repeated: `^[a-z]{1,20}$`. */
export function findClassRun(
  pattern: string,
): { characters: string; min: number; max: number | undefined } | undefined {
  const plain = pattern.replace(/^\^\((?:\?:)?(.*)\)\$$/s, '^$1$')
  const match = /^\^(\\[dwsDWS]|\[(?:\\.|[^\\[\]])+\])(?:([+*])|\{(\d{1,5})(?:,(\d{0,5}))?\})\$$/s.exec(plain)
  if (!match) return undefined
  const [, characters = '', sign, least, most] = match
  if (sign) return { characters, min: sign === '+' ? 1 : 0, max: undefined }
  return { characters, min: Number(least), max: most === '' ? undefined : Number(most ?? least) }
}

export function negatedClass(characters: string): string {
  if (characters.startsWith('[^')) return `[${characters.slice(2)}`
  if (characters.startsWith('[')) return `[^${characters.slice(1)}`
  const letter = characters.charAt(1)
  return `\\${letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()}`
}

/** A pattern that matches a text as it is. */
export const literal = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
