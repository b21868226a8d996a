import { firstPage, headingId } from './docs-files.ts'

/** A part of a page of the documentation, from a heading to the next one. */
export interface DocsSection {
  readonly path: string
  /** The title of the page. */
  readonly page: string
  readonly heading: string
  readonly text: string
}

/** Splits a page at its headings. */
export function toSections(name: string, markdown: string): readonly DocsSection[] {
  const path = name === firstPage ? '/docs' : `/docs/${name}`
  const sections: DocsSection[] = []
  let isCode = false
  let heading = ''
  let lines: string[] = []
  let page = name
  const end = () => {
    if (heading === '') return
    const isTitle = heading === page
    sections.push({ path: isTitle ? path : `${path}#${headingId(heading)}`, page, heading, text: lines.join(' ') })
  }
  for (const line of markdown.split('\n')) {
    if (line.startsWith('```')) isCode = !isCode
    const [, marks = '', title = ''] = (!isCode && /^(#{1,3}) (.+)$/.exec(line)) || []
    if (marks === '') {
      lines.push(toPlainText(line))
      continue
    }
    end()
    heading = toPlainText(title)
    if (marks === '#') page = heading
    lines = []
  }
  end()
  return sections
}

/** A line without the marks of Markdown. */
function toPlainText(line: string): string {
  // The line below the head of a table.
  if (/^[\s|:-]*$/.test(line)) return ''
  return line
    .replace(/\]\([^)]{0,200}\)/g, '')
    .replace(/[[`*|]/g, ' ')
    .split(/\s/)
    .filter(Boolean)
    .join(' ')
}

/** A section that matches a query, with the text around the first word that was found. */
export interface FoundSection extends DocsSection {
  readonly excerpt: string
}

const maxFound = 30
const excerptLength = 160

/** The sections that have all words of a query, best first: those with the words in their heading or the title of their page. */
export function searchSections(sections: readonly DocsSection[], query: string): readonly FoundSection[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return []
  const scored = sections.map((section) => ({ section, score: sectionScore(section, words) }))
  return scored
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, maxFound)
    .map(({ section }) => ({ ...section, excerpt: toExcerpt(section.text, words) }))
}

function sectionScore({ heading, page, text }: DocsSection, words: readonly string[]): number {
  const scores = words.map((word) => {
    const isIn = (part: string) => part.toLowerCase().includes(word)
    return (isIn(heading) ? 4 : 0) + (isIn(page) ? 2 : 0) + (isIn(text) ? 1 : 0)
  })
  return scores.includes(0) ? 0 : scores.reduce((sum, score) => sum + score, 0)
}

function toExcerpt(text: string, words: readonly string[]): string {
  const positions = words.map((word) => text.toLowerCase().indexOf(word)).filter((position) => position >= 0)
  const start = Math.max(0, Math.min(...positions, text.length) - excerptLength / 4)
  const from = start === 0 ? 0 : text.indexOf(' ', start) + 1
  const hasMore = from + excerptLength < text.length
  const to = hasMore ? text.lastIndexOf(' ', from + excerptLength) : text.length
  return `${from > 0 ? '… ' : ''}${text.slice(from, to)}${hasMore ? ' …' : ''}`
}
