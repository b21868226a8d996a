import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { test as base, expect, vi } from 'vitest'
import { Console } from '../console/console.ts'
import { PatternMatcher } from '../patterns/pattern-matcher.ts'
import { FakeRun } from '../testing/fake-environment.ts'
import { slowOutput, slowPattern } from '../testing/slow-pattern.ts'
import { type ReadyWatchOptions, readyTimeoutMs, watchForReadyLine } from './ready-line.ts'

/** Generous for busy machines; every wait is for a state. */
const patience = { timeout: 15_000, interval: 10 }

const log = pino({ level: 'silent' })
const id = '0a0a0a0a'
const started = (name = 'main', run = name) => new FakeRun({ key: `${id}/${name}`, id: run, pid: 1 })
const isOnline = async (received: readonly string[], expected: readonly string[]) =>
  vi.waitFor(() => expect(received).toEqual(expected), patience)

interface Scene {
  readonly console: Console
  /** The reasons passed to onReady. */
  readonly received: string[]
  watch(
    run: FakeRun,
    pattern: string,
    how?: Partial<ReadyWatchOptions> & { hasTerminal?: boolean; silentMs?: number },
  ): ReturnType<typeof watchForReadyLine>
}

const test = base.extend<{ fixture: Scene }>({
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads the dependencies of a fixture from this pattern
  fixture: async ({}, use) => {
    const dir = await mkdtemp(join(tmpdir(), 'innkeeper-ready-'))
    const console = new Console({ dir, log })
    const patterns = new PatternMatcher({ log, patternMs: 250 })
    const received: string[] = []
    await use({
      console,
      received,
      watch: (run, pattern, { hasTerminal = false, silentMs = 60_000, ...how } = {}) =>
        watchForReadyLine({ id, console, patterns, log, hasTerminal, silentMs }, run, pattern, {
          launchedAt: performance.now(),
          isReattached: false,
          onReady: (reason = 'ready') => void received.push(reason),
          ...how,
        }),
    })
    await console.close()
    await patterns.close()
    await rm(dir, { recursive: true })
  },
})

test.for([
  ['on pipes', false, 1],
  ['in a terminal', true, 0],
] as const)(
  'a server that prints nothing while it starts gets a hint: %s',
  async ([, hasTerminal, hints], { fixture }) => {
    const { console, watch } = fixture
    const run = started()
    void console.follow(run, { isNew: true })

    watch(run, 'Done', { silentMs: 1, hasTerminal })

    const logs = async () => (await console.page()).records.map(({ text }) => text).join('')
    await vi.waitFor(async () => expect(await logs()).toContain('has not printed anything'), patience)
    expect((await logs()).match(/stdbuf -oL/g) ?? []).toHaveLength(hints)
  },
)

test('the first matching line reports ready once, however the output is split', async ({ fixture }) => {
  const { console, received, watch } = fixture
  const run = started()
  watch(run, '^Done \\(.*\\)! For help')
  void console.follow(run, { isNew: true })

  run.print('Loading\nNot Done (1s)! For help\nDone (1.')
  run.print('5s)! For help, type "help"\r\nDone (2s)! For help\n')

  await isOnline(received, ['ready'])
  run.print('Done (3s)! For help\n')
  await console.flushed()
  expect(received).toEqual(['ready'])
})

test('output of a step is not matched', async ({ fixture }) => {
  const { console, received, watch } = fixture
  const [run, step] = [started(), started('step')]
  watch(run, 'up$')
  void console.follow(step, { isNew: true })
  void console.follow(run, { isNew: true })

  step.print('step is up\n')
  console.say('daemon is up')
  run.print('nothing yet\n')
  await console.flushed()
  expect(received).toEqual([])
  run.print('server is up\n')

  await isOnline(received, ['ready'])
})

test('a line in the log that the earlier daemon did not match counts, of this run only', async ({ fixture }) => {
  const { console, received, watch } = fixture
  const [before, run] = [started('main', 'first'), started('main', 'second')]
  void console.follow(before, { isNew: true })
  before.print('up\n')
  void console.follow(run, { isNew: true })
  run.print('begun\nnow half')
  await console.flushed()

  const found = run.found()
  await watch(found, 'up$', { isReattached: true }).replayed
  expect(received).toEqual([])
  void console.follow(found, { isNew: false })
  found.print(' up\n')
  await isOnline(received, ['ready'])
  await console.flushed()

  await watch(run.found(), 'up$', { isReattached: true }).replayed
  await isOnline(received, ['ready', 'ready'])
})

test('a server that never prints the line counts as online after the timeout', async ({ fixture }) => {
  const { received, watch } = fixture

  watch(started(), 'never', { launchedAt: performance.now() - readyTimeoutMs })

  await isOnline(received, [expect.stringMatching(/No line matched the ready pattern within 30 minutes/) as string])
})

test('a pattern that takes too long is disabled, and its server counts as online', async ({ fixture }) => {
  const { console, received, watch } = fixture
  const run = started()
  watch(run, slowPattern)
  void console.follow(run, { isNew: true })

  run.print(slowOutput())

  await isOnline(received, [expect.stringMatching(/takes too long/) as string])
})

test('a disposed watch reports nothing', async ({ fixture }) => {
  const { console, received, watch } = fixture
  const run = started()
  const first = watch(run, 'up$', { onReady: () => void received.push('too late') })
  void console.follow(run, { isNew: true })
  first[Symbol.dispose]()
  run.print('up\n')
  await console.flushed()

  watch(run, 'up$')
  run.print('up again and up\n')

  await isOnline(received, ['ready'])
})
