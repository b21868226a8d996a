import { useEffect, useRef, useState } from 'react'
import { useSearchParams } from 'react-router'
import { type Filter, orderOf, pageSizes, type Sorting, type StatusChoice, sortOf, statusChoices } from './rows.ts'

interface Chosen extends Filter, Sorting {
  readonly page: number
  readonly size: number
}

/** Filter, sorting and page of the list, kept in the address so that links and Back work. */
export function useFilter(): Chosen & { readonly change: (changes: Partial<Chosen>) => void } {
  const [params, setParams] = useSearchParams()
  const [sought, setSought] = useTyped(params.get('q') ?? '')
  const node = params.get('node')
  const chosen: Chosen = {
    sought,
    status: statusChoices.find((choice) => choice === params.get('status')) ?? 'all',
    ...(node !== null && /^\d+$/.test(node) ? { node: Number(node) } : {}),
    sort: sortOf(params.get('sort')),
    order: orderOf(params.get('order')),
    page: Math.max(1, Math.trunc(Number(params.get('page'))) || 1),
    size: pageSizes.find((size) => String(size) === params.get('limit')) ?? pageSizes[0],
  }

  const change = (changes: Partial<Chosen>) => {
    // Another filter starts on its first page again.
    if (changes.sought !== undefined) setSought(changes.sought)
    const next = { ...chosen, ...('page' in changes ? {} : { page: 1 }), ...changes }
    const defaults = {
      sought: '',
      status: 'all' as StatusChoice,
      node: undefined,
      sort: 'name',
      order: 'asc',
      page: 1,
      size: pageSizes[0],
    }
    const names = {
      sought: 'q',
      status: 'status',
      node: 'node',
      sort: 'sort',
      order: 'order',
      page: 'page',
      size: 'limit',
    } as const
    const entries = Object.entries(names).flatMap(([key, name]) => {
      const value = next[key as keyof Chosen]
      return value === undefined || value === defaults[key as keyof Chosen] ? [] : [[name, String(value)]]
    })
    setParams(Object.fromEntries(entries), { replace: true, preventScrollReset: true })
  }
  return { ...chosen, change }
}

/**
 * The text of the filter. What is typed shows at once and the address follows, because navigating is too slow to type
 * through; an address that changes for another reason (a link, Back) sets the text.
 */
function useTyped(inAddress: string): readonly [string, (text: string) => void] {
  const [typed, setTyped] = useState(inAddress)
  const lastAddress = useRef(inAddress)
  /** What was typed and is still on its way into the address. */
  const onTheWay = useRef<string[]>([])

  useEffect(() => {
    if (inAddress === lastAddress.current) return
    lastAddress.current = inAddress
    const arrived = onTheWay.current.indexOf(inAddress)
    if (arrived < 0) setTyped(inAddress)
    onTheWay.current = arrived < 0 ? [] : onTheWay.current.slice(arrived + 1)
  }, [inAddress])

  const type = (text: string) => {
    onTheWay.current = [...onTheWay.current, text]
    setTyped(text)
  }
  return [typed, type]
}
