import { useEffect, useRef, useState } from 'react'
import { useSearchParams } from 'react-router'
import {
  type Filter,
  pageSizes,
  type Sorting,
  type StatusFilterValue,
  statusFilters,
  toOrder,
  toSort,
} from './list-filter.ts'

interface ListState extends Filter, Sorting {
  readonly page: number
  /** Rows per page. */
  readonly size: number
}

export type ListFilter = ListState & { readonly change: (changes: Partial<ListState>) => void }

const defaults = {
  query: '',
  status: 'all' as StatusFilterValue,
  node: undefined,
  sort: 'name',
  order: 'asc',
  page: 1,
  size: pageSizes[0],
}

const paramNames = {
  query: 'q',
  status: 'status',
  node: 'node',
  sort: 'sort',
  order: 'order',
  page: 'page',
  size: 'limit',
} as const

/** Filter, sorting and page of the list. They are search params, so that links and the Back button work. */
export function useListFilter(): ListFilter {
  const [params, setParams] = useSearchParams()
  const [query, setQuery] = useQueryText(params.get('q') ?? '')
  const node = params.get('node')
  const state: ListState = {
    query,
    status: statusFilters.find((status) => status === params.get('status')) ?? 'all',
    ...(node !== null && /^\d+$/.test(node) ? { node: Number(node) } : {}),
    sort: toSort(params.get('sort')),
    order: toOrder(params.get('order')),
    page: Math.max(1, Math.trunc(Number(params.get('page'))) || 1),
    size: pageSizes.find((size) => String(size) === params.get('limit')) ?? pageSizes[0],
  }

  const change = (changes: Partial<ListState>) => {
    if (changes.query !== undefined) setQuery(changes.query)
    // Any other change goes back to the first page.
    const next = { ...state, ...('page' in changes ? {} : { page: 1 }), ...changes }
    const entries = Object.entries(paramNames).flatMap(([key, name]) => {
      const value = next[key as keyof ListState]
      return value === undefined || value === defaults[key as keyof ListState] ? [] : [[name, String(value)]]
    })
    setParams(Object.fromEntries(entries), { replace: true, preventScrollReset: true })
  }
  return { ...state, change }
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
