import { Worker } from 'node:worker_threads'
import { pino } from 'pino'
import { test as base, expect, vi } from 'vitest'
import { slowOutput, slowPattern } from '../testing/slow-pattern.ts'
import { maxQueueBytes, maxSlowPatterns, PatternMatcher, type WatchedPattern } from './pattern-matcher.ts'

/** Generous for busy machines; every wait is for a state. */
const patience = { timeout: 15_000, interval: 10 }

interface Scene {
  readonly watch: PatternMatcher
  /** What matched or was disabled, by the test's names. */
  readonly received: string[]
  pattern(name: string, pattern: string): WatchedPattern
}

const test = base.extend<{ fixture: Scene }>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads what a fixture needs from its pattern
  fixture: async ({}, use) => {
    const received: string[] = []
    const watch = new PatternMatcher({ log: pino({ level: 'silent' }) })
    const pattern = (name: string, pattern: string): WatchedPattern => ({
      pattern,
      onMatch: () => void received.push(name),
      onDisabled: () => void received.push(`${name} is off`),
    })
    await use({ watch, received, pattern })
    await watch.close()
  },
})

const print = (watch: PatternMatcher, text: string, server = 'a') => watch.push(server, Buffer.from(text))
const expectReceived = (received: readonly string[], expected: readonly string[]) =>
  vi.waitFor(() => expect(received).toEqual(expected), patience)

test('a complete line that matches is reported, in pieces or colored, and only for its server', async ({ fixture }) => {
  const { watch, received, pattern } = fixture
  watch.watch('a', [pattern('joined', '^\\w+ joined$'), pattern('left', ' left$')])
  watch.watch('b', [pattern('other', 'joined')])

  print(watch, 'Ann joi')
  print(watch, '\x1b[32mned\x1b[0m\r\nBen joined not\n')
  await expectReceived(received, ['joined'])
  print(watch, 'Ann left\n')

  await expectReceived(received, ['joined', 'left'])
})

test('each line is reported with its groups, to the first pattern that matches it', async ({ fixture }) => {
  const { watch, received } = fixture
  const pattern = (name: string, pattern: string): WatchedPattern => ({
    pattern,
    onLine: (groups) => void received.push(`${name} ${JSON.stringify(groups)}`),
    onDisabled: () => {},
  })
  watch.watch('a', [
    pattern('chat', '^<(?<name>.+?)> '),
    pattern('join', '(?P<name>\\w+)(?: \\[(?<id>\\d+)\\])? joined$'),
    fixture.pattern('any', 'Ann'),
  ])

  print(watch, 'Ann [7] joined\nBen joined\n<Ben> Eve joined\n__proto__ joined\n')

  await expectReceived(received, [
    'any',
    'join {"name":"Ann","id":"7"}',
    'join {"name":"Ben"}',
    'chat {"name":"Ben"}',
    'join {"name":"__proto__"}',
  ])
})

test('watched patterns can be replaced and removed', async ({ fixture }) => {
  const { watch, received, pattern } = fixture
  watch.watch('a', [pattern('first', 'x')])
  print(watch, 'x\n')
  await expectReceived(received, ['first'])
  watch.watch('a', [pattern('second', 'x')])
  print(watch, 'x\n')
  await expectReceived(received, ['first', 'second'])

  watch.watch('a', [])
  print(watch, 'x\n')
  watch.watch('b', [pattern('third', 'x')])
  print(watch, 'x\n', 'b')

  await expectReceived(received, ['first', 'second', 'third'])
})

test('a slow pattern is disabled, and the others continue', async () => {
  const received: string[] = []
  const watch = new PatternMatcher({ log: pino({ level: 'silent' }), patternMs: 250 })
  const pattern = (name: string, pattern: string): WatchedPattern => ({
    pattern,
    onMatch: () => void received.push(name),
    onDisabled: () => void received.push(`${name} is off`),
  })
  watch.watch('a', [pattern('slow', slowPattern), pattern('good', '^good$')])
  print(watch, slowOutput())
  await expectReceived(received, ['slow is off'])

  print(watch, 'good\n')

  await expectReceived(received, ['slow is off', 'good'])
  await watch.close()
})

test('a server with several slow patterns loses all of them, so that others do not wait', async () => {
  const received: string[] = []
  const watch = new PatternMatcher({ log: pino({ level: 'silent' }), patternMs: 250 })
  const pattern = (name: string, pattern: string): WatchedPattern => ({
    pattern,
    onMatch: () => void received.push(name),
    onDisabled: () => void received.push(`${name} is off`),
  })
  const names = Array.from({ length: 100 }, (_, at) => `slow ${at}`)
  watch.watch(
    'a',
    names.map((name) => pattern(name, slowPattern)),
  )
  watch.watch('b', [pattern('good', 'b$')])
  const slow = slowOutput()

  await vi.waitFor(() => {
    print(watch, slow)
    expect(received.toSorted()).toEqual(names.map((name) => `${name} is off`).toSorted())
  }, patience)

  await vi.waitFor(() => {
    print(watch, slow)
    print(watch, 'b\n', 'b')
    expect(received.at(-1)).toBe('good')
  }, patience)
  await watch.close()
})

