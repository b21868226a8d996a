import { Worker } from 'node:worker_threads'
import { limits } from '@innkeeper/contract/limits'
import { pino } from 'pino'
import { test as base, expect, vi } from 'vitest'
import { slowOutput, slowPattern } from '../testing/slow-pattern.ts'
import { PatternMatcher, type WatchedPattern } from './pattern-matcher.ts'

/** A busy machine may take its time; what is waited for comes or does not. */
const patience = { timeout: 15_000, interval: 10 }

interface Scene {
  readonly watch: PatternMatcher
  /** What fitted or was switched off, by what the test calls it. */
  readonly onMessage: string[]
  look(name: string, pattern: string): WatchedPattern
}

const test = base.extend<{ scene: Scene }>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads what a fixture needs from its pattern
  scene: async ({}, use) => {
    const onMessage: string[] = []
    const watch = new PatternMatcher({ log: pino({ level: 'silent' }) })
    const look = (name: string, pattern: string): WatchedPattern => ({
      pattern,
      onMatch: () => void onMessage.push(name),
      onDisabled: () => void onMessage.push(`${name} is off`),
    })
    await use({ watch, onMessage, look })
    await watch.close()
  },
})

const print = (watch: PatternMatcher, text: string, server = 'a') => watch.push(server, Buffer.from(text))
const hears = (onMessage: readonly string[], expected: readonly string[]) =>
  vi.waitFor(() => expect(onMessage).toEqual(expected), patience)

test('a whole line that fits is told, in pieces or coloured, and only on its own server', async ({ scene }) => {
  const { watch, onMessage, look } = scene
  watch.watch('a', [look('joined', '^\\w+ joined$'), look('left', ' left$')])
  watch.watch('b', [look('other', 'joined')])

  print(watch, 'Ann joi')
  print(watch, '\x1b[32mned\x1b[0m\r\nBen joined not\n')
  await hears(onMessage, ['joined'])
  print(watch, 'Ann left\n')

  await hears(onMessage, ['joined', 'left'])
})

test('what is watched for can be changed, and no more be watched for', async ({ scene }) => {
  const { watch, onMessage, look } = scene
  watch.watch('a', [look('first', 'x')])
  print(watch, 'x\n')
  await hears(onMessage, ['first'])
  watch.watch('a', [look('second', 'x')])
  print(watch, 'x\n')
  await hears(onMessage, ['first', 'second'])

  watch.watch('a', [])
  print(watch, 'x\n')
  watch.watch('b', [look('third', 'x')])
  print(watch, 'x\n', 'b')

  await hears(onMessage, ['first', 'second', 'third'])
})

test('a pattern that takes long is switched off, and the others go on', async () => {
  const onMessage: string[] = []
  const watch = new PatternMatcher({ log: pino({ level: 'silent' }), patternMs: 250 })
  const look = (name: string, pattern: string): WatchedPattern => ({
    pattern,
    onMatch: () => void onMessage.push(name),
    onDisabled: () => void onMessage.push(`${name} is off`),
  })
  watch.watch('a', [look('slow', slowPattern), look('good', '^good$')])
  print(watch, slowOutput())
  await hears(onMessage, ['slow is off'])

  print(watch, 'good\n')

  await hears(onMessage, ['slow is off', 'good'])
  await watch.close()
})

test('a server with several slow patterns loses all of its, and others wait for it no more', async () => {
  const onMessage: string[] = []
  const watch = new PatternMatcher({ log: pino({ level: 'silent' }), patternMs: 250 })
  const look = (name: string, pattern: string): WatchedPattern => ({
    pattern,
    onMatch: () => void onMessage.push(name),
    onDisabled: () => void onMessage.push(`${name} is off`),
  })
  const names = Array.from({ length: 100 }, (_, at) => `slow ${at}`)
  watch.watch(
    'a',
    names.map((name) => look(name, slowPattern)),
  )
  watch.watch('b', [look('good', 'b$')])
  const slow = slowOutput()

  await vi.waitFor(() => {
    print(watch, slow)
    expect(onMessage.toSorted()).toEqual(names.map((name) => `${name} is off`).toSorted())
  }, patience)

  await vi.waitFor(() => {
    print(watch, slow)
    print(watch, 'b\n', 'b')
    expect(onMessage.at(-1)).toBe('good')
  }, patience)
  await watch.close()
})

