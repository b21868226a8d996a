import type { ListedServer } from '@innkeeper/contract/servers/servers'
import type { ServerState } from '@innkeeper/contract/servers/status'
import { act, screen, within } from '@testing-library/react'
import { useState } from 'react'
import { expect, test } from 'vitest'
import type { ServerUsage } from '../../features/servers/use-server-usage.ts'
import { openPart } from '../../testing/open-part.tsx'
import { aServer } from '../../testing/samples.ts'
import { useSelection } from '../../ui/lists/use-selection.ts'
import { type RenderedRows, useCanOnListed, useListActions } from './list/server-list.ts'
import { ServerTable } from './server-table.tsx'

const getId = (number: number) => number.toString(16).padStart(8, '0')

/** Servers that count how often their rows were rendered, by id. */
function countRenders(count: number) {
  const renders = new Map<string, number>()
  const rows = Array.from({ length: count }, (_, number): ListedServer => {
    const { node, ...server } = aServer(getId(number), `Server ${number}`)
    return Object.defineProperty(server as ListedServer, 'node', {
      enumerable: true,
      get: () => {
        renders.set(server.id, (renders.get(server.id) ?? 0) + 1)
        return node
      },
    })
  })
  return { rows, renders }
}

function report(state: ServerState, cpu: number): ServerUsage {
  const status = { running: state === 'online', installing: false, state, since: '2026-11-21T10:00:00Z' }
  return { status, stats: { cpu, memory: 1024 ** 3 }, history: [] }
}

interface Shown {
  readonly usage: ReadonlyMap<string, ServerUsage>
  readonly rendered: RenderedRows
}

/** Shows the table, and returns a function that changes what it shows. */
async function openTable(rows: readonly ListedServer[], first: Shown) {
  let change: (shown: Shown) => void = () => undefined
  function Table() {
    const [shown, setShown] = useState(first)
    change = setShown
    const selection = useSelection(rows, ({ id }) => id, '')
    const ignore = () => undefined
    const { toggle, toggleAll } = selection
    const actions = useListActions({
      toggle,
      toggleAll,
      run: ignore,
      editTags: ignore,
      togglePinned: ignore,
      sort: ignore,
    })
    const can = useCanOnListed()
    return (
      <ServerTable
        {...shown}
        {...{ rows, selection, actions, can }}
        power={{ getStatus: (id) => shown.usage.get(id)?.status?.state ?? 'unknown' }}
        cpuHistory={new Map()}
        hasTags={false}
        isCompact={false}
        selectAllLabel="Select all"
        sorting={{ sort: 'name', order: 'asc' }}
      />
    )
  }
  const opened = await openPart(<Table />)
  await screen.findByRole('table')
  return { ...opened, change: (shown: Shown) => act(() => change(shown)) }
}

const range = (from: number, to: number): RenderedRows => ({
  indexes: Array.from({ length: to - from }, (_, index) => from + index),
  before: from * 52,
  after: (1000 - to) * 52,
})

test('a report renders only the rows of servers whose values changed', async () => {
  const { rows, renders } = countRenders(1_000)
  const usage = new Map(rows.map(({ id }) => [id, report('online', 5)]))
  const { change } = await openTable(rows, { usage, rendered: range(0, 30) })
  expect(renders.size).toBe(30)
  renders.clear()

  const changed = new Map(usage).set(getId(3), report('online', 71)).set(getId(500), report('offline', 0))
  change({ usage: changed, rendered: range(0, 30) })

  expect([...renders.keys()]).toEqual([getId(3)])
  const row = screen.getByRole('link', { name: 'Server 3' }).closest('tr') as HTMLElement
  expect(within(row).getByText('71%')).toBeTruthy()
})

test('scrolling renders only the rows that come into view', async () => {
  const { rows, renders } = countRenders(1_000)
  const usage = new Map(rows.map(({ id }) => [id, report('online', 5)]))
  const { change } = await openTable(rows, { usage, rendered: range(0, 30) })
  renders.clear()

  change({ usage, rendered: range(4, 34) })

  expect([...renders.keys()]).toEqual([30, 31, 32, 33].map(getId))
  // The heading and the space of the rows above and below are rows, too.
  expect(screen.getByRole('table').querySelectorAll('tr')).toHaveLength(30 + 3)
})

test('selecting a server renders only its row', async () => {
  const { rows, renders } = countRenders(1_000)
  const { user } = await openTable(rows, { usage: new Map(), rendered: range(0, 30) })
  renders.clear()

  await user.click(screen.getByRole('checkbox', { name: 'Select Server 7' }))

  expect([...renders.keys()]).toEqual([getId(7)])
})
