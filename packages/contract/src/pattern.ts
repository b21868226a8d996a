import { limits } from './limits.ts'

/** A pattern that was read, for the engine of the runtime. */
export interface Pattern {
  readonly source: string
  readonly flags: string
}

const classes: Readonly<Record<string, string>> = {
  alnum: '0-9A-Za-z',
  alpha: 'A-Za-z',
  ascii: '\\x00-\\x7F',
  blank: '\\t ',
  cntrl: '\\x00-\\x1F\\x7F',
  digit: '0-9',
  graph: '!-~',
  lower: 'a-z',
  print: ' -~',
  punct: '!-\\/:-@\\[-`\\{-~',
  space: '\\t\\n\\v\\f\\r ',
  upper: 'A-Z',
  word: '0-9A-Za-z_',
  xdigit: '0-9A-Fa-f',
}

/** What the engine takes escaped as it is; any other punctuation is escaped needlessly. */
const syntax = /[\\^$.*+?()[\]{}|/]/

/** Parts of a pattern that the two languages write differently; everything else is left alone. */
const part =
  /\\Q(?<quoted>[\s\S]*?)(?:\\E|$)|\\p(?<property>[A-Z])|\\P(?<other>[A-Z])|\\(?<escaped>[\s\S])|\[:(?<class>\^?[a-z]+):\]|(?<group>\(\?(?:P?<(?<name>[^=!][^>]*)>|[=!]|<[=!]))/g

/**
 * Reads a pattern as RE2 writes it: no references back and no looking around, which makes it possible to match in linear
 * time. Throws, with words for people, when it is none.
 */
export function parsePattern(text: string): Pattern {
  const given = /^\(\?(?<flags>[ims]+)\)/.exec(text)
  const source = text.slice(given?.[0].length ?? 0).replace(part, (_whole: string, ...more: unknown[]) => {
    const found = more.at(-1) as Readonly<Record<string, string | undefined>>
    if (found.quoted !== undefined) return found.quoted.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
    if (found.property !== undefined || found.other !== undefined)
      return `\\${found.property === undefined ? 'P' : 'p'}{${found.property ?? found.other}}`
    if (found.escaped !== undefined) return escapedAs(found.escaped)
    if (found.class !== undefined) return classAs(found.class)
    if (found.name !== undefined) return `(?<${found.name}>`
    throw new Error('a pattern cannot look around')
  })
  try {
    new RegExp(source, 'u')
  } catch (error) {
    throw new Error(error instanceof Error ? error.message.replace(/^.*: /, '') : String(error), { cause: error })
  }
  return { source, flags: [...new Set(`u${given?.groups?.flags ?? ''}`)].join('') }
}

/** Why a text is no pattern, in words for people; `undefined` when it is one. */
export function patternProblem(text: string): string | undefined {
  if (text.length > limits.patternMax) return `it is longer than ${limits.patternMax} characters`
  try {
    parsePattern(text)
    return undefined
  } catch (cause) {
    return cause instanceof Error ? cause.message : String(cause)
  }
}

function escapedAs(character: string): string {
  if (/[1-9k]/.test(character)) throw new Error('a pattern cannot refer back to a part of itself')
  if (character === 'A') return '^'
  if (character === 'z') return '$'
  if (character === 'a') return '\\x07'
  if (/\w/.test(character) || syntax.test(character)) return `\\${character}`
  // Inside brackets a hyphen must stay what it was meant as, and outside it is a character like any other.
  return character === '-' ? '\\x2D' : character
}

function classAs(name: string): string {
  const characters = classes[name.replace('^', '')]
  if (characters === undefined || name.startsWith('^')) throw new Error(`[:${name}:] is not known`)
  return characters
}