test('that patterns took too long is not forgotten when they are saved anew, until an hour went by', async () => {
  const onMessage: string[] = []
  const options = { log: pino({ level: 'silent' }), patternMs: 250 }
  const look = (name: string, pattern: string): WatchedPattern => ({
    pattern,
    onMatch: () => void onMessage.push(name),
    onDisabled: () => void onMessage.push(`${name} is off`),
  })
  await using watch = new PatternMatcher(options)
  for (let saved = 1; saved <= limits.slowPatterns; saved++) {
    watch.watch('a', [look(`slow ${saved}`, slowPattern)])
    print(watch, slowOutput())
    await vi.waitFor(() => expect(onMessage.at(-1)).toBe(`slow ${saved} is off`), patience)
  }

  watch.watch('a', [])
  watch.watch('a', [look('again', 'x')])
  watch.watch('b', [look('other', 'x')])
  print(watch, 'x\n')
  print(watch, 'x\n', 'b')

  await vi.waitFor(() => expect(onMessage.slice(limits.slowPatterns)).toEqual(['again is off', 'other']), patience)
})

test('patterns of a server are looked for again when its slow ones are long ago', async () => {
  const onMessage: string[] = []
  await using watch = new PatternMatcher({ log: pino({ level: 'silent' }), patternMs: 250, slowWithinMs: 0 })
  const look = (name: string, pattern: string): WatchedPattern => ({
    pattern,
    onMatch: () => void onMessage.push(name),
    onDisabled: () => void onMessage.push(`${name} is off`),
  })
  watch.watch('a', [look('slow', slowPattern)])
  print(watch, slowOutput())
  await hears(onMessage, ['slow is off'])

  watch.watch('a', [look('good', 'good')])
  print(watch, 'good\n')

  await hears(onMessage, ['slow is off', 'good'])
})

test('there is no thread before something is looked for, and none after it was found', async () => {
  const threads: Worker[] = []
  const watch = new PatternMatcher({
    log: pino({ level: 'silent' }),
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

  // One that has ended has no number any more.
  await vi.waitFor(() => expect(threads.map(({ threadId }) => threadId)).toEqual([-1]), patience)
  await watch.close()
})

test('a machine that has no room for a thread is looked after when it has', async () => {
  const onMessage: string[] = []
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
  watch.watch('a', [{ pattern: 'x', onMatch: () => void onMessage.push('x'), onDisabled() {} }])
  print(watch, 'x\n')
  await new Promise((resolve) => void setImmediate(() => setImmediate(resolve)))
  expect(onMessage).toEqual([])

  hasRoom = true

  await vi.waitFor(() => {
    print(watch, '\nx\n')
    expect(onMessage).toContain('x')
  }, patience)
  await watch.close()
})

test('a flood is looked through as far as it can be, in bounded memory, and holds nobody up', async ({ scene }) => {
  const { watch, onMessage, look } = scene
  watch.watch('a', [look('last', '^the end$')])
  const flood = Buffer.from('x'.repeat(1_000).concat('\n').repeat(1_000))

  const began = performance.now()
  for (let count = 0; count < 100; count++) watch.push('a', flood)
  expect(performance.now() - began).toBeLessThan(5_000)

  await vi.waitFor(() => {
    // It was left out while there was too much of it; somewhere behind it lines are whole again.
    print(watch, '\nthe end\n')
    expect(onMessage.at(-1)).toBe('last')
  }, patience)
  expect(100 * flood.length).toBeGreaterThan(50 * limits.patternQueueBytes)
})
