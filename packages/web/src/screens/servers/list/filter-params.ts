import { type Filter, type Sorting, statusFilters, toOrder, toSort, toTags } from './list-filter.ts'

/** A filter without anything filtered, sorted by name. */
export const noFilter: Filter & { readonly node: undefined } = { query: '', status: 'all', node: undefined, tags: [] }
const defaults: Filter & Sorting = { ...noFilter, sort: 'name', order: 'asc' }

const paramNames = { query: 'q', status: 'status', node: 'node', tags: 'tag', sort: 'sort', order: 'order' } as const

/** Filter and sorting of the search params of the list. What a param must not hold counts as absent. */
export function readFilter(params: URLSearchParams): Filter & Sorting {
  const node = params.get('node')
  return {
    query: params.get('q') ?? '',
    status: statusFilters.find((status) => status === params.get('status')) ?? 'all',
    ...(node !== null && /^\d+$/.test(node) ? { node: Number(node) } : {}),
    tags: toTags(params.get('tag')),
    sort: toSort(params.get('sort')),
    order: toOrder(params.get('order')),
  }
}

/** The search params of filter and sorting, without those that have their default. */
export function writeFilter(filter: Filter & Sorting): Readonly<Record<string, string>> {
  const keys = Object.keys(paramNames) as (keyof typeof paramNames)[]
  const entries = keys.map((key) => [paramNames[key], String(filter[key] ?? ''), String(defaults[key] ?? '')] as const)
  return Object.fromEntries(entries.flatMap(([name, value, fallback]) => (value === fallback ? [] : [[name, value]])))
}
