import type { ServerView } from '@innkeeper/contract/servers'
import { useEffect, useState } from 'react'

const none: ReadonlyMap<string, ServerView> = new Map()

/** The servers chosen to act on together, over all pages; another filter begins anew. */
export function useSelection(rows: readonly ServerView[], filter: string) {
  const [chosen, setChosen] = useState(none)
  const [last, setLast] = useState<string>()
  // biome-ignore lint/correctness/useExhaustiveDependencies: what another filter hides must not be acted on
  useEffect(() => setChosen(none), [filter])
  const isAll = rows.length > 0 && rows.every(({ id }) => chosen.has(id))

  return {
    chosen: [...chosen.values()],
    has: (id: string) => chosen.has(id),
    isAll,
    clear: () => setChosen(none),
    choose: (servers: readonly ServerView[]) => setChosen(new Map(servers.map((server) => [server.id, server]))),
    toggleAll() {
      const next = new Map(chosen)
      for (const server of rows) {
        if (isAll) next.delete(server.id)
        else next.set(server.id, server)
      }
      setChosen(next)
    },
    /** With `toHere` everything between the last choice and this one becomes like this one. */
    toggle(id: string, toHere = false) {
      const next = new Map(chosen)
      const from = rows.findIndex((row) => row.id === last)
      const to = rows.findIndex((row) => row.id === id)
      const touched = rows.slice(...(toHere && from >= 0 ? [Math.min(from, to), Math.max(from, to) + 1] : [to, to + 1]))
      const becomes = !chosen.has(id)
      for (const server of touched) {
        if (becomes) next.set(server.id, server)
        else next.delete(server.id)
      }
      setChosen(next)
      setLast(id)
    },
  }
}
export type Selection = ReturnType<typeof useSelection>
