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

/** After this many lines a slice of the search looks at the clock. */
const linesBetweenChecks = 50

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

  /**
   * Adds matches in new lines and removes those in dropped lines. The last line is searched again: it may have grown. After
   * `sliceMs` it stops, so that the page stays responsive, and the next update goes on.
   * @returns whether all lines are searched
   */
  update(lines: Lines, sliceMs = Number.POSITIVE_INFINITY): boolean {
    const until = performance.now() + sliceMs
    if (this.#searchedTo === undefined || this.#rewrites !== lines.rewrites || this.#searchedTo > lines.end)
      this.#reset()
    this.#rewrites = lines.rewrites
    let number = Math.max(lines.first, (this.#searchedTo ?? lines.first) - 1)
    this.#removeOutside(lines.first, number)
    for (let searched = 1; number < lines.end && this.#matches.length < maxMatches; number++, searched++) {
      this.#searchLine(number, stripAnsi(lines.at(number)?.text ?? ''))
      if (searched % linesBetweenChecks === 0 && performance.now() > until) {
        this.#searchedTo = number + 1
        return number + 1 === lines.end
      }
    }
    this.#searchedTo = lines.end
    return true
  }

  #reset(): void {
    this.#matches = []
    this.#byLine.clear()
    this.#searchedTo = undefined
  }

  #removeOutside(first: number, end: number): void {
    let dropped = 0
    for (; (this.#matches[dropped]?.line ?? first) < first; dropped++)
      this.#byLine.delete(this.#matches[dropped]?.line ?? 0)
    if (dropped > 0) this.#matches = this.#matches.slice(dropped)
    for (let last = this.#matches.at(-1); last && last.line >= end; last = this.#matches.at(-1)) {
      this.#byLine.delete(last.line)
      this.#matches.pop()
    }
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
