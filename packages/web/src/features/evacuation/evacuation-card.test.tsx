import {
  cancelEvacuation,
  type Evacuation,
  evacuateNode,
  getEvacuation,
  type PlannedServer,
  planEvacuation,
} from '@innkeeper/contract/moves/evacuations'
import { listNodeChoices } from '@innkeeper/contract/nodes/nodes'
import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { FakePanel } from '../../testing/fake-panel.ts'
import { openPart } from '../../testing/open-part.tsx'
import { aNodeChoice } from '../../testing/samples.ts'
import { EvacuationCard } from './evacuation-card.tsx'

const attic = { id: 1, name: 'Attic' }
const noRoom = { code: 'ErrNoNodeFits', msg: '', metadata: { reason: 'no node has 8 GiB' } } as const
const running: Evacuation = {
  state: 'running',
  labels: [],
  order: 'stopped',
  atOnce: 2,
  leaveBackups: false,
  startedAt: '2026-01-01T00:00:00.000Z',
  servers: [
    { id: '0000000a', name: 'Lobby', state: 'moved', to: attic, stoppedMs: 2_000 },
    { id: '0000000b', name: 'Arena', state: 'moving', to: attic },
  ],
}

async function openCard({
  plan = [],
  evacuation = null,
}: {
  plan?: readonly PlannedServer[]
  evacuation?: Evacuation | null
} = {}) {
  const panel = new FakePanel()
  panel.respond(listNodeChoices, [
    aNodeChoice({ id: 0, name: 'Cellar' }),
    aNodeChoice({ id: 1, name: 'Attic', isLocal: false }),
  ])
  panel.respond(planEvacuation, { servers: [...plan] })
  panel.respond(getEvacuation, () => evacuation)
  panel.respond(evacuateNode, running)
  panel.respond(cancelEvacuation, undefined)
  return { ...(await openPart(<EvacuationCard node={{ id: 0, name: 'Cellar' }} />, { panel })), panel }
}

const planned = (name: string, more: Partial<PlannedServer> = {}): PlannedServer => ({
  id: `000000${name.length.toString().padStart(2, '0')}`,
  name,
  running: true,
  backups: 0,
  ...more,
})

const rowOf = async (name: string) => {
  const row = (await screen.findByRole('link', { name })).closest('li')
  if (!row) throw new Error(`There is no row of ${name}`)
  return within(row)
}

test('the choice of the node has the focus while the nodes are loaded', async () => {
  const { user, panel } = await openCard()
  const resume = panel.pause(listNodeChoices)

  await user.click(await screen.findByRole('button', { name: 'Evacuate' }))

  const select = await screen.findByRole('combobox', { name: 'Move to' })
  await waitFor(() => expect(document.activeElement).toBe(select))
  resume()
  await user.click(select)
  await screen.findByRole('option', { name: 'Attic' })
})

test('the dialog shows where each server goes and which stay, and moves those with backups only with consent', async () => {
  const plan = [planned('Lobby', { to: attic, backups: 3 }), planned('Bastions', { error: noRoom })]
  const { user, panel } = await openCard({ plan })

  await user.click(await screen.findByRole('button', { name: 'Evacuate' }))

  expect((await rowOf('Lobby')).getByText('Not moved: 3 backups would be deleted.')).toBeTruthy()
  expect((await rowOf('Bastions')).getByText('There is no room: no node has 8 GiB')).toBeTruthy()
  const dialog = within(screen.getByRole('dialog', { name: 'Evacuate Cellar' }))
  const send = dialog.getByRole<HTMLButtonElement>('button', { name: 'Evacuate' })
  expect(send.disabled).toBe(true)
  await user.click(dialog.getByRole('switch', { name: /^Move without the 3 backups/ }))
  expect((await rowOf('Lobby')).getByText('To Attic')).toBeTruthy()
  await user.selectOptions(dialog.getByRole('combobox', { name: 'Order' }), 'By name')
  await waitFor(() => expect(panel.requests(planEvacuation).at(-1)?.query.get('order')).toBe('name'))
  await waitFor(() => expect(send.disabled).toBe(false))
  await user.click(send)
  await waitFor(() =>
    expect(panel.requests(evacuateNode).at(-1)?.body).toEqual({
      labels: [],
      order: 'name',
      atOnce: 2,
      leaveBackups: true,
    }),
  )
})

test('an evacuation shows its progress, and is canceled after a question', async () => {
  const { user, panel } = await openCard({ evacuation: running })

  expect(await screen.findByText('1 of 2 servers done')).toBeTruthy()
  expect((await rowOf('Lobby')).getByText('It did not run for 2 s.')).toBeTruthy()
  expect((await rowOf('Arena')).getByText('Moving to Attic')).toBeTruthy()
  await user.click(screen.getByRole('button', { name: 'Cancel' }))
  await user.click(await screen.findByRole('button', { name: 'Cancel evacuation' }))
  await waitFor(() => expect(panel.requests(cancelEvacuation)).toHaveLength(1))
})

test('the report says which servers stayed, and why', async () => {
  const [lobby, arena] = running.servers
  const servers = [lobby, { ...arena, state: 'blocked', to: undefined, error: noRoom }] as Evacuation['servers']
  await openCard({ evacuation: { ...running, state: 'done', endedAt: '2026-01-01T01:00:00.000Z', servers } })

  expect(await screen.findByText(/^1 of 2 servers were moved/)).toBeTruthy()
  const row = await rowOf('Arena')
  expect(row.getByText('Not moved')).toBeTruthy()
  expect(row.getByText('There is no room: no node has 8 GiB')).toBeTruthy()
})
