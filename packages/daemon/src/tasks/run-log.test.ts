import { appendFileSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { limits } from '@innkeeper/contract/text/limits'
import { pino } from 'pino'
import { test as base, expect } from 'vitest'
import { type LoggedRun, maxLogBytes, RunLog } from './run-log.ts'
import { maxLineBytes } from './run-task-steps.ts'
import { maxRunLines } from './task-runner.ts'
import { TaskStateStore } from './task-state-store.ts'

const log = pino({ level: 'silent' })
const run = (id: number, lines: string[] = []): LoggedRun => ({
  id: String(id),
  startedAt: new Date(id).toISOString(),
  cause: 'schedule',
  result: 'done',
  lines,
})

const test = base.extend<{ folder: string }>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads what a fixture needs from its pattern
  folder: async ({}, use) => {
    const folder = mkdtempSync(join(tmpdir(), 'innkeeper-runs-'))
    await use(folder)
    rmSync(folder, { recursive: true, force: true })
  },
})

test('the last runs are restored, newest first, whatever the key is', async ({ folder }) => {
  const dir = join(folder, 'tasks')
  const runs = new RunLog(dir, '../../etc/passwd', log)
  expect(await runs.list()).toEqual([])
  for (let id = 1; id <= 2 * limits.taskRunsKept + 7; id++) await runs.add(run(id, [`line ${id}`]))

  const known = await new RunLog(dir, '../../etc/passwd', log).list()

  expect(known).toHaveLength(limits.taskRunsKept)
  expect(known[0]).toEqual(run(2 * limits.taskRunsKept + 7, [`line ${2 * limits.taskRunsKept + 7}`]))
  expect(readdirSync(dir)).toEqual([expect.stringMatching(/^[0-9a-f]{32}\.runs$/)])
  await runs.remove()
  expect(await runs.list()).toEqual([])
})

test('runs with much output use bounded space', async ({ folder }) => {
  const runs = new RunLog(folder, 'a', log)
  const lines = Array.from({ length: maxRunLines }, () => 'x'.repeat(maxLineBytes))
  for (let id = 1; id <= 25; id++) await runs.add(run(id, lines))

  const [name = ''] = readdirSync(folder)
  expect(statSync(join(folder, name)).size).toBeLessThan(3 * maxLogBytes)
  expect((await runs.list())[0]?.id).toBe('25')
})

test('an incomplete line is skipped, and later lines are not', async ({ folder }) => {
  const runs = new RunLog(folder, 'a', log)
  await runs.add(run(1))
  appendFileSync(join(folder, readdirSync(folder)[0] ?? ''), '{"id":"2","startedAt"')

  const again = new RunLog(folder, 'a', log)
  await again.add(run(3))

  expect((await again.list()).map(({ id }) => id)).toEqual(['3', '1'])
})

test('the state of tasks is restored, and a damaged file is ignored', async ({ folder }) => {
  const dir = join(folder, 'tasks')
  const stateStore = await TaskStateStore.open(dir, log)
  stateStore.tasks.set('a', { times: '* * * * * ', served: 5 })
  stateStore.permissions.set(7, ['viewServer', 'startServer'])
  await Promise.all([stateStore.save(), stateStore.save(), stateStore.save()])

  const again = await TaskStateStore.open(dir, log)
  expect([again.tasks.get('a'), again.permissions.get(7)]).toEqual([
    { times: '* * * * * ', served: 5 },
    ['viewServer', 'startServer'],
  ])
  expect(readdirSync(dir)).toEqual(['tasks.json'])

  appendFileSync(join(dir, 'tasks.json'), '}')
  expect((await TaskStateStore.open(dir, log)).tasks.size).toBe(0)
  await again.remove()
  expect(readdirSync(folder)).toEqual([])
})