test('slow patterns are remembered for an hour when they are saved again', async () => {
  const received: string[] = []
  const options = { log: pino({ level: 'silent' }), patternMs: 250 }
  const pattern = (name: string, pattern: string): WatchedPattern => ({
    pattern,
    onMatch: () => void received.push(name),
    onDisabled: () => void received.push(`${name} is off`),
  })
  await using watch = new PatternMatcher(options)
  for (let saved = 1; saved <= maxSlowPatterns; saved++) {
    watch.watch('a', [pattern(`slow ${saved}`, slowPattern)])
    print(watch, slowOutput())
    await vi.waitFor(() => expect(received.at(-1)).toBe(`slow ${saved} is off`), patience)
  }

  watch.watch('a', [])
  watch.watch('a', [pattern('again', 'x')])
  watch.watch('b', [pattern('other', 'x')])
  print(watch, 'x\n')
  print(watch, 'x\n', 'b')

  await vi.waitFor(() => expect(received.slice(maxSlowPatterns)).toEqual(['again is off', 'other']), patience)
})

test('patterns of a server are matched again after its slow ones expired', async () => {
  const received: string[] = []
  await using watch = new PatternMatcher({ log: pino({ level: 'silent' }), patternMs: 250, slowWithinMs: 0 })
  const pattern = (name: string, pattern: string): WatchedPattern => ({
    pattern,
    onMatch: () => void received.push(name),
    onDisabled: () => void received.push(`${name} is off`),
  })
  watch.watch('a', [pattern('slow', slowPattern)])
  print(watch, slowOutput())
  await expectReceived(received, ['slow is off'])

  watch.watch('a', [pattern('good', 'good')])
  print(watch, 'good\n')

  await expectReceived(received, ['slow is off', 'good'])
})

test('there is no worker before a pattern is watched, and none a while after it was found', async () => {
  const threads: Worker[] = []
  const watch = new PatternMatcher({
    log: pino({ level: 'silent' }),
    idleMs: 10,
    thread: () => {
      const thread = new Worker(new URL('./pattern-worker.ts', import.meta.url), {
        workerData: new SharedArrayBuffer(4),
      })
      threads.push(thread)
      return thread
    },
  })
  print(watch, 'x\n')
  watch.watch('a', [{ pattern: 'x', onMatch: () => watch.watch('a', []), onDisabled() {} }])
  expect(threads).toEqual([])

  print(watch, 'x\n')

  // An ended worker has no thread id.
  await vi.waitFor(() => expect(threads.map(({ threadId }) => threadId)).toEqual([-1]), patience)
  await watch.close()
})

test('when no worker can be started, it is retried later', async () => {
  const received: string[] = []
  let hasRoom = false
  const watch = new PatternMatcher({
    log: pino({ level: 'silent' }),
    thread: () => {
      if (!hasRoom) throw new Error('no room')
      return new Worker(new URL('./pattern-worker.ts', import.meta.url), {
        workerData: new SharedArrayBuffer(4),
      })
    },
  })
  watch.watch('a', [{ pattern: 'x', onMatch: () => void received.push('x'), onDisabled() {} }])
  print(watch, 'x\n')
  await new Promise((resolve) => void setImmediate(() => setImmediate(resolve)))
  expect(received).toEqual([])

  hasRoom = true

  await vi.waitFor(() => {
    print(watch, '\nx\n')
    expect(received).toContain('x')
  }, patience)
  await watch.close()
})

test('a flood is matched as far as possible, with bounded memory, and delays nothing', async ({ fixture }) => {
  const { watch, received, pattern } = fixture
  watch.watch('a', [pattern('last', '^the end$')])
  const flood = Buffer.from('x'.repeat(1_000).concat('\n').repeat(1_000))

  const began = performance.now()
  for (let count = 0; count < 100; count++) watch.push('a', flood)
  expect(performance.now() - began).toBeLessThan(5_000)

  await vi.waitFor(() => {
    // Dropped during the flood; later lines are complete again.
    print(watch, '\nthe end\n')
    expect(received.at(-1)).toBe('last')
  }, patience)
  expect(100 * flood.length).toBeGreaterThan(50 * maxQueueBytes)
})
