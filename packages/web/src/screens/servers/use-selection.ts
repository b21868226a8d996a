import type { ServerView } from '@innkeeper/contract/servers'
import { useState } from 'react'

/** The rows chosen to act on together. Rows that leave the view leave the choice. */
export function useSelection(rows: readonly ServerView[]) {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set())
  const [last, setLast] = useState<string>()
  const chosen = rows.filter(({ id }) => ids.has(id))

  return {
    chosen,
    has: (id: string) => ids.has(id),
    isAll: rows.length > 0 && chosen.length === rows.length,
    clear: () => setIds(new Set()),
    toggleAll: () => setIds(chosen.length === rows.length ? new Set() : new Set(rows.map(({ id }) => id))),
    /** With `toHere` everything between the last choice and this one becomes like this one. */
    toggle(id: string, toHere = false) {
      const next = new Set(chosen.map((row) => row.id))
      const from = rows.findIndex((row) => row.id === last)
      const to = rows.findIndex((row) => row.id === id)
      const touched = toHere && from >= 0 ? rows.slice(Math.min(from, to), Math.max(from, to) + 1) : [{ id }]
      const becomes = !ids.has(id)
      for (const row of touched) {
        if (becomes) next.add(row.id)
        else next.delete(row.id)
      }
      setIds(next)
      setLast(id)
    },
  }
}
export type Selection = ReturnType<typeof useSelection>
