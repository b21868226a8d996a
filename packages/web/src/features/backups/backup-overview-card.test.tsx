import { dismissBackupFailure } from '@innkeeper/contract/backups/backups'
import { type BackupOverview, getBackupOverview } from '@innkeeper/contract/backups/node-backups'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { screen, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { FakePanel } from '../../testing/fake-panel.ts'
import { openPart } from '../../testing/open-part.tsx'
import { BackupOverviewCard } from './backup-overview-card.tsx'

const mib = 1024 ** 2
const near = { id: 0, name: 'LocalNode' }
const far = { id: 3, name: 'far' }
const lobby = { id: '0a0a0a0a', name: 'lobby' }
const arena = { id: '0b0b0b0b', name: 'arena' }

const overview: BackupOverview = {
  nodes: [
    { ...near, usage: { backups: 7, bytes: 3 * mib, unmeasured: 0 } },
    { ...far, usage: { backups: 2, bytes: 2 * mib, unmeasured: 0 } },
  ],
  largest: [
    { node: near, server: lobby, backups: 4, bytes: 2 * mib },
    { node: far, server: arena, backups: 2, bytes: mib },
  ],
  failures: [],
}

async function openCard(data: Partial<BackupOverview> | Refusal = {}, node?: number) {
  const panel = new FakePanel()
  panel.respond(getBackupOverview, data instanceof Refusal ? data : { ...overview, ...data })
  await openPart(<BackupOverviewCard {...(node !== undefined && { node })} />, { panel })
  return panel
}

const getRows = (name: string) =>
  within(screen.getByRole('list', { name }))
    .getAllByRole('listitem')
    .map(({ textContent }) => textContent)

test('the space of all nodes is shown with its sum and the servers that need most', async () => {
  await openCard()

  await screen.findByText('5 MiB in total')

  const cells = screen.getAllByRole('row').map(({ textContent }) => textContent)
  expect(cells.slice(1)).toEqual(['LocalNode73 MiB', 'far22 MiB'])
  expect(getRows('Largest backups')).toEqual(['lobbyLocalNode42 MiB', 'arenafar21 MiB'])
  expect(screen.getByRole('link', { name: 'arena' }).getAttribute('href')).toBe('/server/0b0b0b0b?tab=backups')
  expect(screen.getByText('The last backups succeeded.')).toBeDefined()
})

test('a node that does not respond is unknown, and the sum is a minimum', async () => {
  await openCard({ nodes: [...overview.nodes.slice(0, 1), far] })

  await screen.findByText('At least 3 MiB in total')

  expect(screen.getByText('These nodes are not responding: far')).toBeDefined()
  expect(screen.getByRole('row', { name: 'far Unknown' })).toBeDefined()
  expect(screen.queryByText('The last backups succeeded.')).toBeNull()
})

test('failures have their reason', async () => {
  const failure = {
    at: '2026-11-27T03:00:00.000Z',
    error: { code: 'ErrDisk', metadata: { reason: 'the disk is full' } },
  }
  await openCard({
    failures: [
      { ...failure, type: 'create', node: near, server: lobby },
      { ...failure, type: 'copy', node: far, server: arena },
    ],
  })

  await screen.findByText('Recent failures')

  expect(getRows('Recent failures')).toEqual([
    expect.stringMatching(/^lobbyLocalNodeCould not create the backup\. .*The disk is full/),
    expect.stringMatching(/^arenafarCould not copy the backups\. .*disk is full/),
  ])
})

test('an administrator dismisses a failure', async () => {
  const error = { code: 'ErrBackupNotFound' }
  const failures = [{ type: 'create' as const, at: '2026-11-27T03:00:00.000Z', error, node: near, server: lobby }]
  const panel = new FakePanel()
  panel.respond(getBackupOverview, { ...overview, failures })
  panel.respond(dismissBackupFailure, () => {
    panel.respond(getBackupOverview, overview)
    return undefined
  })

  const { user } = await openPart(<BackupOverviewCard />, { panel })
  await user.click(await screen.findByRole('button', { name: 'Remove lobby from the list' }))

  expect(await screen.findByText('The last backups succeeded.')).toBeTruthy()
  expect(panel.requests(dismissBackupFailure)).toHaveLength(1)
})

test('of one node there is no list of nodes', async () => {
  const [node] = overview.nodes
  const panel = await openCard({ nodes: node ? [node] : [] }, 0)

  await screen.findByText('3 MiB in total')

  expect(panel.requests(getBackupOverview)[0]?.query.get('node')).toBe('0')
  expect(screen.queryByRole('table')).toBeNull()
  expect(screen.queryByRole('link', { name: 'LocalNode' })).toBeNull()
})

test('without backups none has succeeded', async () => {
  await openCard({ nodes: [{ ...near, usage: { backups: 0, bytes: 0, unmeasured: 0 } }], largest: [] })

  await screen.findByText('No backups yet.')

  expect(screen.queryByText('The last backups succeeded.')).toBeNull()
})

test('space that was not measured yet is not 0', async () => {
  await openCard({ nodes: [{ ...near, usage: { backups: 2, bytes: 0, unmeasured: 1 } }], largest: [] })

  await screen.findByRole('row', { name: 'LocalNode 2 Measuring…' })

  expect(screen.getAllByText('Measuring…')).toHaveLength(2)
})

test('an overview that cannot be read says so', async () => {
  await openCard(new Refusal('ErrUnknownError'))

  await screen.findByText('Could not load the backups')
})
