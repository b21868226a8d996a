import { useState } from 'react'
import type { Lines } from './buffer.ts'
import { type Match, type Query, SearchIndex, toRegExp } from './search-index.ts'

const emptyQuery: Query = { text: '', matchCase: false, isRegex: false }

export type Find = ReturnType<typeof useFind>

/** State of the find bar: the query, its matches and the current match. */
export function useFind(lines: Lines) {
  const [isOpen, setIsOpen] = useState(false)
  const [query, setQuery] = useState(emptyQuery)
  const [current, setCurrent] = useState<Match>()
  const [searchIndex, setSearchIndex] = useState<SearchIndex>()
  const matches = searchIndex?.matches ?? []
  const index = current ? matches.findIndex(({ line, start }) => line === current.line && start === current.start) : -1

  /** Moves to the previous or next match. */
  const step = (direction: -1 | 1) => {
    if (matches.length === 0) return
    const next = index === -1 ? matches.length - 1 : (index + direction + matches.length) % matches.length
    setCurrent(matches[next])
  }
  /** Starts another search and moves to its newest match. */
  const search = (next: Query) => {
    const expression = toRegExp(next)
    const newIndex = expression && new SearchIndex(expression)
    newIndex?.update(lines)
    setQuery(next)
    setSearchIndex(newIndex)
    setCurrent(newIndex?.matches.at(-1))
  }
  const open = () => {
    setIsOpen(true)
    if (!isOpen) search(query)
  }
  const close = () => {
    setIsOpen(false)
    setSearchIndex(undefined)
    setCurrent(undefined)
  }

  return {
    isOpen,
    query,
    isValid: query.text === '' || searchIndex !== undefined,
    searchIndex,
    count: matches.length,
    position: index + 1,
    current: index === -1 ? undefined : matches[index],
    open,
    close,
    search,
    step,
  }
}
