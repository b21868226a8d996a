import type { Span, Style } from './ansi.ts'
import type { Match } from './search-index.ts'

/** A part of a line with one style, one link target and one match state. */
export interface Segment {
  readonly text: string
  readonly style: Style
  readonly start: number
  /** The start of the match that it belongs to. */
  readonly match?: number
  readonly href?: string
}

const url = /https?:\/\/[^\s<>"'`\u0000-\u001f]+[^\s<>"'`.,;:!?)\]}\u0000-\u001f]/g

/** Splits styled text at the borders of matches and URLs. */
export function toSegments(spans: readonly Span[], matches: readonly Match[]): readonly Segment[] {
  const text = spans.map((span) => span.text).join('')
  const links = text.includes('://') ? [...text.matchAll(url)] : []
  if (matches.length === 0 && links.length === 0) return spans
  const cuts = [
    ...matches.flatMap(({ start, end }) => [start, end]),
    ...links.flatMap((link) => [link.index, link.index + link[0].length]),
  ]
  return spans.flatMap((span) => {
    const end = span.start + span.text.length
    const inside = cuts.filter((cut) => cut > span.start && cut < end)
    const borders = [...new Set([span.start, ...inside, end])].sort((a, b) => a - b)
    return borders.slice(0, -1).map((start, index): Segment => {
      const match = matches.find((found) => found.start <= start && start < found.end)
      const link = links.find((found) => found.index <= start && start < found.index + found[0].length)
      return {
        text: text.slice(start, borders[index + 1]),
        style: span.style,
        start,
        ...(match ? { match: match.start } : {}),
        ...(link ? { href: link[0] } : {}),
      }
    })
  })
}
