import { useState } from 'react'
import { useSearchParams } from 'react-router'
import { type Filter, pageSizes, type StatusChoice, statusChoices } from './rows.ts'

interface Chosen extends Filter {
  readonly page: number
  readonly size: number
}

/** Filter and page of the list, kept in the address so that links and Back work. */
export function useFilter(): Chosen & { readonly change: (changes: Partial<Chosen>) => void } {
  const [params, setParams] = useSearchParams()
  // What is typed shows at once; the address follows, because navigating is too slow to type through.
  const [sought, setSought] = useState(params.get('q') ?? '')
  const node = params.get('node')
  const chosen: Chosen = {
    sought,
    status: statusChoices.find((choice) => choice === params.get('status')) ?? 'all',
    ...(node !== null && /^\d+$/.test(node) ? { node: Number(node) } : {}),
    page: Math.max(1, Math.trunc(Number(params.get('page'))) || 1),
    size: pageSizes.find((size) => String(size) === params.get('limit')) ?? pageSizes[0],
  }

  const change = (changes: Partial<Chosen>) => {
    // Another filter starts on its first page again.
    if (changes.sought !== undefined) setSought(changes.sought)
    const next = { ...chosen, ...('page' in changes ? {} : { page: 1 }), ...changes }
    const defaults = { sought: '', status: 'all' as StatusChoice, node: undefined, page: 1, size: pageSizes[0] }
    const names = { sought: 'q', status: 'status', node: 'node', page: 'page', size: 'limit' } as const
    const entries = Object.entries(names).flatMap(([key, name]) => {
      const value = next[key as keyof Chosen]
      return value === undefined || value === defaults[key as keyof Chosen] ? [] : [[name, String(value)]]
    })
    setParams(Object.fromEntries(entries), { replace: true, preventScrollReset: true })
  }
  return { ...chosen, change }
}
