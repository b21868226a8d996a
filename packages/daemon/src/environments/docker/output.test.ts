import { expect, test, vi } from 'vitest'
import type { LogCheckpoint } from './log-checkpoint.ts'
import { ContainerOutput, maxUnstoredBytes } from './output.ts'

const still = new AbortController().signal

const getTime = (line: number) => `2026-01-31T12:00:00.${String(line).padStart(9, '0')}Z`

/** The log of a container that printed these lines, one each nanosecond; the first `lost` are gone. */
function printed(
  lines: readonly string[],
  {
    checkpoint,
    lost = 0,
    timeout,
    closedSignal = still,
  }: { checkpoint?: LogCheckpoint; lost?: number; timeout?: Promise<void>; closedSignal?: AbortSignal } = {},
) {
  const messages: string[] = []
  const saved: LogCheckpoint[] = []
  const received: [from: number, text: string][] = []
  const output = new ContainerOutput({
    engine: {
      closedSignal,
      isPodman: false,
      async readLog(_, { since, follow }) {
        if (follow) await timeout
        const first = since === undefined ? 0 : Number(since.split('.')[1])
        const entries = lines.map((line, at) => ({ at, text: `${getTime(at)} ${line}\n` }))
        const text = entries.filter(({ at }) => at >= Math.max(first, lost)).map((entry) => entry.text)
        return (async function* () {
          yield Buffer.from(text.join(''))
        })()
      },
    },
    container: 'c',
    run: 'r',
    checkpoints: {
      load: async () => undefined,
      save: async (_, saving) => void saved.push(saving),
      remove: async () => {},
    },
    checkpoint,
    say: (message) => messages.push(message),
    log: { warn: () => {} },
  })
  const begin = (offset: number) =>
    output.begin(offset, (data, from) => received.push([from, Buffer.from(data).toString()]))
  return { output, begin, messages, saved, received }
}

test('output that a daemon already has is skipped exactly, from the beginning or from a checkpoint', async () => {
  for (const checkpoint of [undefined, { time: getTime(1), offset: 4 }]) {
    const { output, begin, received, messages } = printed(['one', 'two', 'three'], checkpoint ? { checkpoint } : {})
    begin(6)

    await output.readLog(still)

    expect(received).toEqual([[6, 'o\nthree\n']])
    expect(messages).toEqual([])
  }
})

test('a checkpoint that is no longer in the log is a loss: it is reported, and later output follows', async () => {
  const checkpoint = { time: getTime(1), offset: 4 }
  const { output, begin, received, messages } = printed(['one', 'two', 'three', 'four'], { checkpoint, lost: 3 })
  begin(6)

  await output.readLog(still)

  expect(received).toEqual([[7, 'four\n']])
  expect(messages).toEqual([expect.stringContaining('Output was lost')])
})

test('the checkpoint advances to the last line that begins in stored output', async () => {
  const { output, begin, saved } = printed(['one', 'two', 'three'])
  begin(0)

  output.acknowledge(9)

  await vi.waitFor(() => expect(saved).toEqual([{ time: getTime(2), offset: 8 }]))
})

test('a checkpoint that advances while the log is searched is not a loss', async () => {
  const { promise: timeout, resolve: come } = Promise.withResolvers<void>()
  const { output, begin, saved, received, messages } = printed(['one', 'two', 'three'], { timeout })
  begin(6)
  const reading = output.readLog(still)
  output.acknowledge(9)
  await vi.waitFor(() => expect(saved).toEqual([{ time: getTime(2), offset: 8 }]))

  come()
  await reading

  expect(messages).toEqual([])
  expect(received).toEqual([[6, 'o\nthree\n']])
})

test('unstored output pauses the container', async () => {
  const { output, begin, received } = printed(['x'.repeat(maxUnstoredBytes), 'more'])
  begin(0)

  let isThrough = false
  const reading = output.readLog(still).then(() => {
    isThrough = true
  })
  await vi.waitFor(() => expect(received).not.toEqual([]))
  expect(isThrough).toBe(false)

  output.acknowledge(maxUnstoredBytes)
  await reading
  expect(isThrough).toBe(true)
})

test('a wait for storage ends with the daemon', async () => {
  const closing = new AbortController()
  const { output, begin, received } = printed(['x'.repeat(maxUnstoredBytes)], {
    closedSignal: closing.signal,
  })
  begin(0)
  const reading = output.readLog(still)
  await vi.waitFor(() => expect(received).not.toEqual([]))

  closing.abort()

  await reading
})

test.for([
  ['begins with the run', 'one\ntwo\nthree\n', 'one\ntwo\n', [], [[8, 'three\n']]],
  ['was full and began anew', 'wo\nthree\n', 'wo\n', ['Output may be missing'], [[8, 'three\n']]],
] as const)('a log without positions that %s delivers new output once', async ([, whole, now, complaints, wanted]) => {
  const messages: string[] = []
  const received: [from: number, text: string][] = []
  const output = new ContainerOutput({
    engine: {
      closedSignal: still,
      isPodman: true,
      async readLog(_, { follow, times }) {
        expect(times).toBe(false)
        return (async function* () {
          yield Buffer.from(follow ? whole : now)
        })()
      },
    },
    container: 'c',
    run: 'r',
    checkpoints: { load: async () => undefined, save: async () => {}, remove: async () => {} },
    checkpoint: undefined,
    say: (message) => messages.push(message),
    log: { warn: () => {} },
  })
  output.begin(8, (data, from) => received.push([from, Buffer.from(data).toString()]))

  await output.readLog(still)

  expect(received).toEqual(wanted)
  expect(messages.map((message) => message.slice(0, 21))).toEqual(complaints)
})
