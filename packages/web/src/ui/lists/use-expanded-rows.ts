import { useState } from 'react'

/** Which rows of a list are expanded, by id. */
export function useExpandedRows() {
  const [ids, setIds] = useState<ReadonlySet<number>>(new Set())
  const expand = (id: number) => setIds((before) => new Set([...before, id]))
  const collapse = (id: number) => setIds((before) => new Set([...before].filter((other) => other !== id)))
  return {
    isExpanded: (id: number) => ids.has(id),
    expand,
    toggle: (id: number) => (ids.has(id) ? collapse(id) : expand(id)),
  }
}
