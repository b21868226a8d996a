import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { limits } from '@innkeeper/contract/text/limits'
import { pino } from 'pino'
import { test as base, expect, vi } from 'vitest'
import { MachineUsage } from '../proc/machine-usage.ts'
import { FakePanel } from '../testing/fake-panel.ts'
import { FileChanges, maxChangesPerWindow, maxPendingChanges } from './file-changes.ts'
import { NodeEvents } from './node-events.ts'
import { Reporter } from './reporter.ts'

const log = pino({ level: 'silent' })
const author = { userId: 7, server: '0a0a0a0a', address: '127.0.0.1' }
const minute = 60_000

const test = base.extend<{ dataDir: string; clock: { now: number }; changes: FileChanges }>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads what a fixture needs from its pattern
  dataDir: async ({}, use) => {
    const folder = await mkdtemp(join(tmpdir(), 'innkeeper-changes-'))
    await use(folder)
    await rm(folder, { recursive: true, force: true })
  },
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads what a fixture needs from its pattern
  clock: async ({}, use) => use({ now: 1_000_000 }),
  changes: async ({ dataDir, clock }, use) => {
    const changes = await FileChanges.open({ dataDir, log, now: () => clock.now })
    await use(changes)
    await changes.close()
  },
})

const seen = (changes: FileChanges) => changes.due().map(({ type, path, count }) => [type, path, count])

test('repeated changes of a file are one change, and their number after a minute', ({ changes, clock }) => {
  for (let at = 0; at < 4; at++) changes.record(author, 'write', '/a')
  changes.record({ ...author, userId: 8 }, 'write', '/a')

  const first = [
    ['write', '/a', 1],
    ['write', '/a', 1],
  ]
  expect(seen(changes)).toEqual(first)
  clock.now += minute
  expect(seen(changes)).toEqual([...first, ['write', '/a', 3]])
})

test('changes of many files are summed up by kind, none is left out', ({ changes, clock }) => {
  for (let at = 0; at < maxChangesPerWindow + 5; at++) changes.record(author, 'delete', `/${at}`)
  changes.record(author, 'write', '/new')

  expect(changes.due()).toHaveLength(maxChangesPerWindow)
  clock.now += minute
  expect(seen(changes).slice(maxChangesPerWindow)).toEqual([
    ['delete', undefined, 5],
    ['write', undefined, 1],
  ])
})

test('changes that the panel has not recorded are kept on disk, up to a bound', async ({ dataDir, changes, clock }) => {
  const address = (at: number) => ({ ...author, address: `10.0.${at >> 8}.${at & 255}` })
  for (let at = 0; at < maxPendingChanges + 1; at++) changes.record(address(at), 'write', `/${at}`)
  const [first, ...others] = changes.due()
  await changes.accepted(first ? [first] : [])
  await changes.close()

  const reopened = await FileChanges.open({ dataDir, log, now: () => clock.now })

  expect(first?.path).toBe('/1')
  expect(reopened.due().slice(0, -1)).toEqual(others)
  expect(reopened.due()).toHaveLength(limits.fileChangesPerReport)
})

test('a report brings them to the panel, and keeps them until a panel has recorded them', async ({
  dataDir,
  changes,
}) => {
  const panel = new FakePanel()
  panel.isOld = true
  const events = await NodeEvents.open({ dataDir, log })
  const features = { features: [], environments: [], os: 'linux', arch: 'amd64', version: '0.0.0-test' }
  const reporter = () =>
    new Reporter({
      panel,
      events,
      fileChanges: changes,
      log,
      features: () => features,
      machine: new MachineUsage(dataDir),
      servers: { servers: [], find: () => undefined, setSuspension: async () => {}, onChange: () => () => {} },
      suspensions: { all: [], version: 0 },
      keys: { known: [], accept: async () => {} },
      retention: { setPanelDefault: async () => {} },
    })
  changes.record(author, 'write', '/a')

  const first = reporter()
  await vi.waitFor(() => expect(panel.fileChanges).toHaveLength(1))
  await first.close()
  expect(changes.due()).toHaveLength(1)
  panel.isOld = false
  const second = reporter()
  await vi.waitFor(() => expect(changes.due()).toEqual([]))
  await second.close()

  expect(panel.fileChanges.map(({ path }) => path)).toEqual(['/a', '/a'])
  await events.close()
})
