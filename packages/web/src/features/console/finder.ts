import { textOf } from './ansi.ts'
import type { Lines } from './buffer.ts'

/** What to look for. */
export interface Query {
  readonly text: string
  readonly matchCase: boolean
  readonly isRegex: boolean
}

/** A place in the plain text of a line. */
export interface Match {
  readonly line: number
  readonly start: number
  readonly end: number
}

/** More matches than this are not counted. */
export const mostMatches = 10_000

/** The expression a query stands for; `undefined` when there is nothing to look for or it is no expression. */
export function expressionOf(query: Query): RegExp | undefined {
  if (query.text === '') return undefined
  const source = query.isRegex ? query.text : query.text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  try {
    return new RegExp(source, query.matchCase ? 'gu' : 'giu')
  } catch {
    // Half an expression, still being typed: it finds nothing, and the field says so.
    return undefined
  }
}

/** Finds in a console that goes on: each look reads only the lines that are new. */
export class Finder {
  readonly #expression: RegExp
  #matches: Match[] = []
  #byLine = new Map<number, Match[]>()
  #readTo: number | undefined
  #rewrites = 0

  constructor(expression: RegExp) {
    this.#expression = expression
  }

  /** Every match, oldest first. */
  get matches(): readonly Match[] {
    return this.#matches
  }

  inLine(number: number): readonly Match[] {
    return this.#byLine.get(number) ?? []
  }

  /** Takes in what is new, and forgets what is gone. The last line is read again: it may have grown. */
  look(lines: Lines): void {
    if (this.#readTo === undefined || this.#rewrites !== lines.rewrites || this.#readTo > lines.end) this.#forget()
    this.#rewrites = lines.rewrites
    const from = Math.max(lines.first, (this.#readTo ?? lines.first) - 1)
    this.#keep(lines.first, from)
    for (let number = from; number < lines.end && this.#matches.length < mostMatches; number++) {
      this.#read(number, textOf(lines.at(number)?.text ?? ''))
    }
    this.#readTo = lines.end
  }

  #forget(): void {
    this.#matches = []
    this.#byLine.clear()
    this.#readTo = undefined
  }

  #keep(first: number, end: number): void {
    const oldest = this.#matches[0]
    const newest = this.#matches.at(-1)
    if (!oldest || !newest || (oldest.line >= first && newest.line < end)) return
    this.#matches = this.#matches.filter(({ line }) => line >= first && line < end)
    for (const number of this.#byLine.keys()) if (number < first || number >= end) this.#byLine.delete(number)
  }

  #read(number: number, text: string): void {
    const found: Match[] = []
    for (const { index, 0: matched } of text.matchAll(this.#expression)) {
      if (matched !== '') found.push({ line: number, start: index, end: index + matched.length })
    }
    if (found.length === 0) return
    this.#byLine.set(number, found)
    this.#matches.push(...found)
  }
}
