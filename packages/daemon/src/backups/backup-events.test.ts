import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Refusal } from '@innkeeper/contract/refusals'
import { pino } from 'pino'
import { test as base, expect, vi } from 'vitest'
import { BackupEvents } from './backup-events.ts'
import { BackupIndex } from './backup-index.ts'

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
function openEvents(dir: string) {
  const index = new BackupIndex(dir, server, log)
  const added: string[] = []
  const events = new BackupEvents({
    events: { add: ({ type, detail = '' }) => void added.push(`${type} ${detail}`.trim()) },
    indexOf: () => index,
    missingOn: async () => [],
    log,
  })
  const stored = () => new BackupIndex(dir, server, log).failure()
  return { events, added, stored }
}

const job = { server, name: 'Nightly' }

test('a failure is known until the next backup succeeds, also to the next daemon', async ({ dir }) => {
  const first = openEvents(dir)
  first.events.jobEnded({ ...job, type: 'create', refusal: full })
  await vi.waitFor(async () => expect(await first.stored()).toBeDefined())

  const next = openEvents(dir)
  const found = await next.events.failureOf(server)
  next.events.jobEnded({ ...job, type: 'verify' })
  const afterVerification = await next.events.failureOf(server)
  next.events.jobEnded({ ...job, type: 'create' })

  const failure = { type: 'create', at: expect.any(String), error: { code: 'ErrDisk', metadata: full.metadata } }
  expect(found).toMatchObject(failure)
  expect(afterVerification).toEqual(found)
  expect(await next.events.failureOf(server)).toBeUndefined()
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

    expect(await events.failureOf(server)).toMatchObject({ type: shown })
  },
)

test.for([
  ['restore', full],
  ['copy', full],
  ['create', new Refusal('ErrCancelled')],
] as const)('a job to %s that ends with %s is none', async ([type, refusal], { dir }) => {
  const { events, added } = openEvents(dir)

  events.jobEnded({ ...job, type, refusal })

  expect([await events.failureOf(server), added]).toEqual([undefined, []])
})

test('a failure that cannot be stored, because the disk fails, is known to this daemon', async ({ dir }) => {
  const file = join(dir, 'file')
  writeFileSync(file, '')
  const { events } = openEvents(join(file, 'servers'))

  events.jobEnded({ ...job, type: 'create', refusal: full })

  expect(await events.failureOf(server)).toMatchObject({ error: { code: 'ErrDisk' } })
})
