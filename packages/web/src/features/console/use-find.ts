import { useMemo, useState } from 'react'
import type { Lines } from './buffer.ts'
import { expressionOf, Finder, type Match, type Query } from './finder.ts'

const nothing: Query = { text: '', matchCase: false, isRegex: false }

/** What a person looks for in a console, and where they are among what was found. */
export function useFind(lines: Lines) {
  const [isOpen, setIsOpen] = useState(false)
  const [query, setQuery] = useState(nothing)
  const [current, setCurrent] = useState<Match>()
  const expression = useMemo(() => expressionOf(query), [query])
  const finder = useMemo(() => (isOpen && expression ? new Finder(expression) : undefined), [isOpen, expression])
  finder?.look(lines)
  const matches = finder?.matches ?? []
  const index = current ? matches.findIndex(({ line, start }) => line === current.line && start === current.start) : -1

  /** To the match before or after; the first step goes to the newest. */
  const step = (direction: -1 | 1) => {
    if (matches.length === 0) return
    const at = index === -1 ? matches.length - 1 : (index + direction + matches.length) % matches.length
    setCurrent(matches[at])
  }
  const look = (next: Query) => {
    setQuery(next)
    setCurrent(undefined)
  }
  const close = () => {
    setIsOpen(false)
    setCurrent(undefined)
  }

  return {
    isOpen,
    query,
    isValid: query.text === '' || expression !== undefined,
    finder,
    count: matches.length,
    position: index + 1,
    current: index === -1 ? undefined : matches[index],
    open: () => setIsOpen(true),
    close,
    look,
    step,
  }
}
