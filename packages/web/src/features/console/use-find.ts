import { useState } from 'react'
import type { Lines } from './buffer.ts'
import { expressionOf, Finder, type Match, type Query } from './finder.ts'

const nothing: Query = { text: '', matchCase: false, isRegex: false }

/** What a person looks for in a console, and where they are among what was found. */
export function useFind(lines: Lines) {
  const [isOpen, setIsOpen] = useState(false)
  const [query, setQuery] = useState(nothing)
  const [current, setCurrent] = useState<Match>()
  const [finder, setFinder] = useState<Finder>()
  const matches = finder?.matches ?? []
  const index = current ? matches.findIndex(({ line, start }) => line === current.line && start === current.start) : -1

  /** To the match before or after. */
  const step = (direction: -1 | 1) => {
    if (matches.length === 0) return
    const at = index === -1 ? matches.length - 1 : (index + direction + matches.length) % matches.length
    setCurrent(matches[at])
  }
  /** Finds something else, and goes to its newest match. */
  const look = (next: Query) => {
    const expression = expressionOf(next)
    const found = expression && new Finder(expression)
    found?.look(lines)
    setQuery(next)
    setFinder(found)
    setCurrent(found?.matches.at(-1))
  }
  const open = () => {
    setIsOpen(true)
    if (!isOpen) look(query)
  }
  const close = () => {
    setIsOpen(false)
    setFinder(undefined)
    setCurrent(undefined)
  }

  return {
    isOpen,
    query,
    isValid: query.text === '' || finder !== undefined,
    finder,
    count: matches.length,
    position: index + 1,
    current: index === -1 ? undefined : matches[index],
    open,
    close,
    look,
    step,
  }
}
