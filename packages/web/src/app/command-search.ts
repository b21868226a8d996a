import type { ReactNode } from 'react'

/** One row of the palette. */
export interface Command {
  readonly id: string
  readonly label: string
  /** A quieter second text: an address. It is searched too. */
  readonly detail?: string
  readonly group: string
  readonly icon?: ReactNode
  readonly keys?: string
  readonly danger?: boolean
  readonly run: () => void
}

/** The words of what was typed. */
export function queryWords(sought: string): readonly string[] {
  return sought.trim().split(/\s+/).filter(Boolean)
}

/** How well a text answers a word: 0 not at all; the start of the text, then of a word, beats the middle. */
export function matchScore(text: string, sought: string): number {
  const at = text.toLocaleLowerCase().indexOf(sought.toLocaleLowerCase())
  if (at < 0) return 0
  if (at === 0) return 3
  return /[\s\-_.:]/.test(text[at - 1] ?? '') ? 2 : 1
}

/** How well an entry answers what was typed: every word must be in its label or its detail. */
function scoreOfEntry({ label, detail = '' }: Command, sought: string): number {
  const whole = 2 * matchScore(label, sought.trim()) + matchScore(detail, sought.trim())
  const words = queryWords(sought).map((word) => 2 * matchScore(label, word) + matchScore(detail, word))
  if (whole > 0 || words.includes(0)) return whole
  return words.reduce((sum, score) => sum + score, 0) / words.length
}

/** The entries that answer what was typed, best first within their groups; groups keep their order. */
export function searchCommands(entries: readonly Command[], sought: string): readonly Command[] {
  const wanted = sought.trim()
  if (wanted === '') return entries
  const groups = [...new Set(entries.map(({ group }) => group))]
  return entries
    .map((entry) => ({ entry, score: scoreOfEntry(entry, wanted) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => groups.indexOf(a.entry.group) - groups.indexOf(b.entry.group) || b.score - a.score)
    .map(({ entry }) => entry)
}

/** A text in three parts, the middle one being what was typed; the last two are empty when it does not occur. */
export function splitMatch(text: string, sought: string): readonly [string, string, string] {
  const wanted = sought.trim()
  const at = wanted === '' ? -1 : text.toLocaleLowerCase().indexOf(wanted.toLocaleLowerCase())
  if (at < 0) return [text, '', '']
  return [text.slice(0, at), text.slice(at, at + wanted.length), text.slice(at + wanted.length)]
}
