import { useEffect, useRef, useState } from 'react'
import { useSearchParams } from 'react-router'
import { defaultPageSize } from '../../../features/servers/first-page.ts'
import { usePreference } from '../../../session/preferences.tsx'
import { readFilter, writeFilter } from './filter-params.ts'
import { type Filter, type PageSize, type Sorting, toPageSize } from './list-filter.ts'

interface ListState extends Filter, Sorting {
  readonly page: number
  readonly size: PageSize
}

export type ListFilter = ListState & {
  readonly change: (changes: Partial<ListState>) => void
  /** Whether anything is filtered. */
  readonly isFiltered: boolean
}

/**
 * Filter, sorting and page of the list. They are search params, so that links and the Back button work. The page size that
 * was chosen last is remembered for the user.
 */
export function useListFilter(): ListFilter {
  const [params, setParams] = useSearchParams()
  const [storedSize, storeSize] = usePreference('serversPerPage')
  const [query, setQuery] = useQueryText(params.get('q') ?? '')
  const state: ListState = {
    ...readFilter(params),
    query,
    page: Math.max(1, Math.trunc(Number(params.get('page'))) || 1),
    size: toPageSize(params.get('limit') ?? storedSize),
  }

  const change = (changes: Partial<ListState>) => {
    if (changes.query !== undefined) setQuery(changes.query)
    if (changes.size !== undefined) storeSize(String(changes.size))
    // Any other change goes back to the first page.
    const next = { ...state, ...('page' in changes ? {} : { page: 1 }), ...changes }
    setParams(
      {
        ...writeFilter(next),
        ...(next.page === 1 ? {} : { page: String(next.page) }),
        ...(next.size === defaultPageSize ? {} : { limit: String(next.size) }),
      },
      { replace: true, preventScrollReset: true },
    )
  }
  const isFiltered = query.trim() !== '' || state.status !== 'all' || state.node !== undefined || state.tags.length > 0
  return { ...state, change, isFiltered }
}

/**
 * The text of the query field. Navigation is too slow to follow every key, so the text is state and the search param
 * follows it; a param that changes for another reason (a link, the Back button) replaces the text.
 */
function useQueryText(param: string): readonly [string, (text: string) => void] {
  const [text, setText] = useState(param)
  const lastParam = useRef(param)
  /** Texts that were typed and are not yet in the address. */
  const pending = useRef<string[]>([])

  useEffect(() => {
    if (param === lastParam.current) return
    lastParam.current = param
    const index = pending.current.indexOf(param)
    if (index < 0) setText(param)
    pending.current = index < 0 ? [] : pending.current.slice(index + 1)
  }, [param])

  const change = (next: string) => {
    pending.current = [...pending.current, next]
    setText(next)
  }
  return [text, change]
}
