import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { pino } from 'pino'
import { test as base, expect, vi } from 'vitest'
import { BackupEvents } from './backup-events.ts'
import { BackupIndex, type StoredBackup } from './storage/backup-index.ts'
import { isMissing } from './targets/copy-to-targets.ts'

const log = pino({ level: 'silent' })
const server = '0a0a0a0a'
const full = new Refusal('ErrDisk', { reason: 'the disk is full' })

const test = base.extend<{ dir: string }>({
  // biome-ignore lint/correctness/noEmptyPattern: the fixture needs no other one.
  dir: async ({}, use) => {
    const dir = mkdtempSync(join(tmpdir(), 'innkeeper-events-'))
    await use(dir)
    rmSync(dir, { recursive: true, force: true })
  },
})

/** The events of a daemon that has just started. */
function openEvents(dir: string, targets: readonly string[] = ['local']) {
  const index = new BackupIndex(dir, server, log)
  const added: string[] = []
  const events = new BackupEvents({
    events: { add: ({ type, detail = '' }) => void added.push(`${type} ${detail}`.trim()) },
    indexes: { of: () => index },
    serverTargets: {
      of: async () => targets.map((id) => ({ id })),
      withMissingCopies: async () =>
        (await index.backups()).flatMap((backup) => targets.filter((one) => isMissing(backup, one))),
    },
    log,
  })
  const stored = () => new BackupIndex(dir, server, log).failure()
  return { events, index, added, stored }
}

const job = { server, name: 'Nightly' }

test('a failure is known until the next backup succeeds, also to the next daemon', async ({ dir }) => {
  const first = openEvents(dir)
  first.events.jobEnded({ ...job, type: 'create', refusal: full })
  await vi.waitFor(async () => expect(await first.stored()).toBeDefined())

  const next = openEvents(dir)
  const found = await next.events.findFailure(server)
  next.events.jobEnded({ ...job, type: 'verify' })
  const afterVerification = await next.events.findFailure(server)
  next.events.jobEnded({ ...job, type: 'create' })

  const failure = { type: 'create', at: expect.any(String), error: { code: 'ErrDisk', metadata: full.metadata } }
  expect(found).toMatchObject(failure)
  expect(afterVerification).toEqual(found)
  expect(await next.events.findFailure(server)).toBeUndefined()
  await vi.waitFor(async () => expect(await next.stored()).toBeUndefined())
  expect([first.added, next.added]).toEqual([[expect.stringMatching(/^backupFailed Nightly: /)], ['backupDone']])
})

test.for([
  ['create', full, undefined, 'create'],
  ['create', undefined, full, 'copy'],
  ['verify', full, undefined, 'verify'],
  ['copy', full, full, 'copy'],
] as const)(
  'a job to %s with the refusal %s and the warning %s is a failure: %s',
  async ([type, refusal, warning, shown], { dir }) => {
    const { events } = openEvents(dir)

    events.jobEnded({ ...job, type, refusal, warning })

    expect(await events.findFailure(server)).toMatchObject({ type: shown })
  },
)

test.for([
  ['restore', full],
  ['copy', full],
  ['create', new Refusal('ErrCancelled')],
] as const)('a job to %s that ends with %s is none', async ([type, refusal], { dir }) => {
  const { events, added } = openEvents(dir)

  events.jobEnded({ ...job, type, refusal })

  expect([await events.findFailure(server), added]).toEqual([undefined, []])
})

test('a failure that cannot be stored, because the disk fails, is known to this daemon', async ({ dir }) => {
  const file = join(dir, 'file')
  writeFileSync(file, '')
  const { events } = openEvents(join(file, 'servers'))

  events.jobEnded({ ...job, type: 'create', refusal: full })

  expect(await events.findFailure(server)).toMatchObject({ error: { code: 'ErrDisk' } })
})

const stored: StoredBackup = {
  id: 'a',
  name: '',
  createdAt: '2026-11-01T03:00:00.000Z',
  origin: 'user',
  server: 'stopped',
  files: 1,
  bytes: 1,
  newBytes: 1,
  durationMs: 1,
  isLocked: false,
}

test('a failed verification is over when the backup is verified or deleted', async ({ dir }) => {
  const { events, index, added } = openEvents(dir)
  await index.add(stored)
  const fail = () => events.jobEnded({ ...job, type: 'verify', backup: 'a', refusal: full })

  fail()
  events.jobEnded({ ...job, type: 'verify', backup: 'b' })
  await events.endSolved(server)
  expect(await events.findFailure(server)).toMatchObject({ type: 'verify', backup: 'a' })
  events.jobEnded({ ...job, type: 'verify', backup: 'a' })
  await vi.waitFor(async () => expect(await events.findFailure(server)).toBeUndefined())
  fail()
  await index.remove('a')
  await events.endSolved(server)

  expect(await events.findFailure(server)).toBeUndefined()
  expect(added.map((one) => one.split(' ')[0])).toEqual(['backupFailed', 'backupDone', 'backupFailed', 'backupDone'])
})

test('a missing copy is a failure until the server has other targets', async ({ dir }) => {
  const targets = ['local', 'nas']
  const { events, index } = openEvents(dir, targets)
  const copies = [
    { target: 'local', state: 'stored' as const },
    { target: 'nas', state: 'failed' as const },
  ]
  await index.add({ ...stored, copies })
  events.jobEnded({ ...job, type: 'create', warning: full })

  await events.endSolved(server)
  const before = await events.findFailure(server)
  targets.pop()
  await events.endSolved(server)

  expect([before?.type, await events.findFailure(server)]).toEqual(['copy', undefined])
})

test('a failure that is dismissed is over, also for the next daemon', async ({ dir }) => {
  const { events, added, stored: storedFailure } = openEvents(dir)
  events.jobEnded({ ...job, type: 'create', refusal: full })

  await events.endSolved(server)
  const before = await events.findFailure(server)
  await events.dismiss(server)
  await events.dismiss(server)

  expect([before?.type, await events.findFailure(server)]).toEqual(['create', undefined])
  await vi.waitFor(async () => expect(await storedFailure()).toBeUndefined())
  expect(added).toEqual([expect.stringMatching(/^backupFailed /), 'backupDone'])
})
