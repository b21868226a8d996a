import { stripAnsi } from './ansi.ts'
import type { Lines } from './buffer.ts'

export interface Query {
  readonly text: string
  readonly matchCase: boolean
  readonly isRegex: boolean
}

/** A range in the plain text of a line. */
export interface Match {
  readonly line: number
  readonly start: number
  readonly end: number
}

/** The index stops after this many matches. */
export const maxMatches = 10_000

/** Returns `undefined` for an empty query and for an invalid regular expression. */
export function toRegExp(query: Query): RegExp | undefined {
  if (query.text === '') return undefined
  const source = query.isRegex ? query.text : query.text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  try {
    return new RegExp(source, query.matchCase ? 'gu' : 'giu')
  } catch {
    // An unfinished expression: the field shows that it is invalid.
    return undefined
  }
}

/** The matches of an expression in a growing console: each update reads only the new lines. */
export class SearchIndex {
  readonly #expression: RegExp
  #matches: Match[] = []
  #byLine = new Map<number, Match[]>()
  #searchedTo: number | undefined
  #rewrites = 0

  constructor(expression: RegExp) {
    this.#expression = expression
  }

  /** All matches, oldest first. */
  get matches(): readonly Match[] {
    return this.#matches
  }

  getMatchesInLine(number: number): readonly Match[] {
    return this.#byLine.get(number) ?? []
  }

  /** Adds matches in new lines and removes those in dropped lines. The last line is searched again: it may have grown. */
  update(lines: Lines): void {
    if (this.#searchedTo === undefined || this.#rewrites !== lines.rewrites || this.#searchedTo > lines.end)
      this.#reset()
    this.#rewrites = lines.rewrites
    const from = Math.max(lines.first, (this.#searchedTo ?? lines.first) - 1)
    this.#removeOutside(lines.first, from)
    for (let number = from; number < lines.end && this.#matches.length < maxMatches; number++) {
      this.#searchLine(number, stripAnsi(lines.at(number)?.text ?? ''))
    }
    this.#searchedTo = lines.end
  }

  #reset(): void {
    this.#matches = []
    this.#byLine.clear()
    this.#searchedTo = undefined
  }

  #removeOutside(first: number, end: number): void {
    const oldest = this.#matches[0]
    const newest = this.#matches.at(-1)
    if (!oldest || !newest || (oldest.line >= first && newest.line < end)) return
    this.#matches = this.#matches.filter(({ line }) => line >= first && line < end)
    for (const number of this.#byLine.keys()) if (number < first || number >= end) this.#byLine.delete(number)
  }

  #searchLine(number: number, text: string): void {
    const found: Match[] = []
    for (const { index, 0: matched } of text.matchAll(this.#expression)) {
      if (matched !== '') found.push({ line: number, start: index, end: index + matched.length })
    }
    if (found.length === 0) return
    this.#byLine.set(number, found)
    this.#matches.push(...found)
  }
}
