import type { ReactNode } from 'react'

/** An entry of the command palette. */
export interface Command {
  readonly id: string
  readonly label: string
  /** A second text, such as an address. It is searched too. */
  readonly detail?: string | undefined
  /** Words beside those of the label, such as what can be done with a server: they find it together with its name. */
  readonly keywords?: string
  readonly group: string
  /** The server that it opens: Tab narrows the palette to it. */
  readonly serverId?: string
  readonly icon?: ReactNode
  readonly keys?: string | undefined
  readonly danger?: boolean | undefined
  readonly run: () => void
}

export function queryWords(query: string): readonly string[] {
  return query.trim().split(/\s+/).filter(Boolean)
}

/** How well a text matches a word: 0 not at all, 3 at its start, 2 at the start of a word, 1 elsewhere. */
export function matchScore(text: string, word: string): number {
  const index = text.toLocaleLowerCase().indexOf(word.toLocaleLowerCase())
  if (index < 0) return 0
  if (index === 0) return 3
  return /[\s\-_.:]/.test(text[index - 1] ?? '') ? 2 : 1
}

/** How well a command matches a query: every word must be in its label, its detail or its keywords, but not only there. */
function commandScore({ label, detail = '', keywords = '' }: Command, query: string): number {
  const whole = 2 * matchScore(label, query) + matchScore(detail, query)
  const own = queryWords(query).map((word) => ({ word, score: 2 * matchScore(label, word) + matchScore(detail, word) }))
  const isNamed = own.some(({ score }) => score > 0)
  const words = own.map(({ word, score }) => (score === 0 && isNamed ? matchScore(keywords, word) / 10 : score))
  if (whole > 0 || words.includes(0)) return whole
  return words.reduce((sum, score) => sum + score, 0) / words.length
}

/** Returns the commands that match a query, best first within their groups. Groups keep their order. */
export function searchCommands(commands: readonly Command[], query: string): readonly Command[] {
  const trimmed = query.trim()
  if (trimmed === '') return commands
  const groups = [...new Set(commands.map(({ group }) => group))]
  return commands
    .map((command) => ({ command, score: commandScore(command, trimmed) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => groups.indexOf(a.command.group) - groups.indexOf(b.command.group) || b.score - a.score)
    .map(({ command }) => command)
}

/** Splits a text before and after the query. The last two parts are empty when it does not occur. */
export function splitMatch(text: string, query: string): readonly [string, string, string] {
  const trimmed = query.trim()
  const index = trimmed === '' ? -1 : text.toLocaleLowerCase().indexOf(trimmed.toLocaleLowerCase())
  if (index < 0) return [text, '', '']
  return [text.slice(0, index), text.slice(index, index + trimmed.length), text.slice(index + trimmed.length)]
}
