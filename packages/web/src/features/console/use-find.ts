import { useEffect, useRef, useState } from 'react'
import { useLatest } from '../../ui/hooks/use-latest.ts'
import type { Lines } from './buffer.ts'
import { type Match, type Query, SearchIndex, toRegExp } from './search-index.ts'

const emptyQuery: Query = { text: '', matchCase: false, isRegex: false }

/** How long a search may take at a time, in milliseconds: half a frame. Keys that are pressed meanwhile are not blocked. */
export const searchSliceMs = 8

export type Find = ReturnType<typeof useFind>

/** State of the find bar: the query, its matches and the current match. */
export function useFind(lines: Lines) {
  const [isOpen, setIsOpen] = useState(false)
  const [query, setQuery] = useState(emptyQuery)
  const [current, setCurrent] = useState<Match>()
  const [searchIndex, setSearchIndex] = useState<SearchIndex>()
  const latestLines = useLatest(lines)
  const nextSlice = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(nextSlice.current), [])
  const matches = searchIndex?.matches ?? []
  const index = current ? matches.findIndex(({ line, start }) => line === current.line && start === current.start) : -1

  /** Moves to the previous or next match. */
  const step = (direction: -1 | 1) => {
    if (matches.length === 0) return
    const next = index === -1 ? matches.length - 1 : (index + direction + matches.length) % matches.length
    setCurrent(matches[next])
  }
  const searchSlice = (index: SearchIndex) => {
    if (index.update(latestLines.current, searchSliceMs)) return setCurrent(index.matches.at(-1))
    nextSlice.current = setTimeout(() => searchSlice(index))
  }
  /** Starts another search and moves to its newest match when all lines are searched. */
  const search = (next: Query) => {
    clearTimeout(nextSlice.current)
    const expression = toRegExp(next)
    const newIndex = expression && new SearchIndex(expression)
    setQuery(next)
    setSearchIndex(newIndex)
    setCurrent(undefined)
    if (newIndex) searchSlice(newIndex)
  }
  const open = () => {
    setIsOpen(true)
    if (!isOpen) search(query)
  }
  const close = () => {
    clearTimeout(nextSlice.current)
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
