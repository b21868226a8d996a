import { once } from 'node:events'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { test as base, expect } from 'vitest'
import { BackupSchedule } from './schedule.ts'

const hour = 3_600_000
const start = Date.parse('2026-11-25T09:00:00Z')

const test = base.extend<{ dir: string }>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads what a fixture needs from its pattern
  dir: async ({}, use) => {
    const dir = await mkdtemp(join(tmpdir(), 'innkeeper-schedule-'))
    await use(dir)
    await rm(dir, { recursive: true })
  },
})

/** A schedule of one backup in six hours, of which two are kept, at a time that the test sets. */
function scheduleIn(dir: string, backUp = (file: string, _: AbortSignal) => writeFile(file, '')) {
  const clock = { now: start }
  const lines: string[] = []
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) })
  const schedule = new BackupSchedule({ dir, everyMs: 6 * hour, keep: 2, backUp, log, now: () => clock.now })
  return {
    schedule,
    lines,
    async checkAfter(hours: number) {
      await schedule.check()
      clock.now = start + hours * hour
      await schedule.check()
      return (await readdir(dir)).toSorted()
    },
  }
}

test('backups are made at the interval, and the oldest ones are deleted', async ({ dir }) => {
  await writeFile(join(dir, 'my-own.backup'), '')
  const { schedule, checkAfter } = scheduleIn(dir)

  const names = [await checkAfter(0), await checkAfter(5.9), await checkAfter(6), await checkAfter(30)]

  const [first, second, third] = ['20261125T090000Z', '20261125T150000Z', '20261126T150000Z'].map(
    (time) => `innkeeper-${time}.backup`,
  )
  const own = 'my-own.backup'
  expect(names).toEqual([
    [first, own],
    [first, own],
    [first, second, own],
    [second, third, own],
  ])
  await schedule.close()
})

test('after a restart the next backup is made when it is due', async ({ dir }) => {
  await writeFile(join(dir, 'innkeeper-20261125T070000Z.backup'), '')
  const { schedule, checkAfter } = scheduleIn(dir)

  expect(await checkAfter(3.9)).toHaveLength(1)
  expect(await checkAfter(4)).toHaveLength(2)

  await schedule.close()
})

test('a failed backup is logged, deletes nothing and is tried again at the next check', async ({ dir }) => {
  let isFull = true
  const { schedule, lines, checkAfter } = scheduleIn(dir, async (file) => {
    if (isFull) throw new Error('ENOSPC: no space left on device')
    await writeFile(file, '')
  })

  const during = await checkAfter(0)
  isFull = false
  const after = await checkAfter(0)

  expect([during.length, after.length]).toEqual([0, 1])
  expect(lines.join('')).toContain('the scheduled backup failed; it will be tried again')
  expect(lines.join('')).toContain('no space left on device')
  await schedule.close()
})

test('closing ends a backup in progress, without an error in the log', async ({ dir }) => {
  const started = Promise.withResolvers<void>()
  const { schedule, lines } = scheduleIn(dir, async (_, signal) => {
    const aborted = once(signal, 'abort')
    started.resolve()
    await aborted
    throw signal.reason
  })
  await started.promise

  await schedule.close()

  expect(lines).toEqual([])
})
