import {
  deleteFormerCopy,
  getMove,
  goBack,
  type Move,
  type MovePlan,
  moveServer,
  planMove,
} from '@innkeeper/contract/moves/moves'
import { listNodeChoices } from '@innkeeper/contract/nodes/nodes'
import { screen, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'
import { FakePanel } from '../../testing/fake-panel.ts'
import { openPart } from '../../testing/open-part.tsx'
import { aNodeChoice, aServer } from '../../testing/samples.ts'
import { MoveCard } from './move-card.tsx'

const started: Move = {
  state: 'copying',
  from: { id: 0, name: 'LocalNode' },
  to: { id: 1, name: 'Attic' },
  startedAt: '2026-01-01T00:00:00.000Z',
}

async function openCard({ plan, move = null }: { plan?: Partial<MovePlan>; move?: Move | null } = {}) {
  const panel = new FakePanel()
  panel.respond(listNodeChoices, [
    aNodeChoice(),
    aNodeChoice({ id: 1, name: 'Attic', isLocal: false }),
    aNodeChoice({ id: 2, name: 'Cellar', isLocal: false, availability: { state: 'draining' } }),
  ])
  panel.respond(planMove, { values: [], backups: 0, running: true, ...plan })
  panel.respond(getMove, () => move)
  panel.respond(moveServer, started)
  panel.respond(goBack, undefined)
  panel.respond(deleteFormerCopy, undefined)
  return { ...(await openPart(<MoveCard server={aServer('deadbeef', 'Lobby')} />, { panel })), panel }
}

async function selectNode(user: Awaited<ReturnType<typeof openCard>>['user']) {
  await user.click(await screen.findByRole('button', { name: 'Move' }))
  await user.click(await screen.findByRole('combobox', { name: 'Node' }))
  const draining = await screen.findByRole('option', { name: 'Cellar (Draining)' })
  expect(draining.getAttribute('data-combobox-disabled')).toBe('true')
  await user.click(screen.getByRole('option', { name: 'Attic' }))
}

const moveButton = async () => (await screen.findAllByRole<HTMLButtonElement>('button', { name: 'Move' })).at(-1)

test('the dialog offers other nodes, shows what changes, and moves only with consent to lose the backups', async () => {
  const values = [{ name: 'port', from: '25565', to: '25570' }]
  const { user, panel } = await openCard({ plan: { values, backups: 3 } })

  await selectNode(user)

  expect(await screen.findByText('port: 25565 → 25570')).toBeTruthy()
  expect(screen.queryByRole('option', { name: 'LocalNode' })).toBeNull()
  expect((await moveButton())?.disabled).toBe(true)
  await user.click(screen.getByRole('switch', { name: 'Move without the 3 backups' }))
  await user.click((await moveButton()) as HTMLElement)
  await waitFor(() => expect(panel.requests(moveServer).at(-1)?.body).toEqual({ node: 1, leaveBackups: true }))
})

test('a dialog that was closed opens without the former choice, and asks nothing', async () => {
  const { user } = await openCard()
  await selectNode(user)

  await user.click(screen.getByRole('button', { name: 'Cancel' }))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  await user.click(await screen.findByRole('button', { name: 'Move' }))

  const select = await screen.findByRole<HTMLInputElement>('combobox', { name: 'Node' })
  expect(select.value).toBe('')
})

test('the dialog says why a node cannot have the server', async () => {
  const { user } = await openCard({ plan: { error: { code: 'ErrDockerNotSupported', msg: '' } } })

  await selectNode(user)

  expect(await screen.findByText('Docker is not supported on this node')).toBeTruthy()
  expect((await moveButton())?.disabled).toBe(true)
})

test('after a move the server can go back, or the old copy is deleted after a question', async () => {
  const move: Move = { ...started, state: 'done', backUntil: '2026-01-01T01:00:00.000Z', stoppedMs: 2_000 }
  const { user, panel } = await openCard({ move })

  await user.click(await screen.findByRole('button', { name: 'Go back to LocalNode' }))
  await waitFor(() => expect(panel.requests(goBack)).toHaveLength(1))

  await user.click(screen.getByRole('button', { name: 'Delete the old copy' }))
  await user.click(await screen.findByRole('button', { name: 'Delete' }))
  await waitFor(() => expect(panel.requests(deleteFormerCopy)).toHaveLength(1))
})

test('a move shows its step, and why it failed', async () => {
  await openCard({ move: { ...started, bytes: 1, totalBytes: 2 } })
  expect(await screen.findByRole('progressbar', { name: 'Copying files to Attic' })).toBeTruthy()
  expect(screen.getByRole('button', { name: 'Cancel' })).toBeTruthy()
})
